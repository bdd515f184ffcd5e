// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files/file_dialog.h"

#include <QDir>
#include <QFileDialog>
#include <QFileIconProvider>
#include <QFileInfo>
#include <QGridLayout>

namespace app {

namespace {

class NamesOnly final : public QFileIconProvider {
  public:
    using QFileIconProvider::icon;
    QIcon icon(const QFileInfo& file) const override { return icon(file.isDir() ? Folder : File); }
    QString type(const QFileInfo& file) const override {
        if (file.isDir()) return QFileDialog::tr("Folder");
        return file.suffix().isEmpty() ? QFileDialog::tr("File")
                                       : QFileDialog::tr("%1 File").arg(file.suffix());
    }
};

}  // namespace

QFileDialog* makeFileDialog(QWidget* parent, const QString& title) {
    for (QFileDialog* open :
         parent ? parent->findChildren<QFileDialog*>() : QList<QFileDialog*>()) {
        if (!open->isVisible()) continue;
        if (open->windowTitle() == title) {
            open->raise();
            open->activateWindow();
            return nullptr;
        }
        open->close();
    }
    static NamesOnly names;  // the dialog does not own it
    // Given no folder it would begin to look into the one that it showed last, before it is told
    // how.
    auto* dialog = new QFileDialog(parent, title, QDir::rootPath());
    dialog->setIconProvider(&names);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    return dialog;
}

void addBelow(QFileDialog* dialog, QWidget* row) {
    dialog->setOption(QFileDialog::DontUseNativeDialog);  // a desktop's own has no place for it
    if (auto* grid = qobject_cast<QGridLayout*>(dialog->layout()))
        grid->addWidget(row, grid->rowCount(), 0, 1, -1);
    else
        row->setParent(dialog);
}

}  // namespace app
