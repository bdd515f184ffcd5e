// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/prompt/prompt_row.h"

#include <QPainter>
#include <algorithm>

#include "ui/painting/theme.h"
#include "ui/widgets/plain_text.h"

namespace ui {

PromptRow::PromptRow(const QString& name, const QString& prompt, const QString& note,
                     QWidget* parent)
    : QAbstractButton(parent), m_name(name), m_prompt(onOneLine(prompt.left(400))), m_note(note) {
    setAccessibleName(name);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
}

void PromptRow::paintEvent(QPaintEvent*) {
    constexpr int nameWidth = 112, pad = 8;
    QPainter painter(this);
    painter.fillRect(rect(), isDown() ? theme().accentGround : theme().alternate);
    painter.setPen(hasFocus() ? theme().accent : underMouse() ? theme().text2 : theme().border);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    const auto write = [&](const QRect& box, const QString& text, const QFont& font,
                           const QColor& colour, Qt::Alignment side) {
        painter.setFont(font);
        painter.setPen(colour);
        painter.drawText(box, static_cast<int>(Qt::AlignVCenter | side) | Qt::TextSingleLine,
                         QFontMetrics(font).elidedText(text, Qt::ElideRight, box.width()));
    };
    const QRect inner = rect().adjusted(pad, 0, -pad, 0);
    const int noteWidth = std::min(QFontMetrics(wordFont(11)).horizontalAdvance(m_note) + 8,
                                   std::max(0, inner.width() / 2 - nameWidth / 2));
    write(QRect(inner.left(), 0, nameWidth - 4, height()), m_name, wordFont(12), theme().text,
          Qt::AlignLeft);
    write(QRect(inner.left() + nameWidth, 0, inner.width() - nameWidth - noteWidth - 8, height()),
          m_prompt, monoFont(11), theme().text, Qt::AlignLeft);
    write(QRect(inner.right() - noteWidth, 0, noteWidth, height()), m_note, wordFont(11),
          theme().text2, Qt::AlignRight);
}

}  // namespace ui
