// SPDX-License-Identifier: GPL-3.0-or-later
// A mapped file that another process cuts short: no process ends of it, and it is known afterwards.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <thread>
#include <vector>

#include "engine/formats/mapped_file.h"
#include "engine/values/failure.h"

using engine::formats::MappedFile;

namespace {

constexpr std::size_t page = 4096, pages = 10;

// By another process, as it happens.
void cut(const std::string& path, std::size_t bytes) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(::truncate(path.c_str(), static_cast<off_t>(bytes)) == 0 ? 0 : 1);
    int status = 0;
    QVERIFY(::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

std::string refusal(const MappedFile& file) {
    try {
        file.check();
    } catch (const engine::Error& error) {
        return error.what();
    }
    return {};
}

char byte_at(const MappedFile& file, std::size_t at) {
    return *reinterpret_cast<const volatile char*>(file.data() + at);
}

}  // namespace

class LostPagesTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    std::string made(const char* name) const {
        const QString path = m_folder.filePath(QString::fromLatin1(name));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write(QByteArray(static_cast<qsizetype>(pages * page), 'x'));
        return path.toStdString();
    }

  private Q_SLOTS:
    // What is not ours ends a process as before, and a handler that was there gets its turn. First
    // of all tests: a child whose first mapping is its own.
    void othersFaultsAreTheirOwn_data() {
        QTest::addColumn<bool>("theirs");
        QTest::addRow("default") << false;
        QTest::addRow("handled before us") << true;
    }
    void othersFaultsAreTheirOwn() {
        QFETCH(bool, theirs);
        const std::string path = made("e");
        const pid_t child = ::fork();
        if (child == 0) {
            ::alarm(20);
            ::signal(SIGBUS, theirs ? [](int) { ::_exit(7); } : SIG_DFL);
            const auto guarded = MappedFile::open(path);
            FILE* own = ::tmpfile();
            (void)::ftruncate(::fileno(own), page);
            auto* bytes = static_cast<volatile char*>(
                ::mmap(nullptr, page, PROT_READ, MAP_PRIVATE, ::fileno(own), 0));
            (void)::ftruncate(::fileno(own), 0);
            (void)bytes[0];
            ::_exit(0);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        if (theirs)
            QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        else
            QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
    }

    void readsZerosAndSaysSo_data() {
        QTest::addColumn<qulonglong>("left");
        QTest::addRow("at a page's edge") << qulonglong{3 * page};
        QTest::addRow("inside a page") << qulonglong{3 * page + 100};
        QTest::addRow("emptied") << qulonglong{0};
    }
    void readsZerosAndSaysSo() {
        QFETCH(qulonglong, left);
        const std::string path = made("a"), other = made("b");
        const auto file = MappedFile::open(path), whole = MappedFile::open(other);
        QCOMPARE(byte_at(*file, 5 * page + 7), 'x');
        cut(path, left);
        QCOMPARE(byte_at(*file, 5 * page + 7), '\0');
        QCOMPARE(byte_at(*file, pages * page - 1), '\0');
        if (left > 0) QCOMPARE(byte_at(*file, left - 1), 'x');
        const std::string says = refusal(*file);
        for (const std::string& part :
             {path, std::string("40960 bytes when it was opened"), std::to_string(left) + " now"})
            QVERIFY2(says.find(part) != std::string::npos, says.c_str());
        QCOMPARE(byte_at(*whole, 0), 'x');
        QCOMPARE(refusal(*whole), std::string());
    }

    void anotherMappingOfThePlaceStartsAfresh() {
        for (int i = 0; i < 5000; ++i) {  // more than there are places, one after another
            const auto file =
                MappedFile::open(i == 0 ? made("c") : m_folder.filePath("c").toStdString());
            QCOMPARE(refusal(*file), std::string());
            if (i % 1000 != 0) continue;
            cut(file->path(), page);
            QCOMPARE(byte_at(*file, 2 * page), '\0');
            QVERIFY(!refusal(*file).empty());
            (void)made("c");
        }
    }

    void manyThreadsReadOn() {
        const std::string path = made("d");
        const auto file = MappedFile::open(path);
        std::atomic<bool> done = false;
        std::atomic<long> rounds = 0;
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&, i] {
                while (!done) {
                    for (std::size_t at = 0; at < pages; ++at)
                        (void)byte_at(*file, (at + static_cast<std::size_t>(i)) % pages * page);
                    ++rounds;
                }
            });
        while (rounds < 100) std::this_thread::yield();
        cut(path, page);
        const long then = rounds;
        while (rounds < then + 100) std::this_thread::yield();
        done = true;
        for (std::thread& thread : threads) thread.join();
        QVERIFY(!refusal(*file).empty());
    }
};

QTEST_APPLESS_MAIN(LostPagesTest)
#include "tst_lost_pages.moc"
