// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/compare_page.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/compare/change_table_view.h"
#include "ui/compare/compare_strip.h"
#include "ui/heatmap/head_bar.h"
#include "ui/painting/theme.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/plain_text.h"

namespace ui {

ComparePage::ComparePage(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Compare"));
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    m_model = new ChangeModel(this);
    m_proxy = new QSortFilterProxyModel(this);
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(ChangeModel::SortRole);
    m_proxy->setDynamicSortFilter(true);
    m_model->setLabels([this](std::int64_t place) { return labelOf(place); });

    m_empty = plainLabel(
        tr("Two runs side by side\n\nGenerate some tokens, then click another token in Steps: it "
           "makes a second run that goes on from there. Or run another prompt: the one before it "
           "stays. Their maps, the difference between them and the heads that moved most stand "
           "here.\n\nCtrl+1 goes back to the map."));
    m_empty->setWordWrap(true);
    m_empty->setMargin(32);
    m_empty->setAlignment(Qt::AlignVCenter | Qt::AlignLeft);
    m_empty->setForegroundRole(QPalette::PlaceholderText);

    m_filled = new QWidget;
    m_bar = new HeadBar;
    m_maps = new CompareMaps;
    auto* upper = new QWidget;
    auto* inUpper = new QVBoxLayout(upper);
    inUpper->setContentsMargins(2, 0, 0, 0);
    inUpper->setSpacing(0);
    inUpper->addWidget(m_bar);
    inUpper->addWidget(m_maps, 1);
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(upper);
    split->addWidget(buildTable());
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setChildrenCollapsible(false);
    auto* column = new QVBoxLayout(m_filled);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildTop());
    column->addWidget(split, 1);
    m_pages = new QStackedLayout(this);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(m_filled);
    connect(m_proxy, &QAbstractItemModel::modelReset, this, &ComparePage::rankingChanged);
    connect(m_proxy, &QAbstractItemModel::layoutChanged, this, &ComparePage::rankingChanged);
    connect(m_proxy, &QAbstractItemModel::dataChanged, this, &ComparePage::rankingChanged);
    refreshTexts();
}

QWidget* ComparePage::buildTop() {
    auto* box = new QWidget;
    auto* grid = new QGridLayout(box);
    grid->setContentsMargins(8, 8, 8, 6);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(CompareStrip::lineHeight() - 21);
    m_a = new QComboBox;
    m_b = new QComboBox;
    m_a->setAccessibleName(tr("First run, subtracted"));
    m_b->setAccessibleName(tr("Second run"));
    m_a->setToolTip(tr("The run that is subtracted"));
    m_b->setToolTip(tr("The run that it is subtracted from"));
    for (QComboBox* combo : {m_a, m_b}) {
        combo->setFont(wordFont(11));
        combo->setFixedSize(104, 21);
        connect(combo, &QComboBox::activated, this,
                [this] { Q_EMIT pairChosen(m_a->currentIndex(), m_b->currentIndex()); });
    }
    m_strip = new CompareStrip;
    m_note = plainLabel({});
    m_note->setFont(wordFont(10));
    m_note->setForegroundRole(QPalette::PlaceholderText);
    m_note->setWordWrap(true);
    m_note->setFixedWidth(104);
    m_note->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    grid->addWidget(m_a, 0, 0, Qt::AlignTop);
    grid->addWidget(m_b, 1, 0, Qt::AlignTop);
    grid->addWidget(m_strip, 0, 1, 3, 1);
    grid->addWidget(m_note, 0, 2, 3, 1);
    grid->setColumnStretch(1, 1);
    grid->setRowStretch(2, 1);
    box->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    return box;
}

QWidget* ComparePage::buildTable() {
    m_table = makeChangeTable(*m_model, *m_proxy);
    connect(m_table->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, [this] {
        refreshTexts();
        Q_EMIT rankingChanged();
    });
    const auto headOf = [this](const QModelIndex& at) {
        return m_model->headAt(m_proxy->mapToSource(at).row());
    };
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, headOf](const QModelIndex& now) {
                if (now.isValid() && !m_choosing) Q_EMIT headChosen(headOf(now));
            });
    connect(m_table, &QTableView::activated, this,
            [this, headOf](const QModelIndex& at) { Q_EMIT headActivated(headOf(at)); });
    m_definition = new ElidedLabel(wordFont(11));
    m_definition->setMargin(6);
    m_definition->setForegroundRole(QPalette::PlaceholderText);
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_table, 1);
    column->addWidget(m_definition);
    return box;
}

