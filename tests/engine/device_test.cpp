// SPDX-License-Identifier: GPL-3.0-or-later
// Where an engine computes: what is said of a device that is not there, and that the CPU then does
// the work.
#include <QTest>

#include "engine/values/failure.h"
#include "tests/support/engine_run.h"

using namespace engine;

namespace {

const std::string model = std::string(TEST_DATA) + "/tiny_qwen3";

OpenRequest on(const std::string& device) {
    OpenRequest request;
    request.path = model;
    request.device = device;
    request.threads = 2;
    request.memory_limit = std::int64_t{1} << 28;
    return request;
}

Failure refusal_of(const OpenRequest& request) {
    try {
        (void)open_engine(request, {}, {});
    } catch (const Error& error) {
        return error.failure();
    }
    return {Failure::Kind::Internal, "nothing was thrown", {}, {}};
}

}  // namespace

class DeviceTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void unknownWords_data() {
        QTest::addColumn<QString>("device");
        for (const char* word : {"", "tpu", "CUDA", "cuda:", "cuda:x", "cuda:-1", "cuda:99999"})
            QTest::addRow("'%s'", word) << QString::fromLatin1(word);
    }
    void unknownWords() {
        QFETCH(QString, device);
        const Failure failure = refusal_of(on(device.toStdString()));
        QCOMPARE(failure.kind, Failure::Kind::BadRequest);
        QVERIFY2(failure.what.find('"' + device.toStdString() + '"') != std::string::npos,
                 failure.what.c_str());
    }

    void withoutGpuTheCpuComputes_data() {
        QTest::addColumn<QString>("device");
        for (const char* word : {"cuda", "cuda:3", "auto"})
            QTest::addRow("%s", word) << QString::fromLatin1(word);
    }
    void withoutGpuTheCpuComputes() {
        QFETCH(QString, device);
        if (open_engine(on("auto"), {}, {})->info().device != "CPU") QSKIP("there is a GPU here");
        const EngineRun run(open_engine(on(device.toStdString()), {}, {}), token_ids({5, 6, 7}), 2);
        const ModelInfo& info = run.engine->info();
        QCOMPARE(info.device, std::string("CPU"));
        QVERIFY(!info.device_note.empty());
        QCOMPARE(inspect_model(model, device.toStdString()).device_note, info.device_note);
        QCOMPARE(run.rows(), 5);
    }

    void theCpuNeedsNoReason() {
        QCOMPARE(open_engine(on("cpu"), {}, {})->info().device_note, std::string());
    }

    void shapesNeedAGpu() {
        OpenRequest request = on("cpu");
        request.path.clear();
        request.shape = "qwen3-8b";
        const Failure failure = refusal_of(request);
        QCOMPARE(failure.kind, Failure::Kind::Device);
        QCOMPARE(failure.where, request.shape);
    }
};

QTEST_APPLESS_MAIN(DeviceTest)
#include "device_test.moc"
