// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/scale_column.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QToolTip>
#include <array>
#include <cmath>
#include <utility>

#include "ui/painting/colour_bar.h"
#include "ui/painting/number_text.h"
#include "ui/widgets/labelled_combo.h"

namespace ui {

namespace {

constexpr int topPad = 12, columnTitle = 16, columnBarTop = topPad + columnTitle + 3;
constexpr int combosTop = columnBarTop + static_cast<int>(colourBarHeight) + 5, comboGap = 3;

using engine::Pooling;
using engine::Transfer;

constexpr std::array transfers{Transfer::Sqrt, Transfer::Linear, Transfer::Log};
constexpr std::array ranges{RangeMode::Head, RangeMode::Layer, RangeMode::Model, RangeMode::Fixed};
constexpr std::array sinks{SinkMode::OutOfScale, SinkMode::InScale, SinkMode::Hidden,
                           SinkMode::Renormalized};
constexpr int rankItem = 3;
constexpr std::array poolings{Pooling::Max, Pooling::Mean, Pooling::Sum};

template <typename T, std::size_t N>
int indexOf(const std::array<T, N>& all, T value) {
    return static_cast<int>(std::find(all.begin(), all.end(), value) - all.begin());
}

template <typename T, std::size_t N>
T after(const std::array<T, N>& all, T value, std::size_t offered = N) {
    return all[(static_cast<std::size_t>(indexOf(all, value)) + 1) % offered];
}

void setOffered(QComboBox& combo, int index, bool offered) {
    auto* model = qobject_cast<QStandardItemModel*>(combo.model());
    model->item(index)->setEnabled(offered);
}

}  // namespace

ScaleColumn::ScaleColumn(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Colour scale"));
    setMouseTracking(true);
    m_scale = new LabelledCombo(tr("Scale"), this);
    m_scale->addItems({QStringLiteral("√"), tr("linear"), tr("log"), tr("rank")});
    m_scale->setToolTip(tr("How a value becomes a colour"));
    m_range = new LabelledCombo(tr("Range"), this);
    m_range->addItems({tr("head"), tr("layer"), tr("model"), tr("fixed, 0–1")});
    m_range->setToolTip(
        tr("The value of the last colour: the largest of this "
           "head, of its layer's heads or of all "
           "heads, or 1 for every head. With a rank: the cells that it is counted among, "
           "those in view or a sample of all"));
    m_sink = new LabelledCombo(tr("Sink"), this);
    m_sink->addItems({tr("out of scale"), tr("in scale"), tr("hidden"), tr("renormalized")});
    m_sink->setToolTip(
        tr("Whether source 0, where many heads put most of their "
           "weight, counts for the range, or is "
           "drawn at all. Renormalized: without it, each row of the "
           "pattern scaled to sum to 1 again; the read-out says p as well"));
    m_pooling = new LabelledCombo(tr("Pooling"), this);
    m_pooling->addItems({tr("max"), tr("mean"), tr("sum")});
    m_pooling->setToolTip(tr("What a pixel of several cells shows"));
    connect(m_scale, &QComboBox::activated, this, [this](int i) {
        ScaleChoice next = m_choice;
        next.rank = i == rankItem;
        if (!next.rank) next.transfer = transfers[static_cast<std::size_t>(i)];
        choose(next);
    });
    connect(m_range, &QComboBox::activated, this, [this](int i) {
        ScaleChoice next = m_choice;
        next.range = ranges[static_cast<std::size_t>(i)];
        choose(next);
    });
    connect(m_sink, &QComboBox::activated, this, [this](int i) {
        ScaleChoice next = m_choice;
        next.sink = sinks[static_cast<std::size_t>(i)];
        choose(next);
    });
    connect(m_pooling, &QComboBox::activated, this, [this](int i) {
        ScaleChoice next = m_choice;
        next.pooling = poolings[static_cast<std::size_t>(i)];
        choose(next);
    });
    m_legend.scale = scaleFor(m_choice, m_legend.quantity, {}, theme().scheme);
    refresh();
}

void ScaleColumn::setLegend(const MapLegend& legend) {
    m_legend = legend;
    refresh();
}

void ScaleColumn::setChoice(const ScaleChoice& choice) {
    m_choice = choice;
    refresh();
}

void ScaleColumn::choose(const ScaleChoice& choice) {
    if (choice == m_choice) return;
    m_choice = choice;
    refresh();
    Q_EMIT scaleChanged(m_choice);
}

void ScaleColumn::nextScale() {
    ScaleChoice next = m_choice;
    const std::size_t offered = isSigned(m_legend.quantity) ? 2 : 3;
    const auto at = static_cast<std::size_t>(indexOf(transfers, m_choice.transfer));
    // The last of the round is the rank.
    next.rank = !m_choice.rank && at + 1 >= offered;
    if (m_choice.rank)
        next.transfer = transfers.front();
    else if (!next.rank)
        next.transfer = transfers[at + 1];
    choose(next);
}

bool ScaleColumn::isOffered(RangeMode mode) const {
    switch (mode) {
        case RangeMode::Head: return true;
        case RangeMode::Layer:
        case RangeMode::Model: return m_legend.offersWider;
        case RangeMode::Fixed:
            return m_legend.quantity == engine::Quantity::Pattern && !m_choice.rank;
    }
    return false;
}

RangeMode ScaleColumn::range() const {
    return isOffered(m_choice.range) ? m_choice.range : RangeMode::Head;
}

void ScaleColumn::nextRange() {
    ScaleChoice next = m_choice;
    next.range = after(ranges, range());
    while (!isOffered(next.range)) next.range = after(ranges, next.range);
    choose(next);
}

void ScaleColumn::nextSink() {
    ScaleChoice next = m_choice;
    const bool pattern = m_legend.quantity == engine::Quantity::Pattern;
    next.sink = after(sinks, sinkOf(m_choice, m_legend.quantity), sinks.size() - (pattern ? 0 : 1));
    choose(next);
}

void ScaleColumn::chooseThreshold(double magnitude) {
    ScaleChoice next = m_choice;
    next.setThreshold(m_legend.quantity, magnitude);
    choose(next);
}

void ScaleColumn::nextPooling() {
    if (!isPooled()) return;
    ScaleChoice next = m_choice;
    next.pooling = after(poolings, m_choice.pooling);
    choose(next);
}

QString ScaleColumn::title() const {
    return mapTitle(m_legend.quantity, m_legend.renormalized, m_legend.units);
}

QStringList ScaleColumn::notes() const {
    QStringList notes;
    if (!m_legend.hasData) return notes;
    if (const QString below = thresholdNote(m_legend.scale); !below.isEmpty()) notes += below;
    if (m_choice.rank) notes += tr("rank: compare places, not values");
    if (m_legend.rankedCells > 0)
        notes += tr("among %1 of their cells").arg(thousands(m_legend.rankedCells));
    if (m_legend.measuring) notes += tr("being measured, the head's so far");
    if (m_legend.renormalized) {
        notes += tr("rows sum to 1 without source 0");
        if (!m_legend.units.areTokens()) notes += tr("row 0 counts as 0: it sees nothing else");
        notes += tr("profiles and lists: p as it is");
    }
    if (m_legend.onlyColumn) notes += tr("the only column: drawn, not hidden");
    if (m_legend.hiddenSources == 1) notes += tr("source 0 is not drawn");
    if (m_legend.hiddenSources > 1)
        notes += tr("sources 0 to %1 are not drawn").arg(m_legend.hiddenSources - 1);
    if (m_legend.exceeded)
        notes += m_legend.onlySinkExceeds ? tr("▸ source 0 exceeds the range")
                                          : tr("▸ some cells exceed the range");
    const bool tokens = m_legend.units.areTokens();
    if (!tokens) notes += spanPoolingNote(m_legend.quantity);
    if (m_legend.cellsPerPixel > 1 && !tokens) {
        notes +=
            tr("1 px = %1 × %1 %2")
                .arg(thousands(m_legend.cellsPerPixel), unitsName(m_legend.units.granularity()));
    } else if (m_legend.cellsPerPixel > 1) {
        const QString how = m_choice.pooling == Pooling::Mean  ? tr("mean")
                            : m_choice.pooling == Pooling::Sum ? tr("sum")
                            : isSigned(m_legend.quantity)      ? tr("largest magnitude")
                                                               : tr("max");
        notes += tr("1 px = %1 × %1 cells, %2").arg(thousands(m_legend.cellsPerPixel), how);
    } else if (m_legend.cellPixels > 0 && m_legend.cellPixels < 96) {
        const double size = m_legend.cellPixels;
        const bool whole = size >= 4 && std::abs(size - std::round(size)) < 0.05;
        const QString pixels = QString::number(size, 'f', whole ? 0 : 1);
        notes += tokens ? tr("no pooling, 1 cell = %1 px").arg(pixels)
                        : tr("1 cell = %1 px").arg(pixels);
    }
    if (m_legend.hasWindow) notes += tr("hatched: outside window");
    if (m_legend.notComputed) notes += tr("dotted: not computed yet");
    return notes;
}

void ScaleColumn::refresh() {
    const QSignalBlocker blockers[] = {QSignalBlocker(m_scale), QSignalBlocker(m_range),
                                       QSignalBlocker(m_sink), QSignalBlocker(m_pooling)};
    const bool isPattern = m_legend.quantity == engine::Quantity::Pattern;
    const bool diverging = isSigned(m_legend.quantity);
    setOffered(*m_scale, 2, !diverging);
    const bool logAsRoot = diverging && m_choice.transfer == Transfer::Log;
    m_scale->setCurrentIndex(m_choice.rank ? rankItem
                             : logAsRoot   ? 0
                                           : indexOf(transfers, m_choice.transfer));
    const ColourScale& scale = m_legend.scale;
    const QString low = diverging       ? QStringLiteral("\u2212")
                        : scale.low > 0 ? scaleNumber(scale.low, m_legend.quantity) + u'–'
                                        : QStringLiteral("0–");
    const QString high = plainNumber(scale.high, scale.high < 10 ? 2 : scale.high < 100 ? 1 : 0);
    const QString extent = diverging ? QStringLiteral("±") + high : low + high;
    const std::array names{m_choice.rank ? tr("in view") : tr("head"), tr("layer"), tr("model")};
    for (int i = 0; i < 3; ++i) {
        const RangeMode mode = ranges[static_cast<std::size_t>(i)];
        const QString& name = names[static_cast<std::size_t>(i)];
        m_range->setItemText(i,
                             m_legend.hasData && range() == mode
                                 ? m_choice.rank ? name : QStringLiteral("%1, %2").arg(name, extent)
                                 : name);
        setOffered(*m_range, i, isOffered(mode));
    }
    m_range->setItemText(
        3, m_choice.transfer == Transfer::Log ? tr("fixed, 5e-4–1") : tr("fixed, 0–1"));
    setOffered(*m_range, 3, isOffered(RangeMode::Fixed));
    m_range->setCurrentIndex(indexOf(ranges, range()));
    setOffered(*m_sink, indexOf(sinks, SinkMode::Renormalized), isPattern);
    m_sink->setCurrentIndex(indexOf(sinks, sinkOf(m_choice, m_legend.quantity)));
    m_pooling->setCurrentIndex(indexOf(poolings, m_choice.pooling));
    m_pooling->setVisible(isPooled());

    int y = combosTop;
    for (LabelledCombo* combo : {m_scale, m_range, m_sink, m_pooling}) {
        if (combo == m_pooling && !isPooled()) continue;
        const int height = combo->sizeHint().height();
        combo->setGeometry(0, y, width(), height);
        y += height + comboGap;
    }
    if (contentHeight() != std::exchange(m_height, contentHeight())) Q_EMIT contentHeightChanged();
    setAccessibleDescription(title() + QStringLiteral(", ") + notes().join(QStringLiteral(", ")));
    update();
}

int ScaleColumn::contentHeight() const {
    const LabelledCombo* last = isPooled() ? m_pooling : m_sink;
    return last->geometry().bottom() + 6 + 14 * static_cast<int>(noteLines().size());
}

// A note that is too long for the column goes on behind its comma.
QStringList ScaleColumn::noteLines() const {
    const QFontMetrics font(wordFont(10));
    QStringList lines;
    for (const QString& note : notes()) {
        const qsizetype comma = note.lastIndexOf(QLatin1String(", "));
        if (comma < 0 || font.horizontalAdvance(note) <= width())
            lines << note;
        else
            lines << note.left(comma + 1) << note.mid(comma + 2);
    }
    return lines;
}

void ScaleColumn::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& t = theme();
    painter.fillRect(rect(), t.base);
    painter.setFont(wordFont(11, true));
    painter.setPen(t.text);
    painter.drawText(QRectF(0, topPad - 2, width(), columnTitle),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, title());
    paintColourBar(painter, t, QRectF(0, columnBarTop, width(), colourBarHeight), m_legend.scale,
                   m_legend.exceeded);
    const LabelledCombo* last = isPooled() ? m_pooling : m_sink;
    painter.setFont(wordFont(10));
    painter.setPen(t.text2);
    int y = last->geometry().bottom() + 6;
    for (const QString& note : noteLines()) {
        painter.drawText(QRect(0, y, width(), 15),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, note);
        y += 14;
    }
}

