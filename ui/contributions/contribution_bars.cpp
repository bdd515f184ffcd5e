// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/contributions/contribution_bars.h"

#include <qcustomplot.h>

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedLayout>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/painting/number_text.h"
#include "ui/widgets/focus_ring.h"
#include "ui/widgets/plain_text.h"
#include "ui/widgets/small_widgets.h"

namespace ui {

namespace {

constexpr int headRow = 16, smallestHeadRow = 11, roomyHeads = 16, besideHeadRow = 20;
constexpr int smallestLayerRow = 6, largestLayerRow = 14, leastLayersHeight = 64;

QHBoxLayout* line(QWidget* left, QWidget* right) {
    auto* row = new QHBoxLayout;
    row->setContentsMargins(8, 2, 8, 2);
    row->addWidget(left);
    row->addStretch(1);
    row->addWidget(right);
    return row;
}

QLabel* small(const QFont& font) {
    QLabel* label = plainLabel({});
    label->setFont(font);
    return label;
}

QScrollArea* scrolled(QWidget* content) {
    auto* area = new QScrollArea;
    area->setWidget(content);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    return area;
}

bool areFinite(const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

QFrame* rule() {
    auto* frame = new QFrame;
    frame->setFrameShape(QFrame::HLine);
    frame->setFrameShadow(QFrame::Plain);
    frame->setForegroundRole(QPalette::Mid);
    return frame;
}

}  // namespace

ContributionBars::ContributionBars(QWidget* parent) : QWidget(parent) {
    setAccessibleName(QStringLiteral("Contributions"));
    m_sentence = emptyPanelLabel();
    m_pages = new QStackedLayout(this);
    m_pages->addWidget(m_sentence);
    // Too low for all of it: it is scrolled, and nothing lies over anything else.
    auto* area = scrolled(build());
    area->setObjectName(QStringLiteral("barsArea"));
    m_pages->addWidget(area);
    setMinimumSize(200, 120);
    clear(
        QStringLiteral("What each head, each layer's attention and each MLP adds to the residual "
                       "stream at the selected position: its length, or how far it moves the "
                       "target's logit."));
}

QWidget* ContributionBars::build() {
    auto* page = new QWidget;
    page->setMinimumWidth(180);  // what is wider is clipped at the right, never scrolled
    page->setBackgroundRole(QPalette::Base);
    page->setAutoFillBackground(true);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 4, 0, 2);
    column->setSpacing(1);

    m_measures = new QButtonGroup(this);
    auto* measures = new QHBoxLayout;
    measures->setContentsMargins(8, 2, 8, 2);
    measures->setSpacing(0);
    const auto addMeasure = [&](Measure measure, const QString& text, const QString& help) {
        auto* button = new SegmentButton(text);
        button->setToolTip(help);
        m_measures->addButton(button, static_cast<int>(measure));
        measures->addWidget(button);
    };
    addMeasure(Measure::Write, QStringLiteral("‖write‖"),
               QStringLiteral("The length of what is added to the residual stream"));
    addMeasure(Measure::Attribution, QStringLiteral("Logit attribution"),
               QStringLiteral("write · (γ ⊙ unembedding) / rms, through the final norm frozen at "
                              "this position"));
    m_measures->button(static_cast<int>(m_view.measure))->setChecked(true);
    connect(m_measures, &QButtonGroup::idClicked, this, [this](int id) {
        setMeasure(static_cast<Measure>(id));
        Q_EMIT measureChanged(m_view.measure);
    });
    m_subject = small(monoFont(11));
    measures->addStretch(1);
    measures->addWidget(m_subject);
    column->addLayout(measures);

    m_headsTitle = small(wordFont(11, true));
    m_closes = small(wordFont(10));
    m_closes->setForegroundRole(QPalette::PlaceholderText);
    column->addLayout(line(m_headsTitle, m_closes));
    m_heads = new QCustomPlot;
    m_heads->setAccessibleName(QStringLiteral("Heads of the layer"));
    m_headsScroll = scrolled(m_heads);
    column->addWidget(m_headsScroll);
    m_headsSum = small(wordFont(11));
    m_headsSumValue = small(monoFont(11));
    column->addLayout(line(m_headsSum, m_headsSumValue));
    column->addWidget(rule());

