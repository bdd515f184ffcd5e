// SPDX-License-Identifier: GPL-3.0-or-later
// Characters that print nothing or turn the direction of a text, as marks: one for each, so that a
// place in what is shown is the place in the text.
#pragma once
#include <QString>

namespace ui {

// ␛ and the like for controls, ⇠ ⇢ ⇡ for what turns the direction to the left, to the right and
// back, ␢ for what has no width; null for what shows itself. Joiners show in what they join.
QChar markOf(QChar);
// Line breaks and tabs stay.
QString withMarks(QString);
// "Shown as marks: U+001B, 2 × U+202E.", and what U+FFFD stands for; empty where all is plain.
QString hiddenNote(const QString&);
int marksIn(const QString&);

// Characters as they are read: a letter with its accents is one, an emoji of several parts too. Of
// texts past `mostRead` UTF-16 units, which would take too long at every key, code points.
constexpr qsizetype mostRead = 1'000'000;
qsizetype charactersOf(const QString&);

}  // namespace ui
