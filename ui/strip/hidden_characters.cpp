// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/strip/hidden_characters.h"

#include <QStringList>
#include <QTextBoundaryFinder>
#include <algorithm>
#include <map>

namespace ui {

QChar markOf(QChar c) {
    const char16_t u = c.unicode();
    if (u < 0x20) return QChar(0x2400 + u);
    if (u == 0x7F) return u'␡';
    if (u >= 0x80 && u < 0xA0) return u'␦';
    switch (u) {
        case 0x200F:  // marks, embeddings, overrides, isolates
        case 0x061C:
        case 0x202B:
        case 0x202E:
        case 0x2067: return u'⇠';
        case 0x200E:
        case 0x202A:
        case 0x202D:
        case 0x2066: return u'⇢';
        case 0x202C:
        case 0x2068:
        case 0x2069: return u'⇡';
        case 0x00AD:
        case 0x200B:
        case 0x2060:
        case 0xFEFF: return u'␢';
        default: return {};
    }
}

namespace {

bool isMarked(QChar c) {
    return c != u'\n' && c != u'\t' && !markOf(c).isNull();
}

}  // namespace

QString withMarks(QString text) {
    for (QChar& c : text)
        if (isMarked(c)) c = markOf(c);
    return text;
}

int marksIn(const QString& text) {
    return static_cast<int>(std::count_if(text.begin(), text.end(), isMarked));
}

QString hiddenNote(const QString& text) {
    constexpr std::size_t mostNamed = 8;
    std::map<char16_t, qsizetype> counts;
    for (const QChar c : text)
        if (isMarked(c)) ++counts[c.unicode()];
    QStringList names;
    for (const auto& [code, count] : counts) {
        if (static_cast<std::size_t>(names.size()) == mostNamed) {
            names << QStringLiteral("…");
            break;
        }
        const QString times = count > 1 ? QStringLiteral("%1 × ").arg(count) : QString();
        names << times + QStringLiteral("U+%1").arg(
                             QString::number(code, 16).toUpper().rightJustified(4, u'0'));
    }
    QStringList notes;
    if (!names.isEmpty())
        notes << QStringLiteral("Shown as marks: %1.").arg(names.join(QStringLiteral(", ")));
    if (text.contains(QChar::ReplacementCharacter))
        notes << QStringLiteral("U+FFFD stands for what was not valid UTF-8, if it was not typed.");
    return notes.join(u'\n');
}

qsizetype charactersOf(const QString& text) {
    if (text.size() > mostRead)
        return text.size() -
               std::count_if(text.begin(), text.end(), [](QChar c) { return c.isLowSurrogate(); });
    QTextBoundaryFinder finder(QTextBoundaryFinder::Grapheme, text);
    qsizetype count = 0;
    while (finder.toNextBoundary() > 0) ++count;
    return count;
}

}  // namespace ui
