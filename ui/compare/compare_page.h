// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare page: two runs, their maps of the focused head beside the difference,
// and every head by how far it moved.
#pragma once
#include <QWidget>
#include <optional>
#include <vector>

#include "ui/compare/compare_maps.h"
#include "ui/models/change_model.h"

class QComboBox;
class QLabel;
class QSortFilterProxyModel;
class QStackedLayout;
class QTableView;

namespace ui {

class CompareStrip;
class HeadBar;

// A run that can be chosen.
struct CompareRun {
    engine::RunId id{};
    QString name, origin;  // "B", "fork of A at 3"
    QString prompt = {};   // of an earlier prompt, how it begins
    bool operator==(const CompareRun&) const = default;
};

class ComparePage : public QWidget {
    Q_OBJECT
  public:
    explicit ComparePage(QWidget* parent = nullptr);

    void setModel(const engine::ModelInfo&);
    void setRuns(const std::vector<CompareRun>&);
    void setSides(const CompareSide& a, const CompareSide& b,
                  const std::shared_ptr<const RunAlignment>& = {});  // null: by position
    void clear();  // fewer than two runs: says how to get them
    void setSelection(const Selection&);
    void clearSelection();
    void setChanges(const std::optional<ChangeTable>&, bool pending);
    bool isEmpty() const;
    // What it scrolls below: no label that wraps makes it taller.
    int heightForWidth(int) const override { return minimumSizeHint().height(); }

    HeadBar& headBar() const { return *m_bar; }
    CompareMaps& maps() const { return *m_maps; }
    CompareStrip& strip() const { return *m_strip; }
    QTableView& table() const { return *m_table; }
    const ChangeModel& model() const { return *m_model; }
    QComboBox& picker(CompareMaps::Panel) const;
    QString note() const;  // "1 of 14 tokens differs"
    // In the table's order; none where no head moved, or it is not known.
    std::vector<engine::LayerHead> ranked() const;
    bool hasMoved() const { return m_model->movedHeads() > 0; }
    QString rankText() const;  // what the order is by: "moved"

  Q_SIGNALS:
    void pairChosen(int a, int b);  // their places in setRuns()
    void headChosen(engine::LayerHead);
    void headActivated(engine::LayerHead);  // double click, Enter: look at it alone
    void rankingChanged();

  protected:
    void changeEvent(QEvent*) override;
    void resizeEvent(QResizeEvent*) override;

  private:
    QWidget* buildTop();
    QWidget* buildTable();
    void refreshTexts();
    QString alignmentNote(const CompareSide& a, const CompareSide& b) const;
    std::optional<MapCell> placeOf(const Selection&) const;
    QString labelOf(std::int64_t place) const;  // "13 ·to"

    QStackedLayout* m_pages = nullptr;
    QWidget* m_filled = nullptr;
    QLabel *m_empty = nullptr, *m_note = nullptr, *m_definition = nullptr;
    QComboBox *m_a = nullptr, *m_b = nullptr;
    CompareStrip* m_strip = nullptr;
    HeadBar* m_bar = nullptr;
    CompareMaps* m_maps = nullptr;
    ChangeModel* m_model = nullptr;
    QSortFilterProxyModel* m_proxy = nullptr;
    QTableView* m_table = nullptr;
    std::vector<CompareRun> m_runs;
    std::vector<engine::AttentionRule> m_rules;
    std::array<engine::RunId, 2> m_ids{};
    std::array<std::vector<engine::Token>, 2> m_tokens;
    std::shared_ptr<const RunAlignment> m_alignment;
    bool m_choosing = false, m_pending = false;
};

}  // namespace ui