void ComparePage::setModel(const engine::ModelInfo& model) {
    m_rules = model.attention;
    m_bar->setModel(model);
    m_model->setModel(model);
    clear();
}

void ComparePage::setRuns(const std::vector<CompareRun>& runs) {
    if (runs == m_runs) return;  // a list that is open stays
    m_runs = runs;
    for (QComboBox* combo : {m_a, m_b}) {
        const QSignalBlocker blocker(combo);
        combo->clear();
        for (const CompareRun& run : runs) {
            combo->addItem(run.prompt.isEmpty() ? tr("Run %1").arg(run.name)
                                                : tr("Run %1 · %2").arg(run.name, run.prompt));
            combo->setItemData(combo->count() - 1, literalToolTip(run.origin), Qt::ToolTipRole);
        }
        combo->view()->setMinimumWidth(combo->view()->sizeHintForColumn(0) + 24);
    }
}

void ComparePage::setSides(const CompareSide& a, const CompareSide& b,
                           const std::shared_ptr<const RunAlignment>& alignment) {
    const auto choose = [this](QComboBox* combo, engine::RunId id) {
        const QSignalBlocker blocker(combo);
        for (std::size_t i = 0; i < m_runs.size(); ++i)
            if (m_runs[i].id == id) combo->setCurrentIndex(static_cast<int>(i));
    };
    choose(m_a, a.id);
    choose(m_b, b.id);
    m_ids = {a.id, b.id};
    m_tokens = {a.tokens, b.tokens};
    m_alignment = alignment;
    m_strip->setSides({a.tokens, a.promptTokens, a.rows}, {b.tokens, b.promptTokens, b.rows},
                      alignment);
    m_maps->setSides(a, b, alignment);
    m_note->setText(alignmentNote(a, b));
    m_note->setToolTip(
        alignment ? tr("By the fewest changes that make one run's tokens of the other's: the same "
                       "tokens stand for one another, and a token that is put in another's place "
                       "for that, with a ≠ at its index. What only one run has stands alone, and "
                       "has no difference. Indices are of both runs where they are not the same.")
                  : tr("Position by position: row 9 less row 9, source 3 less source 3. Where the "
                       "tokens are not the same the index has a ≠, and the difference a mark at "
                       "its edges."));
    m_pages->setCurrentWidget(m_filled);
}

// What the difference stands on: which places both have, and where their tokens are not the same.
QString ComparePage::alignmentNote(const CompareSide& a, const CompareSide& b) const {
    const std::int64_t inA = std::ssize(a.tokens), inB = std::ssize(b.tokens);
    const std::int64_t both = m_alignment ? m_alignment->countBoth() : std::min(inA, inB);
    const std::int64_t differing = m_strip->differing() - (inA - both) - (inB - both);
    if (m_alignment && m_alignment->isCut())
        return tr("too different: only %1 tokens at begin and end are aligned")
            .arg(thousands(both));
    const QString how = m_alignment ? tr("by token") : tr("by position");
    QString note =
        differing == 0
            ? m_alignment ? tr("aligned %1, %2 the same").arg(how, thousands(both))
                          : tr("aligned %1, the same tokens").arg(how)
            : tr("aligned %1, %2 of %3 differ").arg(how, thousands(differing), thousands(both));
    for (const auto& [side, single] : {std::pair(&a, inA - both), std::pair(&b, inB - both)})
        if (single > 0) note += tr("; %1 only in %2").arg(thousands(single), side->name);
    return note;
}

std::optional<MapCell> ComparePage::placeOf(const Selection& selection) const {
    const std::int64_t dest = engine::to_int(selection.dest), src = engine::to_int(selection.src);
    if (!m_alignment) return MapCell{dest, src};
    for (const int side : {0, 1})
        if (m_ids[static_cast<std::size_t>(side)] == selection.run) {
            const MapCell cell{m_alignment->placeOf(side, dest), m_alignment->placeOf(side, src)};
            if (cell.dest != RunAlignment::none && cell.src != RunAlignment::none) return cell;
        }
    return std::nullopt;
}

