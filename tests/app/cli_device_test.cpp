// SPDX-License-Identifier: GPL-3.0-or-later
// The built program on machines whose NVIDIA driver is of no use, which a stub in its place plays:
// it says in a line what is wrong and computes on the CPU. And what it measures of a machine.
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

class CliDeviceTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void saysWhatIsWrongAndComputes_data() {
        QTest::addColumn<QByteArray>("variable");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const char* variable, const char* value,
                            const char* says) {
            QTest::newRow(name) << QByteArray(variable) << QByteArray(value) << QByteArray(says);
        };
        row("older than the runtime", "STUB_CUDA_INIT", "35",
            "the NVIDIA driver is too old: CUDA 13.0 is needed (error 35)");
        row("older by its version", "STUB_CUDA_VERSION", "12040",
            "the NVIDIA driver is too old: it knows CUDA 12.4, and 13.0 is needed");
        row("no version", "STUB_CUDA_VERSION", "-1", "the NVIDIA driver does not answer");
        row("no device", "STUB_CUDA_INIT", "100", "there is no NVIDIA GPU here");
        row("no device among none", "STUB_CUDA_DEVICES", "0", "there is no NVIDIA GPU here");
        row("none may be seen", "CUDA_VISIBLE_DEVICES", "", "there is no NVIDIA GPU here");
        row("the toolkit's stub", "STUB_CUDA_INIT", "34", "toolkit's stub, no driver");
        row("parts of two versions", "STUB_CUDA_INIT", "803", "different versions");
        row("something else", "STUB_CUDA_INIT", "999",
            "the NVIDIA driver does not start (error 999: unknown error)");
        row("an old GPU", "STUB_CUDA_MAJOR", "7", "compute capability is 7.x, and 8.0 is needed");
        row("a build without CUDA", "STUB_CUDA_MAJOR", "9", "this build has no CUDA engine");
    }
    void saysWhatIsWrongAndComputes() {
        QFETCH(QByteArray, variable);
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, says);
        const QFileInfo program(QStringLiteral(HEADSCOPE_PROGRAM));
        if (says.contains("this build") &&
            program.dir().exists(QStringLiteral("libheadscope_cuda_engine.so")))
            QSKIP("this build has a CUDA engine");
        const QTemporaryDir folder;
        const QString out = folder.filePath(QStringLiteral("a.safetensors"));
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("LD_LIBRARY_PATH"), QStringLiteral(STUB_CUDA_FOLDER));
        environment.insert(QString::fromLatin1(variable), QString::fromLatin1(value));
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(
            program.filePath(),
            {QStringLiteral("dump"), QStringLiteral(TEST_DATA "/tiny_qwen3"),
             QStringLiteral("--token-ids"), QStringLiteral("1,2,3"), QStringLiteral("--device"),
             QStringLiteral("cuda"), QStringLiteral("--out"), out});
        QVERIFY(process.waitForFinished(120'000));
        const QByteArray err = process.readAllStandardError();
        QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0, err);
        QVERIFY2(err.startsWith("headscope: computing on the CPU: ") && err.count('\n') == 1, err);
        QVERIFY2(err.contains(says), err);
        QVERIFY(QFileInfo(out).size() > 100);
    }

    // The whole of it on a real model, its window and the programs that it starts too.
    void measuresTheMachine() {
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("LD_LIBRARY_PATH"), QStringLiteral(STUB_CUDA_FOLDER));
        environment.insert(QStringLiteral("STUB_CUDA_INIT"), QStringLiteral("100"));
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(HEADSCOPE_PROGRAM),
                      {QStringLiteral("bench"), QStringLiteral(TEST_DATA "/tiny_qwen3"),
                       QStringLiteral("--threads"), QStringLiteral("1"), QStringLiteral("--json")});
        QVERIFY(process.waitForFinished(240'000));
        QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0,
                 process.readAllStandardError());
        std::map<std::string, double> values;
        for (const auto& figure : nlohmann::json::parse(process.readAllStandardOutput())) {
            const auto said = QByteArray::fromStdString(figure.dump());
            const auto value = figure.at("value").get<double>();
            QVERIFY2(std::isfinite(value) && value > 0, said);
            QVERIFY2(figure.at("limit").is_null() || figure.at("limit").get<double>() > 0, said);
            QVERIFY2(figure.at("runs") >= 1 && figure.at("context") <= 512, said);
            QVERIFY2(figure.at("threads") == 1 && figure.at("device") == "CPU" &&
                         figure.at("dtype") == "float32",
                     said);
            values[figure.at("name")] = value;
        }
        for (const char* name : {"load_s", "first_heatmap_s", "prefill_ms", "max_captured_tokens",
                                 "frame_p99_ms", "browse_frame_p50_ms", "browse_frame_p99_ms"})
            QVERIFY2(values.contains(name), name);
        QVERIFY(values["first_heatmap_s"] > values["load_s"]);  // which is a part of it
        QVERIFY(values["browse_frame_p99_ms"] >= values["browse_frame_p50_ms"]);
    }
};

QTEST_GUILESS_MAIN(CliDeviceTest)
#include "cli_device_test.moc"