    auto* title = small(wordFont(11, true));
    title->setText(QStringLiteral("All layers"));
    m_totalsTitle = small(wordFont(10));
    m_totalsTitle->setForegroundRole(QPalette::PlaceholderText);
    auto* head = line(title, m_totalsTitle);
    head->insertSpacing(1, 10);
    head->insertWidget(2, new ColourKey(&Theme::bar, QStringLiteral("attention")));
    head->insertSpacing(3, 4);
    head->insertWidget(4, new ColourKey(&Theme::mlpBar, QStringLiteral("MLP")));
    column->addLayout(head);
    m_layers = new QCustomPlot;
    m_layers->setAccessibleName(QStringLiteral("All layers"));
    m_layersScroll = scrolled(m_layers);
    m_layersScroll->setMinimumHeight(leastLayersHeight);
    column->addWidget(m_layersScroll, 1);
    column->addWidget(rule());
    m_layersSum = small(wordFont(11));
    m_layersSumValue = small(monoFont(11));
    column->addLayout(line(m_layersSum, m_layersSumValue));

    for (QCustomPlot* plot : {m_heads, m_layers}) {
        plot->setFocusPolicy(Qt::TabFocus);
        plot->setMouseTracking(true);
        plot->installEventFilter(this);
    }
    new FocusRing(m_heads, m_headsScroll);
    new FocusRing(m_layers, m_layersScroll);
    m_layersScroll->viewport()->installEventFilter(this);
    return page;
}

void ContributionBars::clear(const QString& sentence) {
    m_hasTable = false;
    m_beside.reset();
    m_sentence->setText(sentence);
    m_pages->setCurrentIndex(0);
    Q_EMIT tableChanged();
}

void ContributionBars::setTable(const engine::ContributionTable& table, int kvHeads,
                                const QString& targetText, const QString& distractorText) {
    // A table of the same row once more, and the other run's stays.
    if (table.run != m_table.run || table.position != m_table.position ||
        table.target != m_table.target || table.distractor != m_table.distractor)
        m_beside.reset();
    m_table = table;
    m_view.kvHeads = kvHeads;
    m_targetText = targetText;
    m_distractorText = distractorText;
    m_hasTable = table.layers > 0 && table.query_heads > 0;
    m_hoveredHead = m_hoveredLayer = -1;
    m_pages->setCurrentIndex(m_hasTable ? 1 : 0);
    placeCursors();
    refresh();
    Q_EMIT tableChanged();
}

void ContributionBars::setBeside(const engine::ContributionTable& table, const QString& ownName,
                                 const QString& otherName) {
    if (!m_hasTable || table.layers != m_table.layers || table.query_heads != m_table.query_heads ||
        table.target != m_table.target || table.distractor != m_table.distractor)
        return;
    m_beside = table;
    m_ownName = ownName;
    m_otherName = otherName;
    refresh();
}

void ContributionBars::clearBeside() {
    if (!m_beside) return;
    m_beside.reset();
    refresh();
}

void ContributionBars::setFocusedHead(engine::LayerHead focus) {
    if (focus == m_view.focus) return;
    m_view.focus = focus;
    placeCursors();
    refresh();
}

void ContributionBars::setMeasure(Measure measure) {
    m_view.measure = measure;
    m_measures->button(static_cast<int>(measure))->setChecked(true);
    refresh();
}

void ContributionBars::refresh() {
    if (!m_hasTable) return;
    m_view.table = &m_table;
    m_view.beside = m_beside ? &*m_beside : nullptr;
    m_view.theme = theme();
    m_view.focus.layer =
        engine::Layer{std::clamp(engine::to_int(m_view.focus.layer), 0, m_table.layers - 1)};
    const int heads = headRows(m_view), rows = m_table.layers + 1;
    const int one = m_beside                            ? besideHeadRow
                    : m_table.query_heads <= roomyHeads ? headRow
                                                        : smallestHeadRow;
    m_heads->setFixedHeight(heads * one);
    m_headsScroll->setFixedHeight(std::min(heads * one, std::max(5 * headRow, height() * 2 / 5)));
    const int room = m_layersScroll->viewport()->height();
    const int layerRow =
        std::clamp((room - 2 * layersMargin) / rows, smallestLayerRow, largestLayerRow);
    const int most = rows * largestLayerRow + 2 * layersMargin;
    m_layers->setFixedHeight(std::max(rows * layerRow + 2 * layersMargin, std::min(room, most)));

    m_view.hoveredRow = markedRow(m_heads);
    drawHeads(*m_heads, m_view);
    m_view.hoveredRow = markedRow(m_layers);
    drawLayers(*m_layers, m_view, m_layers->minimumHeight());
    m_heads->replot(QCustomPlot::rpQueuedReplot);
    m_layers->replot(QCustomPlot::rpQueuedReplot);
    refreshTexts();
    describePlots();
}

void ContributionBars::refreshTexts() {
    const bool attribution = m_view.measure == Measure::Attribution;
    const QString pair = m_distractorText.isEmpty()
                             ? m_targetText
                             : m_targetText + QStringLiteral(" \u2212 ") + m_distractorText;
    m_subject->setText(attribution ? pair : QString());
    m_headsTitle->setText(QStringLiteral("Heads of L%1").arg(engine::to_int(m_view.focus.layer)));
    // The largest of what can be told says nothing of the layers whose sums are no numbers.
    const bool isTold = areFinite(m_table.head_norm) && areFinite(m_table.attention_norm) &&
                        std::isfinite(m_table.heads_close);
    if (m_beside)  // dark and light bar of a head
        m_closes->setText(QStringLiteral("upper %1, lower %2").arg(m_ownName, m_otherName));
    else
        m_closes->setText(isTold ? QStringLiteral("Σ closes to ") + errorNumber(m_table.heads_close)
                                 : QStringLiteral("Σ: cannot be told"));
    m_closes->setToolTip(
        QStringLiteral("Largest over the layers of |Σ heads (+ bias) − attention output|, "
                       "relative to the output's largest element") +
        (isTold ? QString()
                : QStringLiteral(". Here some of the writes are no finite numbers, so whether the "
                                 "sums close cannot be told")));
    const QString parts =
        outputBias(m_view) ? QStringLiteral("Σ heads + bias") : QStringLiteral("Σ heads");
    m_headsSum->setText(attribution ? parts + QStringLiteral(" = attention out")
                                    : QStringLiteral("‖%1‖ = ‖attention out‖").arg(parts));
    m_headsSumValue->setText(valueText(m_view.measure, attentionValue(m_view)));
    if (m_beside)
        m_headsSumValue->setText(
            besideNote(m_headsSumValue->text(),
                       valueText(m_view.measure, attentionValue(besideView(m_view)))));
    const bool all = allTotalsFit(m_view, m_layers->minimumHeight());
    m_totalsTitle->setText(attribution ? all ? QStringLiteral("layer total")
                                             : QStringLiteral("largest totals")
                           : all ? QStringLiteral("attention")
                                       : QStringLiteral("largest attention"));
    m_totalsTitle->setToolTip(
        (attribution ? QStringLiteral("What a layer's attention and MLP add up to")
                     : QStringLiteral("The length of what a layer's attention adds")) +
        (all ? QString()
             : QStringLiteral("; the largest that have room, hover a row for its own")));
    m_layersSum->setVisible(attribution);
    m_layersSumValue->setVisible(attribution);
    m_layersSum->setText((m_distractorText.isEmpty()
                              ? QStringLiteral("Σ writes = logit")
                              : QStringLiteral("Σ writes = logit difference")) +
                         (m_table.soft_cap > 0 ? QStringLiteral(" before the cap") : QString()));
    m_layersSum->setToolTip(
        (std::isfinite(m_table.closes)
             ? QStringLiteral("Embedding and all writes add up to the model's own %1 "
                              "to %2 of the row's largest logit")
                   .arg(signedNumber(static_cast<double>(m_table.logit), 3),
                        errorNumber(m_table.closes))
             : QStringLiteral("Whether embedding and all writes add up to the model's own logit "
                              "cannot be told: some of them are no finite numbers")) +
        sumNotes());
    m_layersSumValue->setText(signedNumber(writesSum(m_table), 3));
    if (m_beside) {
        m_layersSumValue->setText(
            besideNote(m_layersSumValue->text(), signedNumber(writesSum(*m_beside), 3)));
        m_totalsTitle->setText(QStringLiteral("total of %1, line: %2").arg(m_ownName, m_otherName));
    }
    setAccessibleDescription(
        QStringLiteral("L%1.H%2, %3 %4")
            .arg(engine::to_int(m_view.focus.layer))
            .arg(engine::to_int(m_view.focus.head))
            .arg(attribution ? QStringLiteral("logit attribution") : QStringLiteral("write norm"),
                 valueText(m_view.measure, headValue(m_view, engine::to_int(m_view.focus.head)))));
}

QString ContributionBars::besideNote(const QString& own, const QString& other) const {
    return m_ownName + u' ' + own + QStringLiteral(" · ") + m_otherName + u' ' + other;
}

// What else belongs to the sum in models that have it: a bias of the final norm, a cap on logits.
QString ContributionBars::sumNotes() const {
    QString text;
    if (m_table.bias_attribution != 0)
        text += QStringLiteral(". %1 of it is the final norm's bias")
                    .arg(signedNumber(static_cast<double>(m_table.bias_attribution), 3));
    if (!(m_table.soft_cap > 0)) return text;
    const double cap = static_cast<double>(m_table.soft_cap);
    text += QStringLiteral(". The model caps each logit at %1, by %1 · tanh(logit / %1)").arg(cap);
    if (m_distractorText.isEmpty())
        text += QStringLiteral(": here to ") +
                signedNumber(cap * std::tanh(static_cast<double>(m_table.logit) / cap), 3);
    return text;
}

int ContributionBars::rowAt(const QCustomPlot* plot, double y) const {
    const int rows = rowsOf(plot);
    const int spare = plot == m_layers ? layersMargin : 0;
    const double row = std::floor((y - spare) * rows / std::max(1, plot->height() - 2 * spare));
    return row < 0 || row >= rows ? -1 : static_cast<int>(row);
}

void ContributionBars::hover(const QCustomPlot* plot, int row) {
    int& hovered = plot == m_heads ? m_hoveredHead : m_hoveredLayer;
    if (row == hovered) return;
    hovered = row;
    refresh();
}

void ContributionBars::activate(const QCustomPlot* plot, int row) {
    if (plot == m_heads && row >= 0 && row < m_table.query_heads)
        Q_EMIT headActivated({m_view.focus.layer, engine::QueryHead{row}});
    if (plot == m_layers && row >= 1) Q_EMIT layerActivated(engine::Layer{row - 1});
}

QString ContributionBars::toolTipOf(const QCustomPlot* plot, int row) const {
    if (row < 0 || !m_hasTable) return {};
    const QString measure = m_view.measure == Measure::Write ? QStringLiteral("‖write‖")
                                                             : QStringLiteral("logit attribution");
    const auto value = [&](float v) {
        return valueText(m_view.measure, static_cast<double>(v), 4);
    };
    if (plot == m_heads && row >= m_table.query_heads)
        return QStringLiteral("L%1, the bias of its output projection, which no head writes: ")
                   .arg(engine::to_int(m_view.focus.layer)) +
               measure + u' ' + valueText(m_view.measure, outputBias(m_view).value_or(0), 4);
    if (plot == m_heads)
        return QStringLiteral("L%1.H%2 ").arg(engine::to_int(m_view.focus.layer)).arg(row) +
               measure + u' ' +
               (m_beside
                    ? besideNote(valueText(m_view.measure, headValue(m_view, row), 4),
                                 valueText(m_view.measure, headValue(besideView(m_view), row), 4))
                    : valueText(m_view.measure, headValue(m_view, row), 4));
    const bool write = m_view.measure == Measure::Write;
    if (row == 0)
        return QStringLiteral("embedding ") + measure + u' ' +
               value(write ? m_table.embedding_norm : m_table.embedding_attribution);
    const auto l = static_cast<std::size_t>(row - 1);
    const auto& attention = write ? m_table.attention_norm : m_table.attention_attribution;
    const auto& mlp = write ? m_table.mlp_norm : m_table.mlp_attribution;
    if (l >= attention.size() || l >= mlp.size()) return {};
    return QStringLiteral("L%1 %2: attention %3, MLP %4")
        .arg(row - 1)
        .arg(measure, value(attention[l]), value(mlp[l]));
}

bool ContributionBars::eventFilter(QObject* object, QEvent* event) {
    if (object == m_layersScroll->viewport() && event->type() == QEvent::Resize) refresh();
    const bool isPlot = object == m_heads || object == m_layers;
    if (!isPlot || !m_hasTable) return QWidget::eventFilter(object, event);
    auto* plot = static_cast<QCustomPlot*>(object);
    if (keyOn(plot, event)) return true;
    switch (event->type()) {
        case QEvent::MouseMove:
            hover(plot, rowAt(plot, static_cast<QMouseEvent*>(event)->position().y()));
            break;
        case QEvent::Leave: hover(plot, -1); break;
        case QEvent::MouseButtonRelease:
            if (static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton)
                activate(plot, rowAt(plot, static_cast<QMouseEvent*>(event)->position().y()));
            break;
        case QEvent::ToolTip: {
            const auto* help = static_cast<QHelpEvent*>(event);
            QToolTip::showText(help->globalPos(),
                               literalToolTip(toolTipOf(plot, rowAt(plot, help->pos().y()))), plot);
            return true;
        }
        case QEvent::Wheel:  // the plot would swallow it
            event->ignore();
            return true;
        default: break;
    }
    return QWidget::eventFilter(object, event);
}

void ContributionBars::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) refresh();
    QWidget::changeEvent(event);
}

void ContributionBars::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    refresh();
}

}  // namespace ui
