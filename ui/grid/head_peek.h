// SPDX-License-Identifier: GPL-3.0-or-later
// A head of the grid that the mouse rests on, larger and with its numbers, beside the grid. It goes
// with the first press, key or scroll, takes no mouse, and asks for its picture only once it is
// wanted.
#pragma once
#include <QTimer>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "engine/values/tile.h"

namespace ui {

class HeadGrid;

class HeadPeek : public QWidget {
    Q_OBJECT
  public:
    static constexpr int picture = 208;  // logical pixels a side
    // ms of rest: until the first, and from one to the next.
    static constexpr int firstRest = 500, nextRest = 120;

    explicit HeadPeek(HeadGrid*);  // lies in the window of the grid

    struct Number {
        QString name, value;
    };
    // Asked of a head when it is shown.
    void setNumbers(std::function<std::vector<Number>(engine::LayerHead)>);
    // Of the head that was wanted, F32; window: keys of its layer's rule. Another's is ignored.
    void setTile(const engine::Tile&, int window);
    void leave();
    std::optional<engine::LayerHead> head() const { return m_asked; }  // shown, or soon
    QString title() const;
    const std::vector<Number>& numbers() const { return m_shownNumbers; }
    QSize sizeHint() const override;

  Q_SIGNALS:
    // Its pattern on axes of at most so many device pixels, pooled by the largest.
    void wanted(engine::LayerHead, int pixels);
    void dropped();  // what was wanted is wanted no longer

  protected:
    bool eventFilter(QObject*, QEvent*) override;
    void paintEvent(QPaintEvent*) override;
    void changeEvent(QEvent*) override;

  private:
    void hover(engine::LayerHead);
    void ask();
    bool place();
    QString note() const;  // what the colours are

    HeadGrid* m_grid;
    QTimer m_rest;  // single shot
    std::optional<engine::LayerHead> m_hovered, m_asked;
    std::optional<engine::Tile> m_tile;
    int m_keys = 0;
    std::function<std::vector<Number>(engine::LayerHead)> m_numbers;
    std::vector<Number> m_shownNumbers;
};

}  // namespace ui