QString ComparePage::labelOf(std::int64_t place) const {
    QString label = m_maps->numberOf(place);
    for (const int side : {1, 0}) {
        const std::int64_t at = m_alignment ? m_alignment->positionAt(side, place) : place;
        const auto& tokens = m_tokens[static_cast<std::size_t>(side)];
        if (at >= 0 && at < std::ssize(tokens))
            return label + u' ' + visibleToken(tokens[static_cast<std::size_t>(at)].bytes);
    }
    return label;
}

void ComparePage::clear() {
    m_runs.clear();
    m_ids = {};
    m_tokens = {};
    m_alignment.reset();
    m_model->setChanges({});
    m_maps->setSides({}, {});
    m_pages->setCurrentWidget(m_empty);
    Q_EMIT rankingChanged();
}

bool ComparePage::isEmpty() const {
    return m_pages->currentWidget() == m_empty;
}

QString ComparePage::note() const {
    return m_note->text();
}

QComboBox& ComparePage::picker(CompareMaps::Panel panel) const {
    return panel == CompareMaps::A ? *m_a : *m_b;
}

void ComparePage::setSelection(const Selection& selection) {
    m_bar->setHead(selection.at);
    const auto layer = static_cast<std::size_t>(engine::to_int(selection.at.layer));
    m_maps->setHead(selection.at, layer < m_rules.size() ? m_rules[layer].window : 0);
    if (const auto cell = placeOf(selection)) {
        m_maps->setSelection(*cell, selection.locked);
        m_strip->setSelection(cell->dest, cell->src);
        m_model->setRow(cell->dest, m_maps->numberOf(cell->dest));
    } else {
        clearSelection();
    }
    m_model->setFocused(selection.at);
    const QModelIndex row = m_proxy->mapFromSource(m_model->index(m_model->rowOf(selection.at), 0));
    const QScopedValueRollback choosing(m_choosing, true);
    if (row.isValid() && m_table->currentIndex().row() != row.row()) m_table->setCurrentIndex(row);
    refreshTexts();
}

void ComparePage::clearSelection() {
    m_maps->clearSelection();
    m_strip->setSelection({}, {});
    m_model->setRow({}, {});
}

void ComparePage::setChanges(const std::optional<ChangeTable>& changes, bool pending) {
    m_pending = pending;
    const bool first = changes && !m_model->changes();
    m_model->setChanges(changes);
    if (first) m_table->scrollToTop();  // what moved most
    refreshTexts();
    Q_EMIT rankingChanged();
}

std::vector<engine::LayerHead> ComparePage::ranked() const {
    std::vector<engine::LayerHead> heads;
    if (!hasMoved()) return heads;
    const auto column = static_cast<ChangeModel::Column>(std::max(0, m_proxy->sortColumn()));
    for (int row = 0; row < m_proxy->rowCount(); ++row) {
        const int head = m_proxy->mapToSource(m_proxy->index(row, 0)).row();
        const bool isNumber = column == ChangeModel::Moved || column == ChangeModel::RowMoved ||
                              column == ChangeModel::LargestChange;
        // Heads that did not move have no place among those that did.
        const auto value = m_model->value(head, isNumber ? column : ChangeModel::Moved);
        if (value && *value != 0) heads.push_back(m_model->headAt(head));
    }
    return heads;
}

QString ComparePage::rankText() const {
    return m_model->headerData(m_proxy->sortColumn(), Qt::Horizontal, Qt::DisplayRole).toString();
}

void ComparePage::refreshTexts() {
    const auto column = static_cast<ChangeModel::Column>(std::max(0, m_proxy->sortColumn()));
    QString text;
    if (m_model->changes() && !hasMoved())
        text = m_model->changes()->byToken && m_model->changes()->rows.count() > 0
                   ? tr("No difference: no head moved in the rows that both runs have.")
                   : tr("No difference: what both runs have is the same.");
    else if (!m_model->changes())
        text = m_pending ? tr("Comparing every head…")
                         : tr("Every head is compared once the run rests.");
    else if (!m_model->definition(column).isEmpty())
        text = rankText() + QStringLiteral(": ") + m_model->definition(column);
    m_definition->setText(text);
}

// A low page leaves the maps their room.
void ComparePage::resizeEvent(QResizeEvent*) {
    constexpr int roomy = 480;
    setLeastRows(*m_table, height() >= roomy ? 4 : 3);
}

void ComparePage::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && m_table) m_table->viewport()->update();
    QWidget::changeEvent(event);
}

}  // namespace ui
