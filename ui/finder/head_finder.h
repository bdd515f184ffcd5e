// SPDX-License-Identifier: GPL-3.0-or-later
// The Finder page: every head in a sortable, filtered table, and as points below it.
#pragma once
#include <QWidget>
#include <optional>
#include <vector>

#include "ui/models/finder_model.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;

namespace ui {

class HeadScatter;
class LabelledCombo;

class HeadFinder : public QWidget {
    Q_OBJECT
  public:
    explicit HeadFinder(QWidget* parent = nullptr);

    void setModel(const engine::ModelInfo&);
    void setMetrics(const std::optional<engine::HeadTable>&);
    // [L, H] of the chosen span of tokens, empty until it is known; spanText says which, empty:
    // none is chosen.
    void setSpan(const std::vector<float>& mass, const QString& spanText);
    // positionText: "13 ·to"; targetText: what the attribution is for.
    void setContributions(const std::optional<engine::ContributionTable>&,
                          const QString& positionText, const QString& targetText);
    void setFocusedHead(engine::LayerHead);
    void setPinned(const std::vector<engine::LayerHead>&);

    const FinderModel& model() const { return *m_model; }
    QTableView& table() const { return *m_table; }
    HeadScatter& scatter() const { return *m_scatter; }
    QLineEdit& filter() const { return *m_filter; }
    // The heads that pass, in the table's order.
    std::vector<engine::LayerHead> ranked() const;
    std::size_t rankedByNumber() const;  // how many of these: the rest have none, and come last
    bool isFiltered() const { return m_proxy->isFiltered(); }
    bool isRankKnown() const;  // there are numbers to order by
    int rankColumn() const;    // of the table, 0 by name
    void rankBy(int column);   // the largest first; by name as the model counts
    void rankIn(int column, Qt::SortOrder);
    bool isRankReversed() const;  // not as rankBy(column) has it
    // Of the scatter; a metric that is not offered is left.
    void setAxes(HeadMetric x, HeadMetric y, HeadMetric colour);
    bool isSpanOffered() const { return !m_span.isEmpty(); }
    QString rankText() const;  // what the order is by: "logit attr."

  Q_SIGNALS:
    void headChosen(engine::LayerHead);               // a row, a point: focus it
    void headActivated(engine::LayerHead);            // double click, Enter: look at it
    void headPinToggled(engine::LayerHead);           // Ctrl-click on a row
    void pinsWanted(std::vector<engine::LayerHead>);  // those in the scatter's rectangle
    void filterLeft();                                // Esc in its field
    void rankingChanged();                            // order, filter or values

  protected:
    bool eventFilter(QObject*, QEvent*) override;
    void keyPressEvent(QKeyEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void showEvent(QShowEvent*) override;
    void changeEvent(QEvent*) override;

  private:
    QWidget* buildTable();
    QWidget* buildScatter();
    void refreshTexts();
    void refreshRanking();
    void selectFocused();
    void selectSoon();
    void showFocusedSoon();
    void offerSpan(bool offered);  // as a column, and for the axes
    engine::LayerHead headOf(const QModelIndex&) const;

    FinderModel* m_model = nullptr;
    FinderProxy* m_proxy = nullptr;
    QLineEdit* m_filter = nullptr;
    QLabel *m_where = nullptr, *m_count = nullptr, *m_definition = nullptr, *m_selected = nullptr;
    QTableView* m_table = nullptr;
    HeadScatter* m_scatter = nullptr;
    LabelledCombo *m_x = nullptr, *m_y = nullptr, *m_colour = nullptr;
    QPushButton *m_pin = nullptr, *m_only = nullptr, *m_all = nullptr;
    QString m_unknown, m_position, m_target, m_span;
    bool m_choosing = false;  // the selection is being moved by the program
    bool m_removing = false, m_selectsSoon = false;
    bool m_keepsInView = true;  // the focused head's row, through whatever sorts the table anew
    bool m_showsSoon = false;
};

}  // namespace ui
