// SPDX-License-Identifier: GPL-3.0-or-later
// Emptying the cache folder removes what the set-up put there, and nothing else.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <map>

#include "app/files/cache_folder.h"
#include "engine/values/failure.h"

using State = app::CacheEntry::State;

class CacheFolderTest : public QObject {
    Q_OBJECT

    static void write(const QString& path, int bytes) {
        QVERIFY(QDir().mkpath(QFileInfo(path).path()));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(bytes, 'x'));
    }
    // Everything that may be there.
    static void fill(const QString& top) {
        write(top + QStringLiteral("/libtorch-2.11.0-cpu/torch/lib/libtorch_cpu.so"), 100);
        write(top + QStringLiteral("/libtorch-2.10.0-gpu/a"), 20);
        write(top + QStringLiteral("/nvcc-13.0.88/nvidia/b"), 30);
        write(top + QStringLiteral("/.partial-123/c"), 5);
        write(top + QStringLiteral("/models/.partial-9/d"), 6);
        write(top + QStringLiteral("/models/SmolLM2-135M-Instruct.Q4_1.gguf"), 40);
        write(top + QStringLiteral("/models/mine.gguf"), 1000);
        write(top + QStringLiteral("/notes.txt"), 2000);
        write(top + QStringLiteral("/libtorch-2.11.0-cpu.old/x"), 3000);
        write(top + QStringLiteral("/.lock"), 0);
        QVERIFY(
            QFile::link(top + QStringLiteral("/notes.txt"), top + QStringLiteral("/nvcc-12.0")));
    }
    static std::map<std::string, app::CacheEntry> entriesOf(const QString& top,
                                                            std::vector<std::string> models = {}) {
        std::map<std::string, app::CacheEntry> entries;
        for (const app::CacheEntry& entry : app::cacheEntries(top.toStdString(), models))
            entries[entry.name] = entry;
        return entries;
    }

  private slots:
    void everyEntryIsTold() {
        QTemporaryDir folder;
        fill(folder.path());
        const auto entries = entriesOf(folder.path());
        QCOMPARE(entries.size(), 10u);
        QCOMPARE(entries.at("libtorch-2.11.0-cpu").bytes, 100);
        QCOMPARE(entries.at("models/mine.gguf").bytes, 1000);
        for (const char* name :
             {"libtorch-2.11.0-cpu", "libtorch-2.10.0-gpu", "nvcc-13.0.88", ".partial-123",
              "models/.partial-9", "models/SmolLM2-135M-Instruct.Q4_1.gguf"})
            QVERIFY2(entries.at(name).state == State::Removable, name);
        for (const char* name :
             {"models/mine.gguf", "notes.txt", "libtorch-2.11.0-cpu.old", "nvcc-12.0"})
            QVERIFY2(entries.at(name).state == State::Foreign, name);
        QVERIFY(entriesOf(folder.filePath(QStringLiteral("not/there"))).empty());
        QVERIFY(app::cacheEntries("", {}).empty());
    }

    void onlyItsOwnGoes() {
        QTemporaryDir folder;
        fill(folder.path());
        QCOMPARE(app::emptyCache(folder.path().toStdString(), {}), 100 + 20 + 30 + 5 + 6 + 40);
        const auto left = entriesOf(folder.path());
        QCOMPARE(left.size(), 4u);
        QVERIFY(QFile::exists(folder.filePath(QStringLiteral("models/mine.gguf"))));
        QVERIFY(QFile::exists(folder.filePath(QStringLiteral("libtorch-2.11.0-cpu.old/x"))));
        QVERIFY(QFile::exists(folder.filePath(QStringLiteral(".lock"))));
        QCOMPARE(QFile(folder.filePath(QStringLiteral("notes.txt"))).size(), 2000);
        QCOMPARE(app::emptyCache(folder.path().toStdString(), {}), 0);
    }

    void whatIsInUseStays() {
        QTemporaryDir folder;
        fill(folder.path());
        const QString model =
            folder.filePath(QStringLiteral("models/SmolLM2-135M-Instruct.Q4_1.gguf"));
        const QString library =
            folder.filePath(QStringLiteral("libtorch-2.11.0-cpu/torch/lib/libtorch_cpu.so"));
        const int file = ::open(library.toLocal8Bit().constData(), O_RDONLY);
        void* mapped = ::mmap(nullptr, 100, PROT_READ, MAP_PRIVATE, file, 0);
        QVERIFY(mapped != MAP_FAILED);
        // Through a link, as a user may have typed it.
        const QString link = folder.filePath(QStringLiteral("link.gguf"));
        QVERIFY(QFile::link(model, link));
        const auto entries = entriesOf(folder.path(), {link.toStdString()});
        QVERIFY(entries.at("libtorch-2.11.0-cpu").state == State::InUse);
        QVERIFY(entries.at("models/SmolLM2-135M-Instruct.Q4_1.gguf").state == State::InUse);
        QCOMPARE(app::emptyCache(folder.path().toStdString(), {link.toStdString()}),
                 20 + 30 + 5 + 6);
        QVERIFY(QFile::exists(model) && QFile::exists(library));
        ::munmap(mapped, 100);
        ::close(file);
    }

    void aLinkIsNotFollowed() {
        QTemporaryDir folder, other;
        write(other.filePath(QStringLiteral("precious")), 7);
        QVERIFY(QDir().mkpath(folder.filePath(QStringLiteral("nvcc-13.0.88"))));
        QVERIFY(QFile::link(other.path(), folder.filePath(QStringLiteral("nvcc-13.0.88/there"))));
        QVERIFY(QFile::link(other.path(), folder.filePath(QStringLiteral("libtorch-2.11.0-cpu"))));
        QCOMPARE(app::emptyCache(folder.path().toStdString(), {}), 0);
        QVERIFY(QFile::exists(other.filePath(QStringLiteral("precious"))));
        QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("nvcc-13.0.88"))));
        QVERIFY(QFileInfo(folder.filePath(QStringLiteral("libtorch-2.11.0-cpu"))).isSymLink());
    }

    void theSetUpAtWorkIsLeftAlone() {
        QTemporaryDir folder;
        fill(folder.path());
        const int lock =
            ::open(folder.filePath(QStringLiteral(".lock")).toLocal8Bit().constData(), O_RDWR);
        QCOMPARE(::flock(lock, LOCK_EX), 0);
        QVERIFY_EXCEPTION_THROWN((void)app::emptyCache(folder.path().toStdString(), {}),
                                 engine::Error);
        ::close(lock);
        QVERIFY(QFile::exists(folder.filePath(QStringLiteral("nvcc-13.0.88/nvidia/b"))));
    }
};

QTEST_APPLESS_MAIN(CacheFolderTest)
#include "cache_folder_test.moc"
