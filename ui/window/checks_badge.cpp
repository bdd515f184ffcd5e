// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/checks_badge.h"

#include <QDialog>
#include <QHeaderView>
#include <QPainter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/models/checks_model.h"
#include "ui/painting/number_text.h"
#include "ui/painting/theme.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int signBox = 16;

}  // namespace

ChecksBadge::ChecksBadge(QWidget* parent) : QAbstractButton(parent) {
    setFocusPolicy(Qt::TabFocus);
    setFont(wordFont(11));
    setCursor(Qt::PointingHandCursor);
    setAccessibleName(QStringLiteral("Checks"));
    setPending(QStringLiteral("checks: none yet"));
    connect(this, &QAbstractButton::clicked, this, [this] {
        if (m_reports.empty()) {
            Q_EMIT checksRequested();
        } else {
            openTable();
        }
    });
}

void ChecksBadge::setReports(const std::vector<engine::CheckReport>& reports) {
    if (reports.empty()) {
        setPending(QStringLiteral("checks: none yet"));
        return;
    }
    m_reports = reports;
    float rowSums = 0, z = 0, heads = 0, closes = 0, worst = 0;
    bool finite = true;
    for (const engine::CheckReport& report : reports) {
        rowSums = std::max(rowSums, report.row_sum_error);
        z = std::max(z, report.z_error);
        heads = std::max(heads, report.heads_error);
        closes = std::max(closes, report.closes_error);
        worst = std::max(worst, report.worst());
        // A maximum can lose a NaN, which must not pass as small.
        for (const float error :
             {report.row_sum_error, report.z_error, report.heads_error, report.closes_error})
            finite = finite && std::isfinite(error);
    }
    m_verdict = !finite || worst > 10 ? Verdict::Error : worst > 1 ? Verdict::Warn : Verdict::Ok;
    setText(
        QStringLiteral("row sums %1 · pattern·v = z %2 · Σ heads %3 · closes %4")
            .arg(errorNumber(rowSums), errorNumber(z), errorNumber(heads), errorNumber(closes)));
    const QString verdicts[] = {QString(), QStringLiteral("All within tolerance."),
                                QStringLiteral("Up to 10 × its tolerance."),
                                QStringLiteral("More than 10 × its tolerance.")};
    const QString& verdict = verdicts[static_cast<int>(m_verdict)];
    setToolTip(literalToolTip(
        verdict + QStringLiteral("\nLargest over the layers: |Σ pattern − 1|, pattern·v against z, "
                                 "Σ head contributions against the attention output, embedding + "
                                 "Σ writes against the residual. Click for every layer.")));
    setAccessibleDescription(verdict);
    updateGeometry();
    update();
}

void ChecksBadge::setPending(const QString& sentence) {
    m_reports.clear();
    m_verdict = Verdict::None;
    setText(sentence);
    setToolTip(QStringLiteral("The invariants of the run, computed on its own numbers."));
    updateGeometry();
    update();
}

void ChecksBadge::openTable() {
    auto* dialog = new QDialog(window(), Qt::Tool);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("checksTable"));
    dialog->setWindowTitle(QStringLiteral("Checks, layer by layer"));
    auto* model = new ChecksModel(dialog);
    model->setReports(m_reports);
    auto* view = new QTableView(dialog);
    view->setModel(model);
    view->setSelectionMode(QAbstractItemView::NoSelection);
    view->verticalHeader()->hide();
    view->verticalHeader()->setDefaultSectionSize(19);
    view->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    auto* column = new QVBoxLayout(dialog);
    column->setContentsMargins(8, 8, 8, 8);
    column->addWidget(view);
    dialog->resize(620, 420);
    dialog->show();
}

QSize ChecksBadge::sizeHint() const {
    return {fontMetrics().horizontalAdvance(text()) + signBox + 8, 20};
}

QSize ChecksBadge::minimumSizeHint() const {
    return {signBox + 4, 20};  // the sign stays; its numbers are elided first
}

void ChecksBadge::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const QRectF sign(3, height() / 2.0 - 4.5, 9, 9);
    switch (m_verdict) {
        case Verdict::None:
            painter.setBrush(theme().border);
            painter.drawEllipse(sign);
            break;
        case Verdict::Ok:
            painter.setBrush(theme().ok);
            painter.drawEllipse(sign);
            break;
        case Verdict::Warn:
            painter.setBrush(theme().warn);
            painter.drawPolygon(QPolygonF(
                {QPointF(sign.center().x(), sign.top()), sign.bottomRight(), sign.bottomLeft()}));
            break;
        case Verdict::Error:
            painter.setBrush(theme().error);
            painter.drawRect(sign);
            break;
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QRect words = rect().adjusted(signBox, 0, -2, 0);
    painter.setPen(m_verdict == Verdict::None ? theme().text2 : theme().text);
    painter.drawText(words, Qt::AlignVCenter | Qt::AlignLeft,
                     fontMetrics().elidedText(text(), Qt::ElideRight, words.width()));
    if (hasFocus() || underMouse()) {
        painter.setPen(hasFocus() ? theme().accent : theme().border);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

}  // namespace ui
