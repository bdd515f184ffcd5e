// SPDX-License-Identifier: GPL-3.0-or-later
// The prompt and what was generated as text, lines as they are written: coloured by what the
// selected dest attends to (upper half of a token) and by what attends to the selected src (lower
// half), like the strip. It takes the map's place, so that head, quantity, the strongest ends and
// the pins stay where they are. Only the lines in view are painted.
#pragma once
#include <QAbstractScrollArea>
#include <QHash>
#include <optional>
#include <vector>

#include "engine/values/ids.h"
#include "engine/values/run.h"
#include "ui/selection.h"
#include "ui/strip/text_flow.h"

namespace ui {

class TextView : public QAbstractScrollArea {
    Q_OBJECT
  public:
    explicit TextView(QWidget* parent = nullptr);

    void setTokens(std::vector<engine::Token>, std::int64_t promptTokens);
    void appendToken(const engine::Token&);
    void setRows(std::int64_t published);  // tokens from here on have no row yet
    void setSelection(std::optional<engine::Position> dest, std::optional<engine::Position> src);
    void setRow(std::vector<float> p);     // of the selected dest; empty: unknown
    void setColumn(std::vector<float> p);  // of the selected src; empty: unknown
    // In place of one of them while a token is hovered; another token's is ignored.
    void setPreview(engine::Position, bool asSource, std::vector<float> p);
    void forgetPreview();  // of another head: asked for anew
    void setSpan(std::optional<engine::Rows>);
    void setClicksSource(bool source) { m_clicksSource = source; }  // as the strip's direction

    const TextFlow& flow() const { return m_flow; }
    QRect tokenRect(std::int64_t token) const;  // its first piece, in the viewport; may be outside
    std::int64_t tokenAt(QPoint) const;         // viewport; −1: none
    std::int64_t hovered() const { return m_hovered; }
    const std::vector<float>& preview() const { return m_preview; }  // empty: none

  Q_SIGNALS:
    // A token under the mouse, as dest or as src; none: it left.
    void previewWanted(std::optional<engine::Position>, bool asSource);
    void tokenClicked(engine::Position, bool asSource);  // Ctrl turns the direction for one click
    void spanRequested(const std::optional<engine::Rows>& span);  // Shift-click, drag

  protected:
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void showEvent(QShowEvent*) override;
    void changeEvent(QEvent*) override;
    bool viewportEvent(QEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;

  private:
    void relayout();
    void setScrollRange();
    void showToken(std::int64_t token);
    void setHovered(std::int64_t token, bool asSource);
    void paintPiece(QPainter&, std::size_t at, int top) const;
    QString toolTipOf(std::int64_t token) const;
    QString label(std::int64_t token) const;  // "13 ·to"
    // p of the selected or hovered dest on a token, and of it on the selected or hovered src.
    float attended(std::int64_t token) const;
    float attends(std::int64_t token) const;
    static int lineHeight();
    int textWidth() const;

    std::vector<engine::Token> m_tokens;
    std::int64_t m_prompt = 0, m_rows = 0;
    std::optional<engine::Position> m_dest, m_src;
    std::vector<float> m_row, m_column, m_preview;
    std::optional<engine::Rows> m_span;
    QHash<QString, int> m_widths;  // a prompt says most of its tokens more than once
    TextFlow m_flow;
    std::int64_t m_hovered = -1, m_pressed = -1;
    bool m_hoversSource = false, m_clicksSource = false, m_dragged = false;
};

}  // namespace ui
