// SPDX-License-Identifier: GPL-3.0-or-later
// The tokens of two runs under one another, place by place, with what differs marked.
#pragma once
#include <QWidget>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "engine/values/run.h"
#include "ui/models/run_alignment.h"
#include "ui/selection.h"
#include "ui/strip/strip_layout.h"

namespace ui {

class CompareStrip : public QWidget {
    Q_OBJECT
  public:
    struct Side {
        std::vector<engine::Token> tokens;
        std::int64_t promptTokens = 0, rows = 0;
    };
    explicit CompareStrip(QWidget* parent = nullptr);

    // Places are the alignment's; null: positions.
    void setSides(Side a, Side b, std::shared_ptr<const RunAlignment> = {});
    void setSelection(std::optional<std::int64_t> dest, std::optional<std::int64_t> src);
    bool differs(std::int64_t place) const;  // or only one has it
    std::int64_t differing() const;          // places
    QRect tokenRect(int side, std::int64_t place);
    static int lineHeight() { return 25; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  Q_SIGNALS:
    void tokenClicked(engine::Position place, bool asSource);  // Ctrl-click: as source

  protected:
    bool event(QEvent*) override;
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void wheelEvent(QWheelEvent*) override;
    void changeEvent(QEvent*) override;

  private:
    std::int64_t placeAt(QPoint);                                 // −1: none
    std::int64_t positionAt(int side, std::int64_t place) const;  // none: RunAlignment::none
    QString numberOf(std::int64_t place) const;
    QString visible(int side, std::int64_t place) const;

    std::array<Side, 2> m_sides;
    std::shared_ptr<const RunAlignment> m_alignment;
    std::optional<std::int64_t> m_dest, m_src;
    StripLayout m_layout;
};

}  // namespace ui
