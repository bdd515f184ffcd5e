// SPDX-License-Identifier: GPL-3.0-or-later
// What is of the CUDA engine alone: that it is the CPU's in fp32, that its graph is what its
// kernels are one by one, and that what is cached or under way does not leak from run to run.
#include <dlfcn.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/compare.h"
#include "tests/support/default_model.h"
#include "tests/support/engine_run.h"
#include "tests/support/on_device.h"
#include "tests/support/run_oracle.h"

using namespace engine;

namespace {

const std::string tiny = std::string(TEST_DATA) + "/tiny_qwen3";

std::unique_ptr<Engine> open_on(const char* device, const std::string& path,
                                DType dtype = DType::F32, std::int64_t page_tokens = 64,
                                std::int64_t limit = 1 << 30) {
    return ::open_on(device, path, dtype, page_tokens, limit);
}

std::vector<TokenId> prompt(std::int64_t length, int seed = 7) {
    return mixed_tokens(length, 37, seed);
}

// Of the module that the engine has opened; without a GPU there is none.
void use_graphs(bool wanted) {
    void* module = ::dlopen("libheadscope_cuda_engine.so", RTLD_NOW | RTLD_NOLOAD);
    if (module == nullptr) return;
    const auto use = reinterpret_cast<void (*)(bool)>(::dlsym(module, "headscope_use_cuda_graphs"));
    if (use != nullptr) use(wanted);
}

}  // namespace

#define NEEDS_GPU() \
    if (const std::string why = m_why; !why.empty()) QSKIP(why.c_str())

class CudaEngineTest : public QObject {
    Q_OBJECT

    std::string m_why;

  private Q_SLOTS:
    void initTestCase() { m_why = open_on("cuda", tiny)->info().device_note; }
    void cleanup() { use_graphs(true); }

