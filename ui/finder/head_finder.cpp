// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/finder/head_finder.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QSplitter>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/finder/finder_delegate.h"
#include "ui/finder/head_scatter.h"
#include "ui/painting/theme.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/labelled_combo.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int rowHeight = 19, headWidth = 80;
constexpr HeadMetric firstX = HeadMetric::Sink, firstColour = HeadMetric::Entropy;  // of the points

QString spanHint() {
    return QStringLiteral(
        "span: drag over tokens in the strip of the Head page, or click one and Shift-click "
        "another, to choose it");
}

}  // namespace

HeadFinder::HeadFinder(QWidget* parent) : QWidget(parent) {
    setAccessibleName(QStringLiteral("Finder"));
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    m_model = new FinderModel(this);
    m_proxy = new FinderProxy(*m_model, this);
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(buildTable());
    split->addWidget(buildScatter());
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setChildrenCollapsible(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(split);
    connect(m_proxy, &QAbstractItemModel::layoutChanged, this, &HeadFinder::refreshRanking);
    connect(m_proxy, &QAbstractItemModel::modelReset, this, &HeadFinder::refreshRanking);
    connect(m_proxy, &QAbstractItemModel::rowsInserted, this, &HeadFinder::refreshRanking);
    connect(m_proxy, &QAbstractItemModel::rowsRemoved, this, &HeadFinder::refreshRanking);
    connect(m_proxy, &QAbstractItemModel::dataChanged, this, &HeadFinder::refreshRanking);
    refreshTexts();
}

QWidget* HeadFinder::buildTable() {
    m_filter = new QLineEdit;
    m_filter->setObjectName(QStringLiteral("finderFilter"));
    m_filter->setAccessibleName(QStringLiteral("Filter heads"));
    m_filter->setPlaceholderText(QStringLiteral("Filter, e.g. induction > 0.05 L23"));
    m_filter->setToolTip(
        QStringLiteral("Terms that all hold: entropy, sink, max, distance, previous, duplicate, "
                       "induction, span, write or attr with < or >, and L12, H3 or L12.H3. Of attr "
                       "the magnitude counts."));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMaximumWidth(300);
    m_where = new ElidedLabel(m_filter->font());
    m_count = plainLabel({});
    auto* row = new QHBoxLayout;
    row->setContentsMargins(8, 6, 8, 6);
    row->addWidget(m_filter, 2);
    row->addWidget(m_where, 1);
    row->addWidget(m_count);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_unknown = m_proxy->setFilter(text);
        refreshTexts();
        refreshRanking();
    });

    connect(m_filter, &QLineEdit::returnPressed, this, [this] {
        if (m_proxy->rowCount() == 0) return;  // what is typed is still to be changed
        m_table->setFocus();
        if (!m_table->currentIndex().isValid()) m_table->setCurrentIndex(m_proxy->index(0, 0));
    });

    m_table = new QTableView;
    m_table->setAccessibleName(QStringLiteral("Heads by metric"));
    // Rows that a filter or a new value takes away choose no head: what follows from a choice
    // changes the model, which is in the middle of taking them away. Connected before the table, so
    // told before it.
    connect(m_proxy, &QAbstractItemModel::rowsAboutToBeRemoved, this,
            [this] { m_removing = true; });
    m_table->setModel(m_proxy);
    connect(m_proxy, &QAbstractItemModel::rowsRemoved, this, [this] {
        m_removing = false;
        selectSoon();
    });
    connect(m_proxy, &QAbstractItemModel::rowsInserted, this, &HeadFinder::selectSoon);
    m_table->setItemDelegate(new FinderDelegate(*m_model, m_table));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTabKeyNavigation(false);
    m_table->setWordWrap(false);
    m_table->setSortingEnabled(true);
    m_table->viewport()->installEventFilter(this);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(rowHeight);
    m_table->verticalHeader()->setMinimumSectionSize(rowHeight);
    m_table->verticalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_table->verticalHeader()->setFont(monoFont(10));
    QHeaderView* header = m_table->horizontalHeader();
    header->setFont(wordFont(11));
    header->setHighlightSections(false);
    header->setMinimumSectionSize(54);         // eleven at 1280 × 800
    header->setTextElideMode(Qt::ElideRight);  // beside the sort's arrow
    for (int i = 0; i < FinderModel::columns; ++i)
        header->setSectionResizeMode(i, i == 0 ? QHeaderView::Fixed : QHeaderView::Stretch);
    header->resizeSection(0, headWidth);
    m_table->sortByColumn(columnOf(bestMetric), Qt::DescendingOrder);
    // Whoever scrolls, sorts or filters looks for others than the focused head.
    const auto looksElsewhere = [this] { m_keepsInView = false; };
    connect(m_table->verticalScrollBar(), &QScrollBar::actionTriggered, this, looksElsewhere);
    connect(header, &QHeaderView::sectionClicked, this, looksElsewhere);
    connect(m_filter, &QLineEdit::textEdited, this, looksElsewhere);
    connect(header, &QHeaderView::sortIndicatorChanged, this, [this] {
        refreshTexts();
        refreshRanking();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) {
                if (now.isValid() && !m_choosing && !m_removing) Q_EMIT headChosen(headOf(now));
            });
    connect(m_table, &QTableView::activated, this,
            [this](const QModelIndex& at) { Q_EMIT headActivated(headOf(at)); });

    m_definition = plainLabel({});
    m_definition->setFont(wordFont(11));
    m_definition->setMargin(6);
    m_definition->setWordWrap(true);
    m_definition->setForegroundRole(QPalette::PlaceholderText);
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(m_table, 1);
    column->addWidget(m_definition);
    return box;
}

