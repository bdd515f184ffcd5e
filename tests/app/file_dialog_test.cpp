// SPDX-License-Identifier: GPL-3.0-or-later
// A folder with a pipe in it, that somebody holds open and never writes to: looked into on the
// window's thread it would stop the window for good.
#include "app/file_dialog.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QFileDialog>
#include <QFileSystemModel>
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

class FileDialogTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void filesAreToldByTheirNames_data();
    void filesAreToldByTheirNames();
};

void FileDialogTest::filesAreToldByTheirNames_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("a name that says nothing") << QStringLiteral("pipe");
    QTest::newRow("a name that we open") << QStringLiteral("pipe.gguf");
}

void FileDialogTest::filesAreToldByTheirNames() {
    QFETCH(QString, name);
    const QTemporaryDir folder;
    const QByteArray pipe = QFile::encodeName(folder.filePath(name));
    QCOMPARE(::mkfifo(pipe.constData(), 0600), 0);
    const int writer = ::open(pipe.constData(), O_RDWR | O_CLOEXEC);
    QVERIFY(writer >= 0);

    // Lets a reader go that is held, so that the test ends whatever the dialog does.
    std::mutex mutex;
    std::condition_variable_any ended;
    bool listed = false;
    std::atomic<bool> letGo = false;
    std::jthread watch([&](const std::stop_token& stop) {
        std::unique_lock lock(mutex);
        if (ended.wait_for(lock, stop, std::chrono::seconds(20), [&] { return listed; })) return;
        letGo = true;
        for (int i = 0; i < 64; ++i)
            if (::write(writer, "x", 1) != 1) return;
    });

    auto* dialog = app::makeFileDialog(nullptr, QStringLiteral("Open"));
    auto* files = dialog->findChild<QFileSystemModel*>();
    QVERIFY(files != nullptr);
    dialog->setFilter(QDir::AllEntries | QDir::System);
    dialog->setDirectory(folder.path());
    dialog->show();
    const QString path = QFile::decodeName(pipe);
    QVERIFY(QTest::qWaitFor(
        [&] { return files->index(path).isValid() && !files->type(files->index(path)).isEmpty(); },
        60'000));
    dialog->close();
    QTest::qWait(50);  // what is still to be listed
    {
        const std::scoped_lock lock(mutex);
        listed = true;
    }
    ended.notify_all();
    watch.join();
    ::close(writer);
    QVERIFY(!letGo);
}

QTEST_MAIN(FileDialogTest)
#include "file_dialog_test.moc"
