// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/head_bar.h"

#include <QEvent>
#include <QFontMetrics>
#include <QPainter>
#include <QStringList>

#include "ui/painting/names.h"
#include "ui/painting/number_text.h"
#include "ui/painting/theme.h"
#include "ui/widgets/segment_bar.h"

namespace ui {

namespace {

constexpr int pad = 8, barHeight = 36;

int kvHeadOf(const engine::ModelInfo& model, int head) {
    return model.kv_heads > 0 ? head / std::max(1, model.query_heads / model.kv_heads) : 0;
}

}  // namespace

HeadBar::HeadBar(QWidget* parent) : QWidget(parent), m_segments(new SegmentBar(this)) {
    setAccessibleName(tr("Head"));
    m_segments->setAccessibleName(tr("Quantity"));
    m_segments->addSegment(tr("Scores"), QStringLiteral("1"),
                           tr("scale · q·k, with the layer's cap, before the softmax"));
    m_segments->addSegment(tr("Pattern"), QStringLiteral("2"),
                           tr("p: the softmax of a row's scores; each row sums to 1"));
    m_segments->addSegment(
        QStringLiteral("‖p·v·Wₒ‖"), QStringLiteral("3"),
        tr("Length of what the source writes to the destination through this head"));
    m_segments->addSegment(tr("Logit attribution"), QStringLiteral("4"),
                           tr("What that adds to the target's logit, through the final norm frozen "
                              "at the destination"));
    connect(m_segments, &SegmentBar::chosen, this, [this](int index) {
        setQuantity(static_cast<engine::Quantity>(index));
        Q_EMIT quantityChosen(m_quantity);
    });
    setQuantity(m_quantity);
}

void HeadBar::setModel(const engine::ModelInfo& model) {
    m_model = model;
    m_head.reset();
    m_metrics.reset();
    refresh();
}

void HeadBar::setHead(std::optional<engine::LayerHead> head) {
    m_head = head;
    refresh();
}

void HeadBar::setMetrics(const engine::HeadTable& table) {
    const auto cells =
        static_cast<std::size_t>(m_model.layers) * static_cast<std::size_t>(m_model.query_heads);
    if (table.layers != m_model.layers || table.query_heads != m_model.query_heads ||
        table.sink.size() != cells || table.entropy.size() != cells)
        return;
    m_metrics = table;
    refresh();
}

void HeadBar::clearMetrics() {
    m_metrics.reset();
    refresh();
}

void HeadBar::setRows(std::int64_t done, std::int64_t total) {
    m_rowsDone = done;
    m_rowsTotal = total;
    refresh();
}

void HeadBar::setQuantity(engine::Quantity quantity) {
    m_quantity = quantity;
    m_segments->setCurrent(static_cast<int>(quantity));
}

QString HeadBar::kvText() const {
    if (!m_head || m_model.kv_heads <= 0) return {};
    const int head = engine::to_int(m_head->head), kv = kvHeadOf(m_model, head);
    const int group = std::max(1, m_model.query_heads / m_model.kv_heads);
    QStringList others;
    for (int h = kv * group; h < (kv + 1) * group; ++h)
        if (h != head) others += QStringLiteral("H%1").arg(h);
    if (others.isEmpty()) return tr("KV %1, shared with no other head").arg(kv);
    if (others.size() > 5)
        return tr("KV %1, shares K and V with %2 heads").arg(kv).arg(others.size());
    return tr("KV %1, shares K and V with %2")
        .arg(QString::number(kv), others.join(QStringLiteral(", ")));
}

QString HeadBar::ruleText() const {
    const auto layer = static_cast<std::size_t>(m_head ? engine::to_int(m_head->layer) : 0);
    if (!m_head || layer >= m_model.attention.size()) return {};
    const engine::AttentionRule& rule = m_model.attention[layer];
    const QString text = QString::fromStdString(rule.describe());
    return text == QStringLiteral("full") ? QString() : text;
}

QString HeadBar::metricsText() const {
    if (!m_head) return {};
    if (m_rowsDone < m_rowsTotal)
        return tr("%1 of %2 rows").arg(thousands(m_rowsDone), thousands(m_rowsTotal));
    if (!m_metrics) return {};
    const auto at = static_cast<std::size_t>(engine::to_int(m_head->layer) * m_model.query_heads +
                                             engine::to_int(m_head->head));
    if (at >= m_metrics->sink.size()) return {};
    return tr("sink %1 · entropy %2 nat")
        .arg(plainNumber(static_cast<double>(m_metrics->sink[at]), 2),
             plainNumber(static_cast<double>(m_metrics->entropy[at]), 2));
}

QSize HeadBar::sizeHint() const {
    return {600, barHeight};
}
QSize HeadBar::minimumSizeHint() const {
    return {m_segments->minimumSizeHint().width() + 80, barHeight};
}

void HeadBar::refresh() {
    const QSize buttons = m_segments->sizeHint();
    const int width_ = std::min(buttons.width(), std::max(0, width() - 80));
    m_segments->setGeometry(width() - pad - width_, (height() - buttons.height()) / 2, width_,
                            buttons.height());
    m_segments->setEnabled(m_head.has_value());
    QStringList said;
    if (m_head) said << headName(*m_head) << kvText() << ruleText() << metricsText();
    said.removeAll(QString());
    setAccessibleDescription(said.join(QStringLiteral(", ")));
    update();
}

void HeadBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& t = theme();
    painter.fillRect(rect(), t.base);
    if (!m_head) return;
    const int end = m_segments->x() - 10, middle = height() / 2;
    const auto baseline = [&](const QFontMetrics& metrics) {
        return middle + (metrics.ascent() - metrics.descent()) / 2;
    };
    const QFont nameFont = wordFont(17, true), textFont = wordFont(11);
    const QFontMetrics nameMetrics(nameFont), metrics(textFont);
    painter.setFont(nameFont);
    painter.setPen(t.text);
    painter.drawText(pad, baseline(nameMetrics), headName(*m_head));
    int x = pad + nameMetrics.horizontalAdvance(headName(*m_head)) + 13;
    if (x + 20 > end) return;
    painter.fillRect(QRect(x, middle - 8, 3, 16),
                     t.kvGroup(kvHeadOf(m_model, engine::to_int(m_head->head)), m_model.kv_heads));
    x += 9;
    painter.setFont(textFont);
    painter.setPen(t.text2);
    const QString kv = metrics.elidedText(kvText(), Qt::ElideRight, end - x);
    painter.drawText(x, baseline(metrics), kv);
    x += metrics.horizontalAdvance(kv) + 11;
    for (const QString& text : {ruleText(), metricsText()}) {
        if (text.isEmpty() || x + 40 > end) continue;
        painter.fillRect(QRect(x, middle - 8, 1, 16), t.softBorder);
        x += 11;
        const QString fits = metrics.elidedText(text, Qt::ElideRight, end - x);
        painter.drawText(x, baseline(metrics), fits);
        x += metrics.horizontalAdvance(fits) + 11;
    }
}

void HeadBar::resizeEvent(QResizeEvent*) {
    refresh();
}

void HeadBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) refresh();
    QWidget::changeEvent(event);
}

}  // namespace ui