QWidget* HeadFinder::buildScatter() {
    m_scatter = new HeadScatter(*m_model);
    m_x = new LabelledCombo(QStringLiteral("x"));
    m_y = new LabelledCombo(QStringLiteral("y"));
    m_colour = new LabelledCombo(QStringLiteral("colour"));
    for (LabelledCombo* combo : {m_x, m_y, m_colour}) {
        for (int i = 0; i < headMetrics; ++i) combo->addItem(infoOf(HeadMetric(i)).name);
        connect(combo, &QComboBox::currentIndexChanged, this, [this] {
            m_scatter->setMetrics(HeadMetric(m_x->currentIndex()), HeadMetric(m_y->currentIndex()),
                                  HeadMetric(m_colour->currentIndex()));
        });
    }
    m_x->setCurrentIndex(static_cast<int>(firstX));
    m_y->setCurrentIndex(static_cast<int>(bestMetric));
    m_colour->setCurrentIndex(static_cast<int>(firstColour));
    offerSpan(false);
    m_selected = plainLabel({});
    m_selected->setWordWrap(true);
    m_selected->setFont(wordFont(11));
    m_pin = new QPushButton(QStringLiteral("Pin these"));
    m_only = new QPushButton(QStringLiteral("Show only these"));
    m_all = new QPushButton(QStringLiteral("Show all"));
    auto* side = new QVBoxLayout;
    for (LabelledCombo* combo : {m_x, m_y, m_colour}) side->addWidget(combo);
    side->addSpacing(8);
    side->addWidget(m_selected);
    side->addWidget(m_pin);
    side->addWidget(m_only);
    side->addWidget(m_all);
    side->addStretch(1);
    auto* box = new QWidget;
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(8, 4, 8, 8);
    row->addWidget(m_scatter, 1);
    auto* column = new QWidget;
    column->setFixedWidth(170);
    side->setContentsMargins(0, 0, 0, 0);
    column->setLayout(side);
    row->addWidget(column);
    connect(m_scatter, &HeadScatter::headActivated, this, &HeadFinder::headChosen);
    connect(m_scatter, &HeadScatter::headsSelected, this, &HeadFinder::refreshTexts);
    connect(m_pin, &QPushButton::clicked, this,
            [this] { Q_EMIT pinsWanted(m_scatter->selected()); });
    connect(m_only, &QPushButton::clicked, this, [this] {
        m_proxy->setOnly(m_scatter->selected());
        refreshTexts();
        refreshRanking();
    });
    connect(m_all, &QPushButton::clicked, this, [this] {
        m_proxy->setOnly({});
        m_scatter->setSelected({});
        m_filter->clear();
        refreshTexts();
        refreshRanking();
    });
    return box;
}

void HeadFinder::setModel(const engine::ModelInfo& model) {
    m_keepsInView = true;
    m_proxy->setOnly({});
    m_scatter->setSelected({});
    m_model->setModel(model);
    m_scatter->refresh();
    refreshTexts();
}

void HeadFinder::setMetrics(const std::optional<engine::HeadTable>& table) {
    m_model->setMetrics(table);
    if (isVisible()) m_scatter->refresh();
}

