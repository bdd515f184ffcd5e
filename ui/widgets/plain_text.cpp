// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/plain_text.h"

#include <QLabel>

#include "ui/strip/hidden_characters.h"

namespace ui {

QString withoutMnemonics(const QString& text) {
    return QString(text).replace(u'&', QStringLiteral("&&"));
}

QString literalToolTip(const QString& text) {
    if (text.isEmpty()) return {};
    QString escaped = text.toHtmlEscaped();
    escaped.replace(u'\n', QStringLiteral("<br>"));
    return QStringLiteral("<qt>") + escaped + QStringLiteral("</qt>");
}

QString onOneLine(const QString& text) {
    QString out = text;
    for (QChar& c : out) {
        if (c == u'\n' || c == QChar::LineSeparator || c == QChar::ParagraphSeparator) {
            c = u'⏎';
        } else if (c == u'\t') {
            c = u'⇥';
        } else if (const QChar mark = markOf(c); !mark.isNull()) {
            c = mark;
        }
    }
    return out;
}

QLabel* plainLabel(const QString& text, QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setText(text);
    return label;
}

QLabel* emptyPanelLabel() {
    QLabel* label = plainLabel({});
    label->setWordWrap(true);
    label->setMargin(16);
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setBackgroundRole(QPalette::Base);
    label->setAutoFillBackground(true);
    return label;
}

}  // namespace ui