    void sameAsTheCpu_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("generate");
        const QString data = QStringLiteral(TEST_DATA) + QLatin1Char('/');
        QTest::addRow("tiny llama") << data + QStringLiteral("tiny_llama") << 70 << 8;
        QTest::addRow("tiny llama3, longer") << data + QStringLiteral("tiny_llama3") << 200 << 8;
        QTest::addRow("tiny qwen3, one token") << data + QStringLiteral("tiny_qwen3") << 1 << 8;
        QTest::addRow("tiny GGUF")
            << data + QStringLiteral("tiny_llama/tiny_llama.gguf") << 65 << 8;
        QTest::addRow("default model") << QString::fromStdString(default_model_path()) << 100 << 32;
    }
    void sameAsTheCpu() {
        NEEDS_GPU();
        QFETCH(QString, path);
        QFETCH(int, rows);
        QFETCH(int, generate);
        if (path.endsWith(QStringLiteral("Q4_1.gguf"))) NEEDS_DEFAULT_MODEL();
        const EngineRun cpu(open_on("cpu", path.toStdString()), prompt(rows), generate);
        const EngineRun gpu(open_on("cuda", path.toStdString()), prompt(rows), generate);
        QVERIFY(gpu.engine->info().device != cpu.engine->info().device);
        QCOMPARE(gpu.tokens, cpu.tokens);
        const Rows all{0, rows + generate};
        const int layers = cpu.engine->info().layers;
        for (int layer = 0; layer < layers; ++layer) {
            for (const char* kind : {"q", "k", "v", "qkv", "z", "lse", "attention_out", "mlp_out",
                                     "residual", "contribution", "contribution_norm"}) {
                const double error =
                    relative_difference(gpu.read(kind, layer, all), cpu.read(kind, layer, all));
                QVERIFY2(error < 1e-4, qPrintable(QStringLiteral("layer %1 %2: %3")
                                                      .arg(layer)
                                                      .arg(QLatin1String(kind))
                                                      .arg(error)));
            }
            const double error =
                max_difference(gpu.read("pattern", layer, all), cpu.read("pattern", layer, all));
            QVERIFY2(error < 1e-4, qPrintable(QString::number(error)));
        }
        QVERIFY(relative_difference(gpu.read("logits", -1, all), cpu.read("logits", -1, all)) <
                1e-4);
    }

    // The same seed draws the same tokens, whoever draws.
    void samplesAsTheCpu_data() {
        QTest::addColumn<double>("temperature");
        QTest::addColumn<int>("topK");
        QTest::addColumn<double>("topP");
        QTest::addRow("all") << 1.0 << 0 << 1.0;
        QTest::addRow("hot") << 5.0 << 0 << 1.0;
        QTest::addRow("top-k 1") << 1.0 << 1 << 1.0;
        QTest::addRow("top-k 7") << 2.0 << 7 << 1.0;
        QTest::addRow("top-p") << 1.5 << 0 << 0.6;
        QTest::addRow("top-p of one token") << 1.0 << 0 << 1e-9;
        QTest::addRow("top-k and top-p") << 3.0 << 20 << 0.9;
    }
    void samplesAsTheCpu() {
        NEEDS_GPU();
        QFETCH(double, temperature);
        QFETCH(int, topK);
        QFETCH(double, topP);
        const auto draw = [&](const char* device) {
            const auto engine = open_on(device, tiny);
            std::vector<TokenId> drawn;
            for (std::uint64_t seed = 0; seed < 3; ++seed) {
                const RunId run =
                    engine->open_run({prompt(12), {temperature, topK, topP, seed}, 0});
                while (!engine->prefill_chunk(run, {}).finished()) {
                }
                for (int i = 0; i < 40; ++i) drawn.push_back(engine->decode_step(run, {}).token.id);
                // Anew from here on, in the middle of what may be under way.
                engine->set_sampling(run, {temperature, topK, topP, seed + 100});
                for (int i = 0; i < 5; ++i) drawn.push_back(engine->decode_step(run, {}).token.id);
                engine->close_run(run);
            }
            return drawn;
        };
        QCOMPARE(draw("cuda"), draw("cpu"));
    }

    // 64 steps with another prompt read between steps 20 and 21, another pool and a model
    // loaded anew at 40.
    void graphIsItsKernelsOneByOne_data() {
        QTest::addColumn<int>("dtype");
        QTest::addRow("float32") << static_cast<int>(DType::F32);
        QTest::addRow("bfloat16") << static_cast<int>(DType::BF16);
        QTest::addRow("float16") << static_cast<int>(DType::F16);
    }
    void graphIsItsKernelsOneByOne() {
        NEEDS_GPU();
        QFETCH(int, dtype);
        struct Result {
            std::vector<TokenId> tokens;
            std::vector<float> pattern, z;
        };
        const auto generate = [&](bool graphs) {
            use_graphs(graphs);
            const auto type = static_cast<DType>(dtype);
            auto engine = open_on("cuda", tiny, type, 16, 1 << 26);
            std::vector<TokenId> tokens = prompt(50);
            RunId run = engine->open_run({tokens, {}, 0});
            while (!engine->prefill_chunk(run, {}).finished()) {
            }
            for (int step = 0; step < 64; ++step) {
                if (step == 20) {
                    const RunId other = engine->open_run({prompt(130, 11), {}, 0});
                    while (!engine->prefill_chunk(other, {}).finished()) {
                    }
                    (void)engine->decode_step(other, {});
                    engine->close_run(other);
                }
                if (step == 40) {
                    engine = open_on("cuda", tiny, type, 16, 1 << 25);
                    run = engine->open_run({tokens, {}, 0});
                    while (!engine->prefill_chunk(run, {}).finished()) {
                    }
                }
                tokens.push_back(engine->decode_step(run, {}).token.id);
            }
            const auto read = [&](const char* kind) {
                const NamedTensor tensor =
                    engine->reader()->read(run, {kind, Layer{2}, {}}, {0, 114});
                const auto span = tensor.data.as<float>();
                return std::vector<float>(span.begin(), span.end());
            };
            return Result{tokens, read("pattern"), read("z")};
        };
        const Result one_by_one = generate(false), graph = generate(true);
        QCOMPARE(graph.tokens, one_by_one.tokens);
        QVERIFY(max_difference(graph.pattern, one_by_one.pattern) < 1e-5);
        QVERIFY(relative_difference(graph.z, one_by_one.z) < 1e-5);
    }

    // Long enough for several chunks, at lengths that go through cuDNN, flash attention and the
    // general kernel; fp16 against fp32.
    void longPromptsInHalfPrecision_data() {
        QTest::addColumn<int>("rows");
        for (const int rows : {63, 64, 200, 511}) QTest::addRow("%d rows", rows) << rows;
    }
    void longPromptsInHalfPrecision() {
        NEEDS_GPU();
        QFETCH(int, rows);
        const EngineRun whole(open_on("cuda", tiny), prompt(rows));
        const EngineRun half(open_on("cuda", tiny, DType::F16), prompt(rows));
        for (int layer = 0; layer < whole.engine->info().layers; ++layer) {
            QVERIFY(relative_difference(half.read("z", layer, {0, rows}),
                                        whole.read("z", layer, {0, rows})) < 2e-2);
            const CheckReport report = half.engine->reader()->checks(half.run, Layer{layer});
            QVERIFY2(report.row_sum_error < report.row_sum_tolerance,
                     qPrintable(QString::number(report.row_sum_error)));
        }
    }

    static void addModelsAndTypes() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("dtype");
        for (const char* model : {"tiny_qwen3", "tiny_llama3", "tiny_llama"}) {
            const QString name = QLatin1String(model);
            QTest::addRow("%s float32", model) << name << static_cast<int>(DType::F32);
            QTest::addRow("%s float16", model) << name << static_cast<int>(DType::F16);
            QTest::addRow("%s bfloat16", model) << name << static_cast<int>(DType::BF16);
        }
    }

    // Rows that steps computed, with their own fused kernels, over the q, k and v that they left.
    void decodedRowsFitTheOracle_data() { addModelsAndTypes(); }
    void decodedRowsFitTheOracle() {
        NEEDS_GPU();
        QFETCH(QString, model);
        QFETCH(int, dtype);
        const auto type = static_cast<DType>(dtype);
        const EngineRun stepped(
            open_on("cuda", std::string(TEST_DATA) + "/" + model.toStdString(), type, 16),
            prompt(40), 90);
        // z and the probabilities that it is summed with are rounded to the type.
        const double tolerance = type == DType::F32   ? 1e-5
                                 : type == DType::F16 ? std::ldexp(1, -10)
                                                      : std::ldexp(1, -7);
        for (int layer = 0; layer < stepped.engine->info().layers; ++layer)
            if (!fits_oracle(oracle_errors(stepped, layer, 40, 0), tolerance, layer)) return;
    }

    // Chunks that libtorch's kernels attend to: filled up to the lengths that cuDNN has planned,
    // whole ones, and one behind another; what fills them up lies in memory that held other
    // numbers.
    void readRowsFitTheOracle_data() {
        QTest::addColumn<int>("dtype");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("first");
        for (const auto& [name, dtype] :
             {std::pair("float16", DType::F16), std::pair("bfloat16", DType::BF16)})
            for (const auto& [rows, first] :
                 {std::pair(64, 0), std::pair(255, 0), std::pair(256, 0), std::pair(257, 0),
                  std::pair(500, 0), std::pair(2047, 1900), std::pair(2148, 1948),
                  std::pair(2304, 2200)})
                QTest::addRow("%s %d rows", name, rows) << static_cast<int>(dtype) << rows << first;
    }
    void readRowsFitTheOracle() {
        NEEDS_GPU();
        QFETCH(int, dtype);
        QFETCH(int, rows);
        QFETCH(int, first);
        const auto type = static_cast<DType>(dtype);
        const QTemporaryDir folder;
        const QDir from(QString::fromStdString(tiny));
        for (const QString& file : from.entryList(QDir::Files))
            if (file != QStringLiteral("config.json"))
                QVERIFY(QFile::copy(from.filePath(file), folder.filePath(file)));
        QFile config(QString::fromStdString(tiny + "/config.json"));
        QVERIFY(config.open(QIODevice::ReadOnly));
        QFile longer(folder.filePath(QStringLiteral("config.json")));
        QVERIFY(longer.open(QIODevice::WriteOnly));
        longer.write(config.readAll().replace("\"max_position_embeddings\": 512",
                                              "\"max_position_embeddings\": 4096"));
        longer.close();
        const std::string path = folder.path().toStdString();
        { const EngineRun other(open_on("cuda", path, type), prompt(2300, 11)); }
        const EngineRun run(open_on("cuda", path, type), prompt(rows));
        const double tolerance = type == DType::F16 ? std::ldexp(1, -10) : std::ldexp(1, -7);
        for (int layer = 0; layer < run.engine->info().layers; ++layer)
            if (!fits_oracle(oracle_errors(run, layer, first, 0), tolerance, layer)) return;
    }

    // And the rows are those of the same tokens read as a prompt: in fp32 the same numbers, in 16
    // bits as near to the fp32 ones, whose distance grows from layer to layer.
    void decodedRowsAreAsRead_data() { addModelsAndTypes(); }
    void decodedRowsAreAsRead() {
        NEEDS_GPU();
        QFETCH(QString, model);
        QFETCH(int, dtype);
        const std::string path = std::string(TEST_DATA) + "/" + model.toStdString();
        const auto type = static_cast<DType>(dtype);
        const EngineRun stepped(open_on("cuda", path, type, 16), prompt(40), 90);
        const EngineRun read(open_on("cuda", path, type, 16), stepped.tokens);
        const EngineRun whole(open_on("cuda", path, DType::F32, 16), stepped.tokens);
        const Rows rows{40, 130};
        for (int layer = 0; layer < read.engine->info().layers; ++layer)
            for (const char* kind : {"q", "k", "v", "z", "lse", "residual"}) {
                const auto reference = whole.read(kind, layer, rows);
                const double of_read = relative_difference(read.read(kind, layer, rows), reference);
                const double error =
                    relative_difference(stepped.read(kind, layer, rows), reference);
                const double tolerance = type == DType::F32 ? 2e-5 : 2 * of_read;
                QVERIFY2(error <= tolerance, qPrintable(QStringLiteral("layer %1 %2: %3 of %4")
                                                            .arg(layer)
                                                            .arg(QLatin1String(kind))
                                                            .arg(error)
                                                            .arg(tolerance)));
            }
    }

    void refusedPromptLeavesTheCardUsable() {
        NEEDS_GPU();
        const auto engine = open_on("cuda", tiny, DType::F32, 16, 1 << 20);
        const std::int64_t room = engine->info().pages * 16;
        QVERIFY(room < 512);
        try {
            (void)engine->open_run({prompt(room + 1), {}, 0});
            QFAIL("nothing was thrown");
        } catch (const Error& error) {
            QCOMPARE(error.failure().kind, Failure::Kind::OutOfMemory);
            QVERIFY(error.failure().what.find(std::to_string(room + 1)) != std::string::npos);
        }
        const RunId run = engine->open_run({prompt(room), {}, 0});
        while (!engine->prefill_chunk(run, {}).finished()) {
        }
        QCOMPARE(engine->reader()->rows(run), room);
    }
};

QTEST_APPLESS_MAIN(CudaEngineTest)
#include "cuda_engine_test.moc"
