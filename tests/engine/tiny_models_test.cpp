// SPDX-License-Identifier: GPL-3.0-or-later
// Tiny random checkpoints against Hugging Face in fp32 (tests/data/make_tiny.py): every tensor of
// every layer, the greedy continuation, and the shapes of Qwen3-8B's head layout.
#include <QTemporaryDir>
#include <QTest>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/values/failure.h"
#include "tests/support/compare.h"
#include "tests/support/engine_run.h"
#include "tests/support/golden_file.h"
#include "tests/support/hostile_files.h"

using namespace engine;

namespace {

std::string data(const char* name) {
    return std::string(TEST_DATA) + "/" + name;
}

struct Golden {
    golden::File file;
    std::vector<TokenId> tokens, prompt;
    std::int64_t rows;
    explicit Golden(const std::string& folder) : file(folder + "/goldens.safetensors") {
        tokens = token_ids(file.at("token_ids").ints);
        const auto length = static_cast<std::ptrdiff_t>(file.at("prompt_length").ints[0]);
        prompt.assign(tokens.begin(), tokens.begin() + length);
        rows = static_cast<std::int64_t>(tokens.size()) - 1;
    }
};

// The heads of qwen3_8b_heads on the model's own d_model, one layer of it, with random weights.
// Returns those of the output projection.
std::vector<float> writeWideModel(const QTemporaryDir& folder) {
    const std::string from = data("qwen3_8b_heads");
    QFile config(QString::fromStdString(from + "/config.json"));
    if (!config.open(QIODevice::ReadOnly)) qFatal("no model");
    nlohmann::json json = nlohmann::json::parse(config.readAll().toStdString());
    json.update({{"hidden_size", 4096}, {"num_hidden_layers", 1}, {"tie_word_embeddings", true}});
    const auto path = [&](const char* name) { return folder.filePath(QString::fromLatin1(name)); };
    QFile::copy(QString::fromStdString(from + "/tokenizer.json"), path("tokenizer.json"));
    support::write_file(path("config.json"), QByteArray::fromStdString(json.dump()));
    std::uint32_t state = 1;
    const auto random = [&](int rows, int columns, float scale) {
        std::vector<float> values(static_cast<std::size_t>(rows) *
                                  static_cast<std::size_t>(columns));
        for (float& value : values) {
            state = state * 1664525 + 1013904223;
            // 8 bits: exact in bf16.
            value = scale * static_cast<float>(static_cast<int>(state >> 24) - 127) / 128;
        }
        return values;
    };
    support::SafetensorsWriter file;
    const auto add = [&](const QByteArray& name, int rows, int columns,
                         const std::vector<float>& values) {
        QByteArray bytes;
        for (const float value : values)
            bytes += support::little(
                static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16));
        const QByteArray shape = columns == 1
                                     ? QByteArray::number(rows)
                                     : QByteArray::number(rows) + ',' + QByteArray::number(columns);
        file.add(name, "BF16", '[' + shape + ']', bytes);
    };
    const auto matrix = [&](const QByteArray& name, int rows, int columns) {
        const std::vector<float> values = random(rows, columns, 1.0F / 32);
        add(name, rows, columns, values);
        return values;
    };
    const auto ones = [&](const QByteArray& name, int size) {
        add(name, size, 1, std::vector<float>(static_cast<std::size_t>(size), 1.0F));
    };
    const QByteArray layer = "model.layers.0.";
    matrix("model.embed_tokens.weight", 320, 4096);
    ones("model.norm.weight", 4096);
    for (const char* norm : {"input_layernorm.weight", "post_attention_layernorm.weight"})
        ones(layer + norm, 4096);
    for (const char* norm : {"self_attn.q_norm.weight", "self_attn.k_norm.weight"})
        ones(layer + norm, 128);
    matrix(layer + "self_attn.q_proj.weight", 4096, 4096);
    matrix(layer + "self_attn.k_proj.weight", 1024, 4096);
    matrix(layer + "self_attn.v_proj.weight", 1024, 4096);
    for (const char* name : {"mlp.gate_proj.weight", "mlp.up_proj.weight"})
        matrix(layer + name, 32, 4096);
    matrix(layer + "mlp.down_proj.weight", 4096, 32);
    std::vector<float> out = matrix(layer + "self_attn.o_proj.weight", 4096, 4096);
    support::write_file(path("model.safetensors"), file.bytes());
    return out;
}

}  // namespace

class TinyModelsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyTensorEqualsHuggingFace_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("goldens");
        QTest::addColumn<int>("pageTokens");
        QTest::addRow("qwen3 group 2, head_dim 32 of 64/4, sharded, page 16") << "tiny_qwen3"
                                                                              << "tiny_qwen3" << 16;
        QTest::addRow("qwen3, page 64") << "tiny_qwen3"
                                        << "tiny_qwen3" << 64;
        QTest::addRow("llama group 4, tied, page 1") << "tiny_llama"
                                                     << "tiny_llama" << 1;
        QTest::addRow("llama as F16 GGUF, rows permuted") << "tiny_llama/tiny_llama.gguf"
                                                          << "tiny_llama" << 16;
        QTest::addRow("llama3 frequency scaling") << "tiny_llama3"
                                                  << "tiny_llama3" << 16;
        QTest::addRow("qwen3-8b's heads") << "qwen3_8b_heads"
                                          << "qwen3_8b_heads" << 16;
    }
    void everyTensorEqualsHuggingFace() {
        QFETCH(QString, model);
        QFETCH(QString, goldens);
        QFETCH(int, pageTokens);
        const Golden golden(data(goldens.toUtf8().constData()));
        const int generated = static_cast<int>(golden.tokens.size() - golden.prompt.size());
        EngineRun run(EngineRun::open(data(model.toUtf8().constData()), pageTokens), golden.prompt,
                      generated);
        QCOMPARE(run.tokens, golden.tokens);

        const Rows rows{0, golden.rows};
        const auto compare = [&](const std::string& kind, int layer) {
            const std::string name =
                layer < 0 ? kind : "layers." + std::to_string(layer) + "." + kind;
            const golden::Tensor expected = golden.file.at(name);
            const std::vector<float> actual = run.read(kind, layer, rows);
            QCOMPARE(actual.size(), expected.values.size());
            const bool absolute = kind == "pattern";
            std::vector<float> value = actual, reference = expected.values;
            if (kind == "scores") {  // −inf where masked on both sides, compared apart
                for (std::size_t i = 0; i < value.size(); ++i) {
                    QCOMPARE(std::isinf(value[i]), std::isinf(reference[i]));
                    if (std::isinf(value[i])) value[i] = reference[i] = 0;
                }
            }
            const double error =
                absolute ? max_difference(value, reference) : relative_difference(value, reference);
            QVERIFY2(error < 1e-4, qPrintable(QString::fromStdString(name) +
                                              QStringLiteral(" is off by %1").arg(error)));
        };
        compare("embedding", -1);
        compare("logits", -1);
        for (int layer = 0; layer < run.engine->info().layers; ++layer)
            for (const char* kind : {"q", "k", "v", "qkv", "scores", "pattern", "lse", "z",
                                     "attention_out", "mlp_out", "residual"})
                compare(kind, layer);
    }

    void contributionsSumToAttentionOut_data() {
        QTest::addColumn<QString>("model");
        for (const char* model : {"tiny_qwen3", "tiny_llama", "qwen3_8b_heads"})
            QTest::addRow("%s", model) << model;
    }
    void contributionsSumToAttentionOut() {
        QFETCH(QString, model);
        const Golden golden(data(model.toUtf8().constData()));
        EngineRun run(EngineRun::open(data(model.toUtf8().constData()), 16), golden.prompt);
        const ModelInfo info = run.engine->info();
        const Rows rows{0, run.rows()};
        for (int layer = 0; layer < info.layers; ++layer) {
            const std::vector<float> parts = run.read("contribution", layer, rows);
            const std::vector<float> norms = run.read("contribution_norm", layer, rows);
            const std::vector<float> whole = run.read("attention_out", layer, rows);
            std::vector<float> sums(whole.size()), lengths(norms.size());
            for (std::int64_t t = 0; t < rows.count(); ++t) {
                for (int h = 0; h < info.query_heads; ++h) {
                    double squares = 0;
                    for (int i = 0; i < info.d_model; ++i) {
                        const float part = parts[static_cast<std::size_t>(
                            (t * info.query_heads + h) * info.d_model + i)];
                        sums[static_cast<std::size_t>(t * info.d_model + i)] += part;
                        squares += double{part} * part;
                    }
                    lengths[static_cast<std::size_t>(t * info.query_heads + h)] =
                        static_cast<float>(std::sqrt(squares));
                }
            }
            QVERIFY(relative_difference(sums, whole) < 1e-5);
            QVERIFY(relative_difference(norms, lengths) < 1e-5);
        }
    }

    // The method's known shapes: a prompt of 5 on 32 query heads, 8 KV heads, head_dim 128.
    void knownShapes() {
        const Golden golden(data("qwen3_8b_heads"));
        const std::vector<TokenId> five(golden.tokens.begin(), golden.tokens.begin() + 5);
        EngineRun run(EngineRun::open(data("qwen3_8b_heads")), five);
        const auto shape = [&](const std::string& kind, int layer, Rows rows) {
            return run.engine->reader()->read(run.run, {kind, Layer{layer}, {}}, rows).data.shape;
        };
        using Shape = std::vector<std::int64_t>;
        const Rows prompt{0, 5};
        for (int layer = 0; layer < run.engine->info().layers; ++layer) {
            QCOMPARE(shape("q", layer, prompt), (Shape{5, 32, 128}));
            QCOMPARE(shape("k", layer, prompt), (Shape{5, 8, 128}));
            QCOMPARE(shape("v", layer, prompt), (Shape{5, 8, 128}));
            QCOMPARE(shape("qkv", layer, prompt), (Shape{5, 6144}));
            QCOMPARE(shape("pattern", layer, prompt), (Shape{32, 5, 5}));
            QCOMPARE(shape("contribution", layer, prompt),
                     (Shape{5, 32, run.engine->info().d_model}));
        }
        // The newest row of every head while generating: (32, 5), (32, 6), (32, 7), (32, 8).
        for (std::int64_t length = 5; length <= 8; ++length) {
            QCOMPARE(run.rows(), length);
            QCOMPARE(shape("pattern", 1, {length - 1, length}), (Shape{32, 1, length}));
            TileRequest request;
            request.run = run.run;
            for (int h = 0; h < 32; ++h) request.heads.push_back({Layer{1}, QueryHead{h}});
            request.dest = {length - 1, length, 1, {}};
            request.src = {0, length, 1, {}};
            request.pooling = Pooling::None;
            const Tile tile = run.engine->reader()->tile(request);
            QCOMPARE(tile.data.shape, (Shape{32, 1, length}));
            for (int h = 0; h < 32; ++h) {
                double sum = 0;
                for (const float p : tile.data.as<float>().subspan(
                         static_cast<std::size_t>(h * length), static_cast<std::size_t>(length)))
                    sum += p;
                QVERIFY(std::abs(sum - 1) < 1e-5);
            }
            run.engine->decode_step(run.run, {});
        }
    }

    // What a head of Qwen3-8B writes is as wide as its residual stream: [5, 4096] each. Against
    // plain loops over z and the written weights.
    void contributionsOfTheFullWidth() {
        constexpr int width = 4096, heads = 32, dim = 128, tokens = 5;
        const QTemporaryDir folder;
        const std::vector<float> out = writeWideModel(folder);  // W_O, [width, heads · dim]
        const EngineRun run(EngineRun::open(folder.path().toStdString()),
                            token_ids({11, 7, 319, 7, 5}));
        const Rows rows{0, tokens};
        const auto reader = run.engine->reader();
        QCOMPARE(reader->read(run.run, {"contribution", Layer{0}, {}}, rows).data.shape,
                 (std::vector<std::int64_t>{tokens, heads, width}));
        const std::vector<float> z = run.read("z", 0, rows),
                                 actual = run.read("contribution", 0, rows),
                                 norms = run.read("contribution_norm", 0, rows);
        std::vector<float> expected(actual.size()), lengths(norms.size());
        for (std::size_t row = 0; row < std::size_t{tokens * heads}; ++row) {
            double squares = 0;
            for (std::size_t i = 0; i < width; ++i) {
                double sum = 0;
                for (std::size_t d = 0; d < dim; ++d)
                    sum += static_cast<double>(z[row * dim + d]) *
                           out[(i * heads + row % heads) * dim + d];
                expected[row * width + i] = static_cast<float>(sum);
                squares += sum * sum;
            }
            lengths[row] = static_cast<float>(std::sqrt(squares));
        }
        QVERIFY(*std::max_element(lengths.begin(), lengths.end()) > 0);
        QVERIFY(relative_difference(actual, expected) < 1e-5);
        QVERIFY(relative_difference(norms, lengths) < 1e-5);
    }
};

QTEST_APPLESS_MAIN(TinyModelsTest)
#include "tiny_models_test.moc"
