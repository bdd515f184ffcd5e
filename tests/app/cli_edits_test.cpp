// SPDX-License-Identifier: GPL-3.0-or-later
// `dump --ablate` and `--forbid` on the real engine and a tiny model: what is typed is what is
// edited. That an edited run is computed right is edits_test's.
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/golden_file.h"
#include "tests/support/real_cli.h"

using namespace app;

namespace {

constexpr std::int64_t rows = 12, heads = 4, dim = 32;

}  // namespace

class CliEditsTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    std::string m_out = m_folder.filePath(QStringLiteral("d.safetensors")).toStdString();

    CliOutcome dump(const QStringList& edits) const {
        std::vector<std::string> words = {"dump",        TEST_DATA "/tiny_qwen3",
                                          "--token-ids", "3,7,11,19,23,31,44,58,60,71,80,99",
                                          "--tensors",   "pattern,z",
                                          "--layers",    "1",
                                          "--out",       m_out};
        for (const QString& word : edits) words.push_back(word.toStdString());
        return run_verb(words);
    }

  private Q_SLOTS:
    void whatIsTypedIsEdited_data() {
        QTest::addColumn<QStringList>("edits");
        QTest::addColumn<QString>("zero");    // "H row" of z, by spaces and commas
        QTest::addColumn<QString>("unseen");  // "H row key" of the pattern
        const auto row = [](const char* name, const char* edits, const char* zero,
                            const char* unseen) {
            QTest::newRow(name) << QString::fromLatin1(edits).split(u' ', Qt::SkipEmptyParts)
                                << QString::fromLatin1(zero) << QString::fromLatin1(unseen);
        };
        row("nothing", "", "", "");
        row("a head at all rows", "--ablate L1.H2", "2 0,2 5,2 11", "");
        row("two heads, one at some rows", "--ablate L1.H0,L1.H3@4-6", "0 0,0 11,3 4,3 6", "");
        row("one row", "--ablate L1.H3@4", "3 4", "");
        row("keys at rows", "--forbid L1.H2@5-9:0-2", "", "2 5 0,2 9 2");
        row("a key at all rows", "--forbid L1.H1@:1", "", "1 2 1,1 11 1");
        row("both", "--forbid L1.H1@8:1 --ablate L1.H0@2", "0 2", "1 8 1");
    }
    void whatIsTypedIsEdited() {
        QFETCH(QStringList, edits);
        QFETCH(QString, zero);
        QFETCH(QString, unseen);
        const CliOutcome outcome = dump(edits);
        QVERIFY2(outcome.code == ExitOk, outcome.err.c_str());
        const golden::File file(m_out);
        const golden::Tensor z = file.at("layers.1.z"), pattern = file.at("layers.1.pattern");
        QStringList zeros, missing;
        for (std::int64_t h = 0; h < heads; ++h)
            for (std::int64_t row = 0; row < rows; ++row) {
                if (z.values[static_cast<std::size_t>((row * heads + h) * dim + 1)] == 0)
                    zeros << QStringLiteral("%1 %2").arg(h).arg(row);
                for (std::int64_t key = 0; key <= row; ++key)
                    if (pattern.values[static_cast<std::size_t>((h * rows + row) * rows + key)] ==
                        0)
                        missing << QStringLiteral("%1 %2 %3").arg(h).arg(row).arg(key);
            }
        for (const QString& one : zero.split(u',', Qt::SkipEmptyParts))
            QVERIFY2(zeros.contains(one), qPrintable(one));
        for (const QString& one : unseen.split(u',', Qt::SkipEmptyParts))
            QVERIFY2(missing.contains(one), qPrintable(one));
        QCOMPARE(zeros.isEmpty(), zero.isEmpty());
        QCOMPARE(missing.isEmpty(), unseen.isEmpty());
        // Only the heads that were named: an edit of head 3 leaves row 3 of head 0 alone.
        if (zero == QLatin1String("3 4")) QCOMPARE(zeros.size(), 1);
        QCOMPARE(QByteArray::fromStdString(slurp()).contains("\"edits\":\"--"), !edits.isEmpty());
    }

    void refusals_data() {
        QTest::addColumn<QStringList>("edits");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* option, const char* value, const char* says) {
            QTest::newRow(value[0] == '\0' ? "empty" : value)
                << QStringList{QString::fromLatin1(option), QString::fromLatin1(value)}
                << QString::fromLatin1(says);
        };
        row("--ablate", "L1", "is not L12.H7");
        row("--ablate", "", "--ablate");
        row("--ablate", "L1.H2@9-3", "'L1.H2@9-3'");
        row("--ablate", "L1.H2@-3", "'L1.H2@-3'");
        row("--ablate", "L1.H2@99999999999999999999", "is not L12.H7");
        row("--ablate", "L9.H2", "3 layers of 4 heads");
        row("--ablate", "L1.H2@500", "there is no row 500, the run has 12 rows");
        row("--ablate", "L1.H2@9-12", "there is no row 12");
        row("--forbid", "L1.H2@3:12", "there is no source 12");
        row("--forbid", "L1.H2@3:5-9", "row 3 does not see sources 5-9 anyhow: a later token");
        row("--forbid", "L1.H2@3-4:5", "rows 3-4 do not see source 5 anyhow");
        row("--forbid", "L1.H2", "rows before the colon");
        row("--forbid", "L1.H2@3", "rows before the colon");
        row("--forbid", "L1.H2@3:", "rows before the colon");
        row("--forbid", "L1.H2:3@4", "rows before the colon");
        row("--forbid", "L1.H4@:0", "3 layers of 4 heads");
    }
    void refusals() {
        QFETCH(QStringList, edits);
        QFETCH(QString, says);
        QFile::remove(QString::fromStdString(m_out));
        const CliOutcome outcome = dump(edits);
        QCOMPARE(outcome.code, int{ExitBadArguments});
        QVERIFY2(outcome.err.find(says.toStdString()) != std::string::npos, outcome.err.c_str());
        QVERIFY(!QFile::exists(QString::fromStdString(m_out)));
    }

  private:
    std::string slurp() const {
        std::ifstream file(m_out, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

QTEST_APPLESS_MAIN(CliEditsTest)
#include "cli_edits_test.moc"
