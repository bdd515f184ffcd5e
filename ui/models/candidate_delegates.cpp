// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/candidate_delegates.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/models/logits_model.h"
#include "ui/painting/theme.h"

namespace ui {

namespace {

constexpr int boxSide = 14;

void ground(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) {
    const bool selected = option.state & QStyle::State_Selected;
    painter->fillRect(option.rect, selected          ? theme().accentGround
                                   : index.row() % 2 ? theme().alternate
                                                     : theme().base);
}

}  // namespace

void ProbabilityDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
    painter->save();
    ground(painter, option, index);
    const QRect cell = option.rect.adjusted(2, 0, -6, 0);
    painter->setFont(monoFont(11));
    const int numberWidth = painter->fontMetrics().horizontalAdvance(QStringLiteral("0.0000")) + 4;
    const double p = std::clamp(index.data(LogitsModel::ProbabilityRole).toDouble(), 0.0, 1.0);
    const int room = std::max(0, cell.width() - numberWidth - 8);
    const int length = std::max(1, static_cast<int>(std::lround(p * room)));
    painter->fillRect(
        QRect(cell.left(), cell.top() + 4, length, cell.height() - 8),
        index.data(LogitsModel::IsTargetRole).toBool() ? theme().accent : theme().bar);
    painter->setPen(theme().text);
    painter->drawText(cell, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine,
                      index.data().toString());
    painter->restore();
}

QRect MarkDelegate::targetBox(const QRect& cell) {
    return {cell.left() + 3, cell.center().y() - boxSide / 2, boxSide, boxSide};
}

QRect MarkDelegate::distractorBox(const QRect& cell) {
    return targetBox(cell).translated(boxSide + 3, 0);
}

void MarkDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    painter->save();
    ground(painter, option, index);
    const bool hovered = index.row() == m_hoveredRow;
    const auto box = [&](const QRect& rect, const QString& letter, bool set, const QColor& colour) {
        if (!set && !hovered) return;
        painter->setFont(wordFont(10));
        painter->setPen(set ? colour : theme().border);
        painter->setBrush(set ? theme().base : QColor(Qt::transparent));
        painter->drawRect(rect.adjusted(0, 0, -1, -1));
        painter->setPen(set ? colour : theme().text3);
        painter->drawText(rect, Qt::AlignCenter, letter);
    };
    box(targetBox(option.rect), QStringLiteral("T"), index.data(LogitsModel::IsTargetRole).toBool(),
        theme().accent);
    box(distractorBox(option.rect), QStringLiteral("D"),
        index.data(LogitsModel::IsDistractorRole).toBool(), theme().text);
    painter->restore();
}

}  // namespace ui
