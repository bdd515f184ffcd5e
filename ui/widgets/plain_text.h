// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens, paths and model names are data: these keep Qt from reading markup or mnemonics into them.
#pragma once
#include <QString>

class QLabel;
class QWidget;

namespace ui {

QString withoutMnemonics(
    const QString&);                     // "&" doubled, for actions, buttons, check boxes and tabs
QString literalToolTip(const QString&);  // markup that shows exactly this text, line breaks kept
QString onOneLine(const QString&);       // line breaks, tabs and what prints nothing as marks
// A label that shows its text literally.
QLabel* plainLabel(const QString& text, QWidget* parent = nullptr);
// What an empty panel says in the place of its content.
QLabel* emptyPanelLabel();

}  // namespace ui
