// SPDX-License-Identifier: GPL-3.0-or-later
// Safetensors whose weights are quantized (tests/data/make_quantized.py) against Hugging Face's
// numbers for them, and once more without what makes them so, which must show.
#include <QTemporaryDir>

#include "engine/formats/gguf_quants.h"
#include "engine/formats/messages.h"
#include "tests/support/hostile_files.h"
#include "tests/support/pattern_distance.h"

using namespace engine;
using families::ModelPlan;
using formats::StoredTensor;
using WeightChange = std::function<void(StoredTensor&)>;
Q_DECLARE_METATYPE(WeightChange)

namespace {

const QString data = QStringLiteral(TEST_DATA "/");

// tiny_gpt_oss with its experts in MXFP4: the index takes the others from the plain file.
void link_mxfp4(const QTemporaryDir& to) {
    const QString from = data + "tiny_gpt_oss/";
    for (const char* file : {"model.safetensors", "mxfp4.safetensors", "tokenizer.json"})
        QVERIFY(QFile::link(from + file, to.filePath(file)));
    QVERIFY(QFile::link(from + "mxfp4.index.json", to.filePath("model.safetensors.index.json")));
    QVERIFY(QFile::link(from + "config_mxfp4.json", to.filePath("config.json")));
}

// tiny_llama, whose numbers are BF16, in wider floats: the same numbers.
void write_wide(const QTemporaryDir& to, bool f64) {
    const QString from = data + "tiny_llama/";
    for (const char* file : {"config.json", "tokenizer.json"})
        QVERIFY(QFile::link(from + file, to.filePath(file)));
    support::SafetensorsWriter writer;
    const formats::Checkpoint checkpoint = formats::open_checkpoint(from.toStdString());
    for (const auto& [name, tensor] : checkpoint.tensors) {
        std::vector<float> values(tensor.bytes / 2);
        formats::decode(tensor.storage, tensor.data, values.data(),
                        static_cast<std::int64_t>(values.size()));
        QByteArray doubles;
        for (const float value : values) doubles += support::little(double{value});
        writer.add(QByteArray::fromStdString(name), f64 ? "F64" : "F32",
                   QByteArray::fromStdString(formats::shape_text(tensor.shape)),
                   f64 ? doubles : support::floats(values));
    }
    QVERIFY(support::write_file(to.filePath("model.safetensors"), writer.bytes()));
}

}  // namespace

class QuantizedTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_mxfp4, m_f32, m_f64;
    const Golden m_gpt_oss{(data + "tiny_gpt_oss").toStdString()};
    const Golden m_qwen3{(data + "tiny_qwen3_fp8").toStdString()};
    const Golden m_llama{(data + "tiny_llama").toStdString()};

    std::string path_of(const QString& method) const {
        if (method == "f32") return m_f32.path().toStdString();
        if (method == "f64") return m_f64.path().toStdString();
        return method == "mxfp4" ? m_mxfp4.path().toStdString()
                                 : (data + "tiny_qwen3_fp8").toStdString();
    }
    const Golden& golden_of(const QString& method) const {
        if (method == "f32" || method == "f64") return m_llama;
        return method == "mxfp4" ? m_gpt_oss : m_qwen3;
    }

  private Q_SLOTS:
    void initTestCase() {
        link_mxfp4(m_mxfp4);
        write_wide(m_f32, false);
        write_wide(m_f64, true);
    }

    void equalsHuggingFace_data() {
        QTest::addColumn<QString>("method");
        for (const char* method : {"fp8", "mxfp4", "f32", "f64"}) QTest::newRow(method) << method;
    }
    void equalsHuggingFace() {
        QFETCH(QString, method);
        const Golden& golden = golden_of(method);
        EngineRun run(EngineRun::open(path_of(method), 16, 1), golden.prompt, golden.generated());
        QCOMPARE(run.tokens, golden.tokens);
        const Rows rows{0, golden.rows};
        QVERIFY(golden.distance("logits", -1, run.read("logits", -1, rows)) < 1e-4);
        for (int layer = 0; layer < run.engine->info().layers; ++layer)
            for (const char* kind : {"pattern", "z", "attention_out", "mlp_out", "residual"}) {
                const double off = golden.distance(kind, layer, run.read(kind, layer, rows));
                QVERIFY2(off < 1e-4, qPrintable(QStringLiteral("%1: %2").arg(kind).arg(off)));
            }
    }

    void leftOut_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<WeightChange>("change");
        const auto row = [](const char* method, const char* what, WeightChange change) {
            QTest::addRow("%s: %s", method, what) << method << std::move(change);
        };
        row("fp8", "no factors", [](StoredTensor& t) { t.scales = {}; });
        row("fp8", "blocks of 8 x 16",
            [](StoredTensor& t) { std::swap(t.scales.rows, t.scales.columns); });
        row("mxfp4", "one power of two", [](StoredTensor& t) {
            static const std::vector<std::byte> ones(1 << 16, std::byte{127});
            if (t.storage == formats::Storage::MXFP4_PAIRS) t.scales.data = ones.data();
        });
    }
    void leftOut() {
        QFETCH(QString, method);
        QFETCH(WeightChange, change);
        const double off = pattern_distance(golden_of(method), path_of(method), {}, change);
        QVERIFY2(off > 0.05, QByteArray::number(off));
    }

    void gateAndUpLieInTurn() {
        const double off = pattern_distance(m_gpt_oss, path_of("mxfp4"),
                                            [](ModelPlan& p) { p.interleaved_experts = false; });
        QVERIFY2(off > 0.05, QByteArray::number(off));
    }

    // Matrices are those of the file, its 8 bytes of a weight too.
    void widerFloatsAreUsedInPlace_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("format");
        QTest::newRow("f32") << "f32"
                             << "safetensors F32";
        QTest::newRow("f64") << "f64"
                             << "safetensors F64";
    }
    void widerFloatsAreUsedInPlace() {
        QFETCH(QString, method);
        QFETCH(QString, format);
        QCOMPARE(QString::fromStdString(inspect_model(path_of(method)).format), format);
        const formats::Checkpoint checkpoint = formats::open_checkpoint(path_of(method));
        const auto model = load_model(checkpoint, families::plan_model(checkpoint), {}, {});
        std::vector<const std::byte*> used, stored;
        const auto use = [&](const Linear& linear) {
            for (const kernels::Weight& weight : linear.weights()) used.push_back(weight.data);
        };
        use(model->embedding);
        for (int layer = 0; layer < model->config.layers; ++layer) {
            const DecoderLayer& one = model->layers[static_cast<std::size_t>(layer)];
            for (const Linear* linear : {&one.qkv, &one.o, &one.gate_up, &one.down}) use(*linear);
        }
        for (const auto& [name, tensor] : checkpoint.tensors)
            if (tensor.shape.size() == 2) stored.push_back(tensor.data);
        std::sort(used.begin(), used.end());
        std::sort(stored.begin(), stored.end());
        QCOMPARE(used.size(), std::size_t{15});  // the embedding and 7 a layer
        QVERIFY(used == stored);
    }

    // A file's 4 bits of a weight stay 4 bits of memory.
    void weightsAreUsedInPlace() {
        const auto info = inspect_model(path_of("mxfp4"));
        QCOMPARE(info.format, std::string("safetensors BF16"));
        QVERIFY(info.weight_bytes <
                inspect_model((data + "tiny_gpt_oss").toStdString()).weight_bytes);
        const formats::Checkpoint checkpoint = formats::open_checkpoint(path_of("mxfp4"));
        const auto model = load_model(checkpoint, families::plan_model(checkpoint), {}, {});
        const StoredTensor& stored = checkpoint.at("model.layers.1.mlp.experts.gate_up_proj");
        for (const Expert& expert : model->layers[1].experts)
            for (const kernels::Weight& weight : expert.gate_up.weights())
                QVERIFY(weight.data >= stored.data && weight.data < stored.data + stored.bytes);
        QCOMPARE(inspect_model(path_of("fp8")).format, std::string("safetensors F8_E4M3"));
    }
};

QTEST_APPLESS_MAIN(QuantizedTest)
#include "quantized_test.moc"
