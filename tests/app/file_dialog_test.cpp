// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files/file_dialog.h"

#include <QFileDialog>
#include <QFileSystemModel>
#include <QImage>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/qt_warnings.h"

class FileDialogTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void filesAreToldByTheirNames_data();
    void filesAreToldByTheirNames();
};

void FileDialogTest::filesAreToldByTheirNames_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("type");
    QTest::newRow("no ending") << QStringLiteral("picture") << QStringLiteral("File");
    QTest::newRow("a model's") << QStringLiteral("picture.gguf") << QStringLiteral("gguf File");
}

// What the files hold is a picture: whoever looks into them calls them one.
void FileDialogTest::filesAreToldByTheirNames() {
    QFETCH(QString, name);
    QFETCH(QString, type);
    const QTemporaryDir folder;
    const QString path = folder.filePath(name);
    QImage image(8, 8, QImage::Format_RGB32);
    image.fill(Qt::black);
    QVERIFY(image.save(path, "PNG"));

    auto* dialog = app::makeFileDialog(nullptr, QStringLiteral("Open"));
    auto* files = dialog->findChild<QFileSystemModel*>();
    QVERIFY(files != nullptr);
    dialog->setDirectory(folder.path());
    dialog->show();
    QVERIFY(QTest::qWaitFor([&] { return !files->type(files->index(path)).isEmpty(); }, 60'000));
    QCOMPARE(files->type(files->index(path)), type);
    dialog->close();
}

QTEST_MAIN(FileDialogTest)
#include "file_dialog_test.moc"
