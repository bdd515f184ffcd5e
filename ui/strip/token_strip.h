// SPDX-License-Identifier: GPL-3.0-or-later
// The run's tokens in one row: which the selected dest attends to (upper half), which attend to the
// selected src (lower half). Only the tokens in view are laid out.
#pragma once
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/values/ids.h"
#include "engine/values/run.h"
#include "ui/painting/chat_turns.h"
#include "ui/selection.h"
#include "ui/strip/strip_layout.h"

namespace ui {

class TokenStrip : public QWidget {
    Q_OBJECT
  public:
    explicit TokenStrip(QWidget* parent = nullptr);

    void setTokens(std::vector<engine::Token>,
                   std::int64_t promptTokens);  // the rest were generated
    void appendToken(const engine::Token&);
    void setRows(std::int64_t published);  // tokens from here on are dashed: no row yet
    // Scrolls to a new dest, else to a new src unless that was only suggested.
    void setSelection(std::optional<engine::Position> dest, std::optional<engine::Position> src,
                      bool srcByHand = true);
    void setRow(std::vector<float> p);     // p of the selected dest on every src; empty: unknown
    void setColumn(std::vector<float> p);  // p of every dest on the selected src; empty: unknown
    // In place of one of them while a token is hovered; another token's is ignored.
    void setPreview(engine::Position, bool asSource, std::vector<float> p);
    void forgetPreview();  // of another head: asked for anew
    const std::vector<float>& preview() const { return m_preview; }  // empty: none
    void setWindow(int keys);  // of the layer: what a dest sees at most, 0: all before it
    // Shift-click, dragging and Shift+arrow keys select a span of tokens, [begin, end); this as
    // they do. It stays for a run that has the same tokens up to its end.
    void setSpan(std::optional<engine::Rows>);
    const std::optional<engine::Rows>& span() const { return m_span; }
    void beginSpan();  // at the selected token, with the focus; Shift+arrows go on from there
    QString spanText() const;    // "span 9 ·John to 11 ·to", empty without
    void setClicksSource(bool);  // direction: a plain click selects as src (key D)
    bool clicksSource() const { return m_clicksSource; }

    const std::vector<engine::Token>& tokens() const { return m_tokens; }
    std::int64_t promptTokens() const { return m_prompt; }
    std::int64_t rows() const { return m_rows; }
    QString visibleAt(engine::Position) const;  // "·to"; empty when there is no such token
    QString label(engine::Position) const;      // "13 ·to"; "13" when there is no such token
    const std::vector<ChatTurn>& turns() const { return m_turns; }  // none: no chat
    QRect tokenRect(std::int64_t index);                            // empty when out of view
    std::int64_t tokenAt(QPoint);                                   // −1: none
    void scrollTo(std::int64_t index);
    std::int64_t firstInView() const { return m_layout.first(); }
    bool hasTrack() const { return m_hasTrack; }
    QRect trackRect() const;  // the whole prompt as a line, when not all of it is in view

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  Q_SIGNALS:
    // As dest or as src; none: it left, or the token has no row yet.
    void tokenHovered(std::optional<engine::Position>, bool asSource);
    void tokenClicked(engine::Position, bool asSource);  // Ctrl turns the direction for one click
    void directionChanged(bool clicksSource);
    void spanChanged(const std::optional<engine::Rows>& span);  // or the run that it is of did

  protected:
    bool event(QEvent*) override;
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void leaveEvent(QEvent*) override;
    void wheelEvent(QWheelEvent*) override;
    void keyPressEvent(QKeyEvent*) override;
    void changeEvent(QEvent*) override;

  private:
    void relayout();
    void findTurns();
    int rolesHeight() const { return m_turns.empty() ? 0 : 14; }
    void describe();
    void setHovered(std::int64_t index, bool asSource);
    bool previews(bool asSource) const { return !m_preview.empty() && m_hoversSource == asSource; }
    // What the boxes are coloured by: the selected ends' or the hovered token's.
    const std::vector<float>& rowShown() const { return previews(false) ? m_preview : m_row; }
    const std::vector<float>& columnShown() const { return previews(true) ? m_preview : m_column; }
    void scrollToTrack(int x);
    void dragTo(int x);
    void spanTo(std::int64_t index);  // from where it began
    void moveSpan(std::int64_t by);   // its end that moves
    void paintToken(QPainter&, const PlacedToken&) const;
    void paintRoles(QPainter&, const std::vector<PlacedToken>& seen) const;
    void paintLegend(QPainter&) const;
    void paintTrack(QPainter&, const std::vector<PlacedToken>& seen) const;
    QRect rowRect() const;  // boxes and their indices
    int legendWidth() const;
    bool isDest(std::int64_t index) const;
    bool isSrc(std::int64_t index) const;
    QString toolTipOf(std::int64_t index) const;

    std::vector<engine::Token> m_tokens;
    std::vector<ChatTurn> m_turns;
    std::int64_t m_prompt = 0, m_rows = 0;
    std::optional<engine::Position> m_dest, m_src;
    std::vector<float> m_row, m_column, m_preview;
    int m_window = 0;
    bool m_clicksSource = false;
    std::int64_t m_hovered = -1;
    bool m_hoversSource = false;
    std::optional<engine::Rows> m_span;
    std::int64_t m_spanFrom = -1;  // the token that the span being made began at
    std::int64_t m_spanTo = -1;    // where the keys have led it; −1: it was not made by them
    enum class Press { None, Token, Span, Track } m_press = Press::None;
    int m_pressX = 0;
    bool m_hasTrack = false;
    StripLayout m_layout;
};

}  // namespace ui
