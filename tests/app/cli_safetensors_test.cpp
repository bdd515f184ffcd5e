// SPDX-License-Identifier: GPL-3.0-or-later
// The file is whole or absent, and its bytes are where its header says. Read back by the golden
// files' reader.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <cstring>

#include "app/files/safetensors_writer.h"
#include "engine/values/failure.h"
#include "tests/support/golden_file.h"

using namespace app;

namespace {

engine::Payload floats(std::vector<std::int64_t> shape, float first) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(first + static_cast<float>(i));
    return engine::make_payload(engine::DType::F32, std::move(shape), std::move(values));
}

// What an operation is refused for, as one line; empty if it is not.
template <typename Work>
std::string refusal(Work&& work) {
    try {
        work();
    } catch (const engine::Error& error) {
        return error.failure().kind == engine::Failure::Kind::Io
                   ? error.what()
                   : std::string("another kind: ") + error.what();
    }
    return {};
}

}  // namespace

Q_DECLARE_METATYPE(app::OutputFile::Until)

class CliSafetensorsTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    std::string path(const char* name) const {
        return m_folder.filePath(QString::fromLatin1(name)).toStdString();
    }
    QStringList files() const {
        return QDir(m_folder.path())
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
    }

    static void bothWays() {
        QTest::addColumn<OutputFile::Until>("until");
        QTest::newRow("nameless") << OutputFile::Until::Nameless;
        QTest::newRow("beside its target") << OutputFile::Until::Sibling;
    }
    // 0 where this file system has nameless files.
    int namesWhileOpen() const {
        const int file = ::open(m_folder.path().toLocal8Bit(), O_TMPFILE | O_WRONLY, 0600);
        if (file >= 0) ::close(file);
        return file < 0 ? 1 : 0;
    }

  private Q_SLOTS:
    void init() {
        for (const QString& name : files()) QFile::remove(m_folder.filePath(name));
        QVERIFY(files().isEmpty());
    }

    void putsEveryRowInItsPlace() {
        const std::string to = path("a.safetensors");
        const std::vector<TensorPlan> plans = {{"ids", engine::DType::I64, {3}},
                                               {"flat", engine::DType::F32, {5, 2, 3}},
                                               {"map", engine::DType::F32, {2, 5, 5}, 1},
                                               {"lse", engine::DType::F32, {2, 5}, 1},
                                               {"none", engine::DType::F32, {0, 4}}};
        OutputFile file(to, bytesOf(plans));
        SafetensorsWriter writer(file, plans, {{"prompt", "a \"quote\"\n\xff"}, {"version", "1"}});
        writer.writeRows(0, 0,
                         engine::make_payload(engine::DType::I64, {3},
                                              std::vector<std::int64_t>{7, -8, 1LL << 40}));
        // Out of order, in unequal chunks, with columns that later rows alone have.
        writer.writeRows(1, 3, floats({2, 2, 3}, 100));
        writer.writeRows(1, 0, floats({3, 2, 3}, 0));
        writer.writeRows(2, 0, floats({2, 2, 2}, 10), -INFINITY);
        writer.writeRows(2, 2, floats({2, 3, 5}, 50), -INFINITY);
        writer.writeRows(3, 0, floats({2, 2}, 1));
        writer.writeRows(3, 2, floats({2, 3}, 11));
        QVERIFY(!QFile::exists(QString::fromStdString(to)));
        file.commit();
        QCOMPARE(files(), QStringList{QStringLiteral("a.safetensors")});
        QCOMPARE(QFileInfo(QString::fromStdString(to)).size(), writer.fileBytes());

        const golden::File back(to);
        QCOMPARE(back.at("ids").ints, (std::vector<std::int64_t>{7, -8, 1LL << 40}));
        const auto flat = back.at("flat").values;
        for (std::size_t i = 0; i < 30; ++i)
            QCOMPARE(flat[i], i < 18 ? static_cast<float>(i) : static_cast<float>(100 + i - 18));
        const auto map = back.at("map").values;
        for (int h = 0; h < 2; ++h)
            for (int t = 0; t < 5; ++t)
                for (int s = 0; s < 5; ++s) {
                    const float expected =
                        t < 2 ? (s < 2 ? static_cast<float>(10 + h * 4 + t * 2 + s) : -INFINITY)
                              : static_cast<float>(50 + h * 15 + (t - 2) * 5 + s);
                    QCOMPARE(map[static_cast<std::size_t>((h * 5 + t) * 5 + s)], expected);
                }
        QCOMPARE(back.at("lse").values, (std::vector<float>{1, 2, 11, 12, 13, 3, 4, 14, 15, 16}));
        QVERIFY(back.at("none").values.empty());
    }

    // A link is written through, also to a file that is not there yet; it stays a link.
    void followsLinks_data() {
        QTest::addColumn<QString>("chain");  // each a link to the next, the last the file
        QTest::addColumn<QString>("says");   // empty: it is written
        const auto row = [](const char* name, const char* chain, const char* says) {
            QTest::newRow(name) << QString::fromLatin1(chain) << QString::fromLatin1(says);
        };
        row("to nothing yet", "a file", "");
        row("by two", "a b file", "");
        row("away", "a none/file", "no folder");
        row("in a circle", "a b a", "levels of symbolic links");
    }
    void followsLinks() {
        QFETCH(QString, chain);
        QFETCH(QString, says);
        const QStringList links = chain.split(u' ');
        for (const auto until : {OutputFile::Until::Nameless, OutputFile::Until::Sibling}) {
            init();
            for (qsizetype i = 0; i + 1 < links.size(); ++i)
                std::filesystem::create_symlink(links[i + 1].toStdString(),
                                                path(qPrintable(links[i])));
            std::string said;
            try {
                OutputFile file(path("a"), 1, until);
                file.writeAt(0, std::as_bytes(std::span("x", 1)));
                QVERIFY(!QFile::exists(QString::fromStdString(path("file"))));
                file.commit();
            } catch (const engine::Error& error) {
                QCOMPARE(error.failure().kind, engine::Failure::Kind::Io);
                said = error.what();
            }
            QVERIFY(std::filesystem::is_symlink(path("a")));
            QCOMPARE(said.empty(), says.isEmpty());
            QVERIFY2(said.find(says.toStdString()) != std::string::npos, said.c_str());
            QStringList left = links;
            left.removeDuplicates();
            if (!says.isEmpty() && links.back().contains(u'/')) left.removeLast();
            QCOMPARE(files(), left);
        }
    }

    void refusesAnotherShapeThanPlanned_data() {
        QTest::addColumn<QList<int>>("shape");
        QTest::addColumn<int>("first");
        QTest::newRow("wider than a row") << QList<int>{2, 2, 6} << 0;
        QTest::newRow("more rows than there are") << QList<int>{2, 3, 5} << 3;
        QTest::newRow("another head count") << QList<int>{3, 2, 5} << 0;
        QTest::newRow("another rank") << QList<int>{2, 10} << 0;
    }
    void refusesAnotherShapeThanPlanned() {
        QFETCH(QList<int>, shape);
        QFETCH(int, first);
        const std::vector<TensorPlan> plans = {{"map", engine::DType::F32, {2, 5, 5}, 1}};
        OutputFile file(path("a"), bytesOf(plans));
        SafetensorsWriter writer(file, plans, {});
        QVERIFY_EXCEPTION_THROWN(
            writer.writeRows(0, first, floats({shape.begin(), shape.end()}, 0)), engine::Error);
    }

    void leavesNothingWithoutCommit_data() { bothWays(); }
    void leavesNothingWithoutCommit() {
        QFETCH(OutputFile::Until, until);
        {
            OutputFile file(path("a"), 100, until);
            QCOMPARE(files().size(), until == OutputFile::Until::Sibling ? 1 : namesWhileOpen());
        }
        QVERIFY(files().isEmpty());
    }
    void replacesOnCommit_data() { bothWays(); }
    void replacesOnCommit() {
        QFETCH(OutputFile::Until, until);
        for (const char* text : {"first", "second"}) {  // to a new name, then over a file
            OutputFile file(path("a"), 0, until);
            file.writeAt(0, std::as_bytes(std::span(text, std::strlen(text))));
            file.commit();
            QFile written(QString::fromStdString(path("a")));
            QVERIFY(written.open(QIODevice::ReadOnly));
            QCOMPARE(written.readAll(), QByteArray(text));
            QCOMPARE(files(), QStringList{QStringLiteral("a")});
            QVERIFY(written.permissions() & QFile::ReadGroup);  // 0666 less the umask
        }
    }
    void keepsTheOldFileUntilCommit() {
        QFile old(QString::fromStdString(path("a")));
        QVERIFY(old.open(QIODevice::WriteOnly));
        old.write("old");
        old.close();
        { OutputFile file(path("a"), 100); }
        QVERIFY(old.open(QIODevice::ReadOnly));
        QCOMPARE(old.readAll(), QByteArray("old"));
    }
    void followsALink() {
        QFile real(QString::fromStdString(path("real")));
        QVERIFY(real.open(QIODevice::WriteOnly));
        QVERIFY(QFile::link(QString::fromStdString(path("real")),
                            QString::fromStdString(path("link"))));
        OutputFile file(path("link"), 0);
        const float value = 1;
        file.writeAt(0, std::as_bytes(std::span(&value, 1)));
        file.commit();
        QVERIFY(QFileInfo(QString::fromStdString(path("link"))).isSymLink());
        QCOMPARE(QFileInfo(QString::fromStdString(path("real"))).size(), 4);
    }

    void refusesATarget_data() {
        QTest::addColumn<QString>("target");
        QTest::newRow("a folder") << m_folder.path();
        QTest::newRow("a device") << QStringLiteral("/dev/null");
        QTest::newRow("a folder that is not there")
            << m_folder.filePath(QStringLiteral("no/such/a"));
        QTest::newRow("a name past the limit") << m_folder.filePath(QString(300, QLatin1Char('n')));
        QTest::newRow("a kernel's folder") << QStringLiteral("/proc/a.safetensors");
    }
    void refusesATarget() {
        QFETCH(QString, target);
        const std::string line = refusal([&] { OutputFile(target.toStdString(), 10); });
        QVERIFY2(line.find(target.toStdString()) != std::string::npos, line.c_str());
        QVERIFY(files().isEmpty());
    }

    void namesBothSizesWhenTheDiskIsTooSmall() {
        const std::string line = refusal([&] { OutputFile(path("a"), std::int64_t{1} << 60); });
        QVERIFY2(line.find("1,152,921,504,606,846,976 bytes") != std::string::npos &&
                     line.find("are free") != std::string::npos,
                 line.c_str());
        QVERIFY(files().isEmpty());
    }
    void survivesAFullDisk() {
        // The limit stands in for it: the same error paths, and no signal may end the process.
        struct rlimit before {
        }, small{};
        QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
        small = before;
        small.rlim_cur = 4096;
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
        const std::string atOnce = refusal([&] { OutputFile(path("a"), 1 << 20); });
        const std::string later = refusal([&] {
            OutputFile file(path("b"), 0);
            const std::vector<std::byte> bytes(1 << 20);
            file.writeAt(0, bytes);
        });
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &before), 0);
        QVERIFY2(atOnce.find("cannot reserve") != std::string::npos, atOnce.c_str());
        QVERIFY2(later.find("cannot write") != std::string::npos, later.c_str());
        QVERIFY(files().isEmpty());
    }
};

QTEST_APPLESS_MAIN(CliSafetensorsTest)
#include "cli_safetensors_test.moc"
