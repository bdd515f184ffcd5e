// SPDX-License-Identifier: GPL-3.0-or-later
// The built program's window, closed while something is going on: the process ends by itself with
// 0 and leaves no half of a file.
#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/default_model.h"

class CliCloseTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void endsByItself_data() {
        QTest::addColumn<int>("words");  // of the prompt
        QTest::addColumn<int>("later");  // ms
        QTest::addColumn<QString>("said");
        QTest::newRow("starting") << 8 << 0 << "Ready";
        QTest::newRow("loading") << 8 << 0 << "Opening the model";
        QTest::newRow("loading, later") << 8 << 30 << "Opening the model";
        QTest::newRow("prefilling") << 3000 << 0 << "Reading the prompt";
        QTest::newRow("prefilling, later") << 3000 << 500 << "Reading the prompt";
        QTest::newRow("generating") << 8 << 0 << "Generating";
        QTest::newRow("exporting") << 700 << 0 << "Writing ";
        QTest::newRow("exporting, later") << 700 << 20 << "Writing ";
        QTest::newRow("idle") << 8 << 0 << "prefill ";
    }

    void endsByItself() {
        QFETCH(int, words);
        QFETCH(int, later);
        QFETCH(QString, said);
        NEEDS_DEFAULT_MODEL();
        QTemporaryDir home;
        QDir(home.path()).mkdir(QStringLiteral("out"));
        const QString out = home.filePath(QStringLiteral("out"));
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), home.path());
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("QT_PLUGIN_PATH"), QStringLiteral(CLOSER_FOLDER));
        environment.insert(QStringLiteral("QT_QPA_GENERIC_PLUGINS"), QStringLiteral("closer"));
        const QString moment = QString::fromLatin1(QTest::currentDataTag()).section(u',', 0, 0);
        environment.insert(QStringLiteral("CLOSE_AT"), moment);
        environment.insert(QStringLiteral("CLOSE_AFTER_MS"), QString::number(later));
        environment.insert(QStringLiteral("EXPORT_TO"), out + QStringLiteral("/map.csv"));
        QStringList prompt;
        for (int i = 0; i < words; ++i) prompt << QString::number(i * 7919 % 97);
        QProcess program;
        program.setProcessEnvironment(environment);
        program.start(QStringLiteral(HEADSCOPE_PROGRAM),
                      {QString::fromStdString(default_model_path()), QStringLiteral("--prompt"),
                       prompt.join(u' ')});
        QByteArray output;
        QElapsedTimer clock;
        const auto closed = [&] { return output.contains("closed at: "); };
        clock.start();
        while (!closed() && program.state() != QProcess::NotRunning && clock.elapsed() < patience) {
            program.waitForReadyRead(1000);
            output += program.readAllStandardOutput();
        }
        QVERIFY2(closed(), program.readAllStandardError().constData());
        QVERIFY2(output.contains("closed at: " + said.toUtf8()), output.constData());
        clock.restart();
        QVERIFY(program.state() == QProcess::NotRunning || program.waitForFinished(patience));
        qInfo("%s: ended %lld ms after it was closed", QTest::currentDataTag(),
              static_cast<long long>(clock.elapsed()));
        QCOMPARE(program.exitStatus(), QProcess::NormalExit);
        QCOMPARE(program.exitCode(), 0);
        QCOMPARE(program.readAllStandardError(), QByteArray());
        // Written whole, or not at all.
        const QStringList left = QDir(out).entryList(QDir::Files | QDir::Hidden);
        QVERIFY2(left.isEmpty() || left == QStringList{QStringLiteral("map.csv")},
                 qPrintable(left.join(u' ')));
    }

  private:
    static constexpr int patience = 120'000;  // ms; a loaded machine is no failure
};

QTEST_APPLESS_MAIN(CliCloseTest)
#include "cli_close_test.moc"
