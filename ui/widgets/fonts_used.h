// SPDX-License-Identifier: GPL-3.0-or-later
// Which fonts a drawing's text is set in where the bundled ones lack a character: they are the
// machine's own, so that the figure looks otherwise elsewhere. GUI thread.
#pragma once
#include <QString>
#include <QStringList>
#include <utility>

#include "ui/widgets/drawing.h"

namespace ui {

struct FontsUsed {
    QStringList families;  // beside Inter and DejaVu Sans Mono; sorted, each once
    QString missing;       // characters that no font has, each once: drawn as boxes
};

FontsUsed fontsUsed(const Drawing&);
FontsUsed fontsUsed(const QList<std::pair<QString, QFont>>& texts);

// "U+0F00, U+1F9FF", at most eight and then how many more.
QString characterNames(const QString& characters);

}  // namespace ui
