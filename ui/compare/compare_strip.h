// SPDX-License-Identifier: GPL-3.0-or-later
// The tokens of two runs under one another, position by position, with what differs marked.
#pragma once
#include <QWidget>
#include <array>
#include <optional>
#include <vector>

#include "engine/values/run.h"
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

    void setSides(Side a, Side b);
    void setSelection(std::optional<std::int64_t> dest, std::optional<std::int64_t> src);
    bool differs(std::int64_t position) const;  // or only one has it
    std::int64_t differing() const;             // positions
    QRect tokenRect(int side, std::int64_t position);
    static int lineHeight() { return 25; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  Q_SIGNALS:
    void tokenClicked(engine::Position, bool asSource);  // Ctrl-click: as source

  protected:
    bool event(QEvent*) override;
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void mousePressEvent(QMouseEvent*) override;
    void wheelEvent(QWheelEvent*) override;
    void changeEvent(QEvent*) override;

  private:
    std::int64_t positionAt(QPoint);  // −1: none
    QString visible(int side, std::int64_t position) const;

    std::array<Side, 2> m_sides;
    std::optional<std::int64_t> m_dest, m_src;
    StripLayout m_layout;
};

}  // namespace ui
