// SPDX-License-Identifier: GPL-3.0-or-later
// The program while another cuts its model short: one line that names the file and what to do, exit
// code 1, and no output.
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/default_model.h"

class CliLostFileTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void dumpSaysWhichFile() {
        NEEDS_DEFAULT_MODEL();
        const QTemporaryDir folder;
        const QString model = folder.filePath(QStringLiteral("m.gguf"));
        QVERIFY(QFile::copy(QString::fromStdString(default_model_path()), model));
        QFile::setPermissions(model, QFile::ReadOwner | QFile::WriteOwner);
        const QString out = folder.filePath(QStringLiteral("d.safetensors"));
        QProcess program;
        program.start(QStringLiteral(HEADSCOPE_PROGRAM),
                      {QStringLiteral("dump"), model, QStringLiteral("--prompt"),
                       QStringLiteral("one two three"), QStringLiteral("--generate"),
                       QStringLiteral("2000"), QStringLiteral("--tensors"), QStringLiteral("lse"),
                       QStringLiteral("--verbose"), QStringLiteral("--out"), out});
        QByteArray said;
        program.setReadChannel(QProcess::StandardError);
        while (!said.contains("read 3 tokens") && program.waitForReadyRead(60'000))
            said += program.readAllStandardError();
        QVERIFY2(said.contains("read 3 tokens"), said);  // 2,000 steps to go
        QCOMPARE(::truncate(model.toLocal8Bit(), 1 << 20), 0);
        QVERIFY(program.waitForFinished(60'000));
        said += program.readAllStandardError();
        QCOMPARE(program.exitStatus(), QProcess::NormalExit);
        QCOMPARE(program.exitCode(), 1);
        const QByteArray last = said.trimmed().split('\n').constLast();
        for (const char* part :
             {"headscope dump: ", "m.gguf", "cut short", "1048576 now", "put the whole file back"})
            QVERIFY2(last.contains(part), last);
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden),
                 QStringList{QStringLiteral("m.gguf")});
    }
};

QTEST_APPLESS_MAIN(CliLostFileTest)
#include "cli_lost_file_test.moc"
