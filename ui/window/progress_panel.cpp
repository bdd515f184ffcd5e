// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/progress_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <algorithm>

#include "ui/painting/theme.h"
#include "ui/widgets/plain_text.h"
#include "ui/widgets/small_widgets.h"

namespace ui {

namespace {

constexpr int patienceMs = 400;

QString bytesText(double bytes) {
    return bytes < 1e9 ? QStringLiteral("%1 MB").arg(bytes / 1e6, 0, 'f', 0)
                       : QStringLiteral("%1 GB").arg(bytes / 1e9, 0, 'f', 1);
}

}  // namespace

ProgressPanel::ProgressPanel(QWidget* parent) : QFrame(parent) {
    setAccessibleName(QStringLiteral("Progress"));
    m_title = plainLabel({}, this);
    m_left = plainLabel({}, this);
    m_amount = plainLabel({}, this);
    m_note = plainLabel({}, this);
    m_title->setFont(wordFont(12, true));
    m_left->setFont(monoFont(11));
    m_amount->setFont(wordFont(11));
    m_note->setFont(wordFont(11));
    m_bar = new ThinBar(this);
    m_bar->setFixedHeight(13);
    m_cancel = new QPushButton(QStringLiteral("Cancel   Ctrl+."), this);
    m_cancel->setFocusPolicy(Qt::TabFocus);
    auto* head = new QHBoxLayout;
    head->addWidget(m_title);
    head->addStretch(1);
    head->addWidget(m_left);
    auto* foot = new QHBoxLayout;
    foot->addWidget(m_note, 1);
    foot->addWidget(m_cancel);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 12, 16, 12);
    column->setSpacing(8);
    column->addLayout(head);
    column->addWidget(m_bar);
    column->addWidget(m_amount);
    column->addLayout(foot);
    setMinimumWidth(330);
    m_patience.setSingleShot(true);
    connect(m_cancel, &QPushButton::clicked, this, &ProgressPanel::cancelRequested);
    connect(&m_patience, &QTimer::timeout, this, &ProgressPanel::refresh);
    hide();
}

void ProgressPanel::begin(const QString& title, Unit unit, const QString& note) {
    m_title->setText(title);
    m_note->setText(note);
    m_unit = unit;
    m_done = m_total = 0;
    m_reached = 0;
    m_first = -1;
    m_detail.clear();
    m_running = true;
    m_since.start();
    m_patience.start(patienceMs);
    hide();
    refresh();
}

void ProgressPanel::setProgress(qint64 done, qint64 total, const QString& detail, double inWork) {
    if (!m_running) return;
    m_total = std::max<qint64>(total, 0);
    m_done = std::clamp<qint64>(done, 0, m_total);
    m_reached = std::clamp(static_cast<double>(m_done) + inWork, 0.0, static_cast<double>(m_total));
    if (m_first < 0) m_first = m_reached;
    m_detail = detail;
    refresh();
}

void ProgressPanel::end() {
    m_running = false;
    m_patience.stop();
    hide();
}

double ProgressPanel::fraction() const {
    return m_total > 0 ? m_reached / static_cast<double>(m_total) : 0;
}

double ProgressPanel::rate() const {
    const qint64 ms = m_since.isValid() ? m_since.elapsed() : 0;
    const double done = m_reached - std::max(m_first, 0.0);
    return ms > 0 && done > 0 ? 1000.0 * done / static_cast<double>(ms) : 0;
}

QString ProgressPanel::amountText() const {
    // Nothing has been measured yet.
    if (m_total == 0) return m_detail.isEmpty() ? QStringLiteral("Starting") : m_detail;
    QStringList parts;
    if (m_unit == Unit::Tokens) {
        parts << QStringLiteral("%1 of %2 tokens").arg(thousands(m_done), thousands(m_total));
        if (rate() > 0) parts << QStringLiteral("%1 tok/s").arg(rate(), 0, 'f', 0);
    } else if (m_unit == Unit::Rows) {
        parts << QStringLiteral("%1 of %2 rows").arg(thousands(m_done), thousands(m_total));
        if (rate() > 0)
            parts << QStringLiteral("%1 rows/s").arg(thousands(static_cast<qint64>(rate())));
    } else {
        parts << QStringLiteral("%1 of %2")
                     .arg(bytesText(static_cast<double>(m_done)),
                          bytesText(static_cast<double>(m_total)));
        if (rate() > 0) parts << bytesText(rate()) + QStringLiteral("/s");
    }
    if (!m_detail.isEmpty()) parts << m_detail;
    return parts.join(QStringLiteral(" · "));
}

QString ProgressPanel::timeLeftText() const {
    const double left = static_cast<double>(m_total) - m_reached;
    if (rate() <= 0 || left <= 0) return {};
    const double seconds = left / rate();
    if (seconds < 1) return QStringLiteral("< 1 s left");
    if (seconds < 120) return QStringLiteral("%1 s left").arg(seconds, 0, 'f', 0);
    return QStringLiteral("%1 min left").arg(seconds / 60, 0, 'f', 0);
}

void ProgressPanel::refresh() {
    m_bar->setFraction(fraction());
    m_amount->setText(amountText());
    m_left->setText(timeLeftText());
    if (!m_running || isVisible() || m_patience.isActive()) return;
    // Work that ends within a second would only flash.
    const double left = rate() > 0 ? (static_cast<double>(m_total) - m_reached) / rate() : 1e9;
    if (m_since.elapsed() / 1000.0 + left < 1) return;
    show();
}

void ProgressPanel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().base);
    painter.setPen(theme().text3);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void ProgressPanel::showEvent(QShowEvent* event) {
    QFrame::showEvent(event);
    raise();
    Q_EMIT shown();
}

}  // namespace ui
