// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs on the real engine, again and again in one process: what is refused takes no memory,
// and what is done gives back what it took.
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/memory_use.h"
#include "tests/support/real_cli.h"

using namespace app;

namespace {

constexpr std::int64_t mebibyte = 1 << 20;

QByteArray withLength(quint64 length, const QByteArray& rest) {
    QByteArray bytes(8, '\0');
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(length >> (8 * i));
    return bytes + rest;
}

}  // namespace

class CliMemoryTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

  private Q_SLOTS:
    void aLyingHeaderTakesNoMemory_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("says");
        const QByteArray header(
            "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}    ");
        const auto row = [&](const char* name, quint64 length, const char* says) {
            QTest::newRow(name) << withLength(length, header) << QString::fromLatin1(says);
        };
        row("0", 0, "0");
        row("1", 1, "1");
        row("7 less than the file", quint64(header.size()) + 1, "");
        row("above the cap", 100'000'001, "100000001");
        row("2^63", quint64{1} << 63, "9223372036854775808");
        row("2^64 - 1", ~quint64{0}, "18446744073709551615");
        QTest::newRow("3 bytes") << QByteArray("abc") << QStringLiteral("3");
        QTest::newRow("no brace") << withLength(8, "abcdefgh") << QString();
        QTest::newRow("not UTF-8") << withLength(8, "{\"\xff\xfe\":1}") << QString();
    }
    void aLyingHeaderTakesNoMemory() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, says);
        const QString path = m_folder.filePath(QStringLiteral("model.safetensors"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        file.close();
        (void)run_verb(
            {"info", path.toStdString()});  // what the first refusal sets up is no growth
        const memory_use::Peak peak;
        QElapsedTimer timer;
        timer.start();
        const CliOutcome outcome = run_verb({"info", path.toStdString()});
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
        QVERIFY2(peak.growth() < 16 * mebibyte, qPrintable(QString::number(peak.growth())));
        QCOMPARE(outcome.code, int{ExitFailed});
        QCOMPARE(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
        QVERIFY2(outcome.err.find(says.toStdString()) != std::string::npos, outcome.err.c_str());
    }

    // 20 times open, run, dump, close: memory stands after the first few.
    void repeatedDumpsStayFlat() {
        if (memory_use::is_kept_back) QSKIP("a sanitizer keeps freed memory back");
        const std::string out = m_folder.filePath(QStringLiteral("d.safetensors")).toStdString();
        const auto dump = [&] {
            const CliOutcome outcome =
                run_verb({"dump", TEST_DATA "/tiny_qwen3", "--token-ids",
                          "3,7,11,19,23,31,44,58,60,71,80,99,101,120,133,150,160,171,180,190",
                          "--generate", "12", "--tensors", "pattern,contribution,residual,logits",
                          "--threads", "2", "--out", out});
            QVERIFY2(outcome.code == ExitOk, outcome.err.c_str());
        };
        for (int i = 0; i < 5; ++i) dump();
        const std::int64_t before = memory_use::resident();
        for (int i = 0; i < 20; ++i) dump();
        const std::int64_t growth = memory_use::resident() - before;
        QVERIFY2(growth < 4 * mebibyte, qPrintable(QString::number(growth)));
    }
};

QTEST_APPLESS_MAIN(CliMemoryTest)
#include "cli_memory_test.moc"
