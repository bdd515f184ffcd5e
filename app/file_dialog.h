// SPDX-License-Identifier: GPL-3.0-or-later
// Qt's own file dialog, for every place that opens or saves. GUI thread.
#pragma once
#include <QString>

class QFileDialog;
class QWidget;

namespace app {

// A dialog that deletes itself when it is closed and that tells files by their names alone. Qt's
// default looks into every file of the folder it shows to name its type, on the window's thread: a
// pipe, or /proc/kmsg, would hold the window there for good.
QFileDialog* makeFileDialog(QWidget* parent, const QString& title);

}  // namespace app
