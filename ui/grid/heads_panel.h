// SPDX-License-Identifier: GPL-3.0-or-later
// The content of the Heads dock: what the heads are ranked by, above their grid.
#pragma once
#include <QWidget>

#include "ui/models/finder_model.h"

namespace ui {

class HeadGrid;
class LabelledCombo;

class HeadsPanel : public QWidget {
    Q_OBJECT
  public:
    explicit HeadsPanel(QWidget* parent = nullptr);
    HeadGrid& grid() const { return *m_grid; }
    LabelledCombo& rankBy() const { return *m_rankBy; }

    // The finder's column that orders the heads, 0 by name.
    void setColumn(int column);
    void setRankedElsewhere(const QString& by);  // by what another page says; the choice rests
    void setSpanOffered(bool);                   // a span of tokens is chosen

  Q_SIGNALS:
    void columnChosen(int column);

  private:
    HeadGrid* m_grid = nullptr;
    LabelledCombo* m_rankBy = nullptr;
};

}  // namespace ui
