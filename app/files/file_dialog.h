// SPDX-License-Identifier: GPL-3.0-or-later
// Qt's own file dialog, for every place that opens or saves. GUI thread.
#pragma once
#include <QString>

class QFileDialog;
class QWidget;

namespace app {

// A dialog that deletes itself when it is closed and that tells files by their names alone. Qt's
// default reads the beginning of every file of a folder on the window's thread: on a slow network
// drive the window stutters, and /proc/kmsg, opened by root, holds it for good.
// A window has one at a time: another is closed; one of this title comes to the front, and the
// answer is null.
QFileDialog* makeFileDialog(QWidget* parent, const QString& title);

// One more row at the dialog's bottom, which takes it over.
void addBelow(QFileDialog* dialog, QWidget* row);

}  // namespace app