void ScaleColumn::resizeEvent(QResizeEvent*) {
    refresh();
}

void ScaleColumn::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) {
        for (LabelledCombo* combo : {m_scale, m_range, m_sink, m_pooling})
            if (combo) combo->setFont(wordFont(11));
        update();
    }
    QWidget::changeEvent(event);
}

QRect ScaleColumn::barRect() const {
    return colourStrip({0, columnBarTop, double(width()), colourBarHeight}).toAlignedRect();
}

// To two digits, which is what a hand can set; none at the end where the colour is that of 0.
double ScaleColumn::thresholdAt(double x) const {
    const QRectF bar = colourStrip({0, columnBarTop, double(width()), colourBarHeight});
    const double at = std::clamp((x - bar.left()) / bar.width(), 0.0, 1.0);
    const double zero = m_legend.scale.diverging ? 0.5 : 0;
    if (std::abs(at - zero) * bar.width() < 2) return 0;
    const double value = std::abs(m_legend.scale.valueAt(at));
    return QString::number(value, 'g', 2).toDouble();
}

bool ScaleColumn::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const bool isOnBar = barRect().adjusted(0, -2, 0, 4).contains(help->pos());
    QToolTip::showText(help->globalPos(),
                       isOnBar ? tr("Drag along the bar, or press X: cells of a smaller value take "
                                    "the colour of 0; their values stay\nDouble click: none does")
                               : QString(),
                       this);
    return true;
}

