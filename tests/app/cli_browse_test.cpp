// SPDX-License-Identifier: GPL-3.0-or-later
// `bench --browse`: the program itself drives its own window, without a display.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTest>

class CliBrowseTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void measuresFramesAndMemory() {
        auto environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
            environment.remove(QString::fromLatin1(name));
        QProcess program;
        program.setProcessEnvironment(environment);
        program.start(QStringLiteral(HEADSCOPE_PROGRAM),
                      {QStringLiteral("bench"), QStringLiteral(TEST_DATA "/tiny_qwen3"),
                       QStringLiteral("--browse"), QStringLiteral("4"), QStringLiteral("--json")});
        QVERIFY(program.waitForFinished(120'000));
        const QByteArray said = program.readAllStandardError();
        QVERIFY2(program.exitStatus() == QProcess::NormalExit && program.exitCode() == 0,
                 said.constData());
        std::map<QString, double> values;
        int frames = 0;
        const QJsonDocument figures = QJsonDocument::fromJson(program.readAllStandardOutput());
        for (const QJsonValue& figure : figures.array()) {
            values[figure[u"name"].toString()] = figure[u"value"].toDouble();
            if (figure[u"name"].toString() == u"browse_frame_p50_ms")
                frames = figure[u"runs"].toInt();
            QVERIFY(figure[u"context"].toInt() > 100);
            QCOMPARE(figure[u"device"].toString(), QStringLiteral("CPU"));
        }
        // 500 events in 4 s, most of which change what is on screen; a loaded machine draws fewer.
        QVERIFY2(frames > 20, said.constData());
        const double median = values[QStringLiteral("browse_frame_p50_ms")];
        const double most = values[QStringLiteral("browse_frame_max_ms")];
        QVERIFY(median > 0 && median <= values[QStringLiteral("browse_frame_p99_ms")]);
        QVERIFY(values[QStringLiteral("browse_frame_p99_ms")] <= most);
        QVERIFY(values[QStringLiteral("browse_longest_event_ms")] >= most);
        for (const char* answer : {"head_switch_ms", "hover_ms"})
            QVERIFY2(values[QLatin1String(answer)] > 0, answer);
        const double start = values[QStringLiteral("browse_start_bytes")];
        QVERIFY(start > 1e6);
        QVERIFY(values[QStringLiteral("browse_end_bytes")] < start + 50e6);
        QVERIFY(!values.contains(QStringLiteral("browse_10s_bytes")));  // it was over before
    }
};

QTEST_APPLESS_MAIN(CliBrowseTest)
#include "cli_browse_test.moc"