void HeadFinder::offerSpan(bool offered) {
    constexpr int span = static_cast<int>(HeadMetric::Span);
    m_table->setColumnHidden(columnOf(HeadMetric::Span), !offered);
    if (!offered && m_proxy->sortColumn() == columnOf(HeadMetric::Span))
        m_table->sortByColumn(columnOf(bestMetric), Qt::DescendingOrder);
    for (const auto& [combo, instead] :
         {std::pair{m_x, firstX}, {m_y, bestMetric}, {m_colour, firstColour}}) {
        qobject_cast<QStandardItemModel*>(combo->model())->item(span)->setEnabled(offered);
        combo->setItemData(span, offered ? QVariant() : literalToolTip(spanHint()),
                           Qt::ToolTipRole);
        if (!offered && combo->currentIndex() == span)
            combo->setCurrentIndex(static_cast<int>(instead));
    }
}

void HeadFinder::setSpan(const std::vector<float>& mass, const QString& spanText) {
    if (m_span.isEmpty() != spanText.isEmpty()) offerSpan(!spanText.isEmpty());
    m_span = spanText;
    m_model->setSpan(mass);
    if (isVisible()) m_scatter->refresh();
    refreshTexts();
}

void HeadFinder::setContributions(const std::optional<engine::ContributionTable>& table,
                                  const QString& positionText, const QString& targetText) {
    m_position = positionText;
    m_target = targetText;
    m_model->setContributions(table);
    if (isVisible()) m_scatter->refresh();
    refreshTexts();
}

void HeadFinder::setFocusedHead(engine::LayerHead at) {
    if (m_model->focused() != at) m_keepsInView = true;
    m_model->setFocused(at);
    selectFocused();
    if (isVisible()) m_scatter->refresh();
}

void HeadFinder::selectFocused() {
    QModelIndex row;
    if (const auto at = m_model->focused())
        row = m_proxy->mapFromSource(m_model->index(m_model->rowOf(*at), 0));
    const QScopedValueRollback choosing(m_choosing, true);
    if (row.isValid()) {
        m_table->setCurrentIndex(row);
    } else {
        m_table->setCurrentIndex({});
        m_table->clearSelection();
    }
}

// The table has moved on to a neighbour, or shows the focused head again: selected when the
// filtering is over.
void HeadFinder::selectSoon() {
    if (std::exchange(m_selectsSoon, true)) return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_selectsSoon = false;
            selectFocused();
        },
        Qt::QueuedConnection);
}

void HeadFinder::setPinned(const std::vector<engine::LayerHead>& heads) {
    m_model->setPinned(heads);
}

// Ctrl-click pins, as in the grid; the row in focus stays.
bool HeadFinder::eventFilter(QObject* watched, QEvent* event) {
    const bool press = event->type() == QEvent::MouseButtonPress;
    if (press || event->type() == QEvent::MouseButtonDblClick) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const QModelIndex row = m_table->indexAt(mouse->position().toPoint());
        if (mouse->button() == Qt::LeftButton && (mouse->modifiers() & Qt::ControlModifier) &&
            row.isValid()) {
            Q_EMIT headPinToggled(headOf(row));
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void HeadFinder::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && m_filter->hasFocus()) {
        Q_EMIT filterLeft();
    } else {
        QWidget::keyPressEvent(event);
    }
}

engine::LayerHead HeadFinder::headOf(const QModelIndex& at) const {
    return m_model->headAt(m_proxy->mapToSource(at).row());
}

std::vector<engine::LayerHead> HeadFinder::ranked() const {
    std::vector<engine::LayerHead> heads;
    for (int row = 0; row < m_proxy->rowCount(); ++row)
        heads.push_back(headOf(m_proxy->index(row, 0)));
    return heads;
}

std::size_t HeadFinder::rankedByNumber() const {
    const std::vector<engine::LayerHead> heads = ranked();
    if (!isRankKnown()) return heads.size();
    const HeadMetric metric = HeadMetric(m_proxy->sortColumn() - 1);
    return static_cast<std::size_t>(
        std::count_if(heads.begin(), heads.end(), [&](engine::LayerHead at) {
            return m_model->value(m_model->rowOf(at), metric).has_value();
        }));
}

bool HeadFinder::isRankKnown() const {
    const int column = m_proxy->sortColumn();
    return column > 0 && m_model->isKnown(HeadMetric(column - 1));
}