void ScaleColumn::mousePressEvent(QMouseEvent* event) {
    const bool isOnBar = barRect().adjusted(0, -2, 0, 4).contains(event->position().toPoint());
    if (event->button() != Qt::LeftButton || !isOnBar || !m_legend.hasData) return event->ignore();
    m_draggingBar = true;
}

// A press alone changes nothing: it may be the first of a double click.
void ScaleColumn::mouseMoveEvent(QMouseEvent* event) {
    if (m_draggingBar && (event->buttons() & Qt::LeftButton))
        return chooseThreshold(thresholdAt(event->position().x()));
    const bool isOnBar = barRect().adjusted(0, -2, 0, 4).contains(event->position().toPoint());
    setCursor(isOnBar && m_legend.hasData ? Qt::SplitHCursor : Qt::ArrowCursor);
}

void ScaleColumn::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_draggingBar) return event->ignore();
    m_draggingBar = false;
}

void ScaleColumn::mouseDoubleClickEvent(QMouseEvent* event) {
    const bool isOnBar = barRect().adjusted(0, -2, 0, 4).contains(event->position().toPoint());
    if (event->button() != Qt::LeftButton || !isOnBar) return event->ignore();
    m_draggingBar = false;
    chooseThreshold(0);
}

QSize ScaleColumn::sizeHint() const {
    return {196, 320};
}
QSize ScaleColumn::minimumSizeHint() const {
    return {150, 240};
}

}  // namespace ui
