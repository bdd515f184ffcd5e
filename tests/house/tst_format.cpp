// SPDX-License-Identifier: GPL-3.0-or-later
// The tree as clang-format 14 leaves it. Other versions format differently, so without that one the
// test is skipped and CTest says so.
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTest>

#include "tests/house/source_tree.h"

namespace {

QString clang_format_14() {
    for (const char* name : {"clang-format-14", "clang-format"}) {
        const QString program = QStandardPaths::findExecutable(QLatin1String(name));
        if (program.isEmpty()) continue;
        QProcess asked;
        asked.start(program, {QStringLiteral("--version")});
        asked.waitForFinished();
        if (asked.readAllStandardOutput().contains("version 14.")) return program;
    }
    return {};
}

}  // namespace

class FormatTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void every_file_is_formatted() {
        const QString program = clang_format_14();
        if (program.isEmpty()) QSKIP("clang-format 14 is not installed");
        QStringList arguments{QStringLiteral("--dry-run"), QStringLiteral("-Werror")};
        const qsizetype options = arguments.size();
        for (const QString& file : house::tracked_files()) {
            if (house::is_cpp(file)) arguments << file;
        }
        QVERIFY(arguments.size() > options);
        QProcess format;
        format.setWorkingDirectory(house::root().path());
        format.setProcessChannelMode(QProcess::MergedChannels);
        format.start(program, arguments);
        QVERIFY2(format.waitForFinished(120000), "clang-format takes more than two minutes");
        QSet<QString> wrong;
        static const QRegularExpression complaint(QStringLiteral("^([^:\\n]+):\\d+:\\d+: error"),
                                                  QRegularExpression::MultilineOption);
        auto matches = complaint.globalMatch(QString::fromUtf8(format.readAll()));
        while (matches.hasNext()) wrong.insert(matches.next().captured(1));
        QStringList sorted(wrong.cbegin(), wrong.cend());
        sorted.sort();
        QVERIFY2(format.exitCode() == 0,
                 (house::listed(sorted) + "; run clang-format -i on them").constData());
    }
};

QTEST_APPLESS_MAIN(FormatTest)
#include "tst_format.moc"