int HeadFinder::rankColumn() const {
    return m_proxy->sortColumn();
}

void HeadFinder::rankBy(int column) {
    if (m_table->isColumnHidden(column)) return;
    m_keepsInView = false;  // the first by it are wanted
    m_table->sortByColumn(column, column > 0 ? Qt::DescendingOrder : Qt::AscendingOrder);
}

void HeadFinder::rankIn(int column, Qt::SortOrder order) {
    m_keepsInView = true;
    if (!m_table->isColumnHidden(column)) m_table->sortByColumn(column, order);
}

bool HeadFinder::isRankReversed() const {
    return m_proxy->sortOrder() !=
           (m_proxy->sortColumn() > 0 ? Qt::DescendingOrder : Qt::AscendingOrder);
}

void HeadFinder::setAxes(HeadMetric x, HeadMetric y, HeadMetric colour) {
    for (const auto& [combo, metric] : {std::pair{m_x, x}, {m_y, y}, {m_colour, colour}})
        if (metric != HeadMetric::Span || isSpanOffered())
            combo->setCurrentIndex(static_cast<int>(metric));
}

QString HeadFinder::rankText() const {
    const int column = m_proxy->sortColumn();
    return column <= 0 ? QString() : infoOf(HeadMetric(column - 1)).name;
}

// New numbers sort the table anew and move the row away from where it was scrolled to; a table
// that was not laid out has not scrolled at all.
void HeadFinder::showFocusedSoon() {
    if (!m_keepsInView || std::exchange(m_showsSoon, true)) return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_showsSoon = false;
            const QModelIndex row = m_table->currentIndex();
            if (m_keepsInView && row.isValid()) m_table->scrollTo(row);
        },
        Qt::QueuedConnection);
}

void HeadFinder::refreshRanking() {
    showFocusedSoon();
    if (m_scatter) m_scatter->setPassing(isFiltered() ? std::optional(ranked()) : std::nullopt);
    Q_EMIT rankingChanged();
}

void HeadFinder::refreshTexts() {
    const int shown = m_proxy->rowCount(), all = m_model->heads();
    m_count->setText(shown == all
                         ? QStringLiteral("%1 heads").arg(thousands(all))
                         : QStringLiteral("%1 of %2 heads").arg(thousands(shown), thousands(all)));
    m_where->setText(
        m_position.isEmpty()
            ? QString()
            : QStringLiteral("‖write‖ and logit attr. at  %1  for  %2").arg(m_position, m_target));
    const int column = m_proxy->sortColumn();
    QString text = column <= 0 ? QString()
                               : infoOf(HeadMetric(column - 1)).name + QStringLiteral("  ") +
                                     infoOf(HeadMetric(column - 1)).definition;
    if (column == columnOf(HeadMetric::Span))
        text = m_span + QStringLiteral(
                            "  p summed over its sources, mean over the rows from its first token "
                            "on");
    else if (!m_span.isEmpty())
        text += (text.isEmpty() ? QString() : QStringLiteral("  ·  ")) + m_span;
    if (m_span.isEmpty() && m_proxy->filtersBy(HeadMetric::Span)) text = spanHint();
    if (!m_unknown.isEmpty())
        text = QStringLiteral("Not understood in the filter: %1").arg(m_unknown);
    m_definition->setText(text);
    // What is wrong is no remark.
    m_definition->setForegroundRole(m_unknown.isEmpty() ? QPalette::PlaceholderText
                                                        : QPalette::Text);
    QPalette colours = palette();
    if (!m_unknown.isEmpty()) colours.setColor(QPalette::Text, theme().error);
    if (m_definition->palette() != colours) m_definition->setPalette(colours);
    if (!m_selected) return;
    const auto marked = m_scatter->selected().size();
    m_selected->setText(marked == 0 ? QStringLiteral("Drag to select heads.")
                                    : QStringLiteral("%1 heads in the rectangle").arg(marked));
    m_pin->setEnabled(marked > 0);
    m_only->setEnabled(marked > 0);
    m_all->setEnabled(m_proxy->isFiltered() || marked > 0);
}

void HeadFinder::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    showFocusedSoon();
}

void HeadFinder::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    showFocusedSoon();
}

void HeadFinder::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && m_table) {
        m_table->viewport()->update();
        refreshTexts();  // of its colours
    }
    QWidget::changeEvent(event);
}

}  // namespace ui
