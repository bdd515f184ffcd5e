// SPDX-License-Identifier: GPL-3.0-or-later
// The strongest partners of the selected row and column: what the dest attends to, and what attends
// to the src, by p whatever quantity the map shows. Own painting; a click selects the other end.
#pragma once
#include <QWidget>
#include <vector>

#include "engine/values/ids.h"
#include "ui/selection.h"

namespace ui {

class TopEnds : public QWidget {
    Q_OBJECT
  public:
    static constexpr int shown = 5;  // each way
    struct End {
        engine::Position position{};
        QString label;  // "9 ·John", literal
        float p = 0;
    };

    explicit TopEnds(QWidget* parent = nullptr);
    void clear();
    // By falling p, at most `shown`; label is the selected end's own.
    void setRow(const QString& label, std::vector<End>);     // sources of the dest
    void setColumn(const QString& label, std::vector<End>);  // dests that see the src
    const std::vector<End>& row() const { return m_row.ends; }
    const std::vector<End>& column() const { return m_column.ends; }
    QRect lineRect(bool ofRow, int index) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

  Q_SIGNALS:
    void sourceChosen(engine::Position);
    void destChosen(engine::Position);

  protected:
    bool event(QEvent*) override;
    void paintEvent(QPaintEvent*) override;
    void mouseMoveEvent(QMouseEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void leaveEvent(QEvent*) override;
    void changeEvent(QEvent*) override;

  private:
    struct List {
        QString label;
        std::vector<End> ends;
    };
    void paintList(QPainter&, const List&, bool ofRow) const;
    const End* endAt(QPoint, bool& ofRow) const;
    void refreshDescription();

    List m_row, m_column;
    QPoint m_mouse{-1, -1};
};

// The `count` largest of p, by falling p; positions that are 0 are left out.
std::vector<std::pair<std::int64_t, float>> largestOf(const std::vector<float>& p, int count);

}  // namespace ui
