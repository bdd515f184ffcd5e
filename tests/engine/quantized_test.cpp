// SPDX-License-Identifier: GPL-3.0-or-later
// Safetensors whose weights are quantized (tests/data/make_quantized.py) against Hugging Face's
// numbers for them, and once more without what makes them so, which must show.
#include <QTemporaryDir>

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

}  // namespace

class QuantizedTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_mxfp4;
    const Golden m_gpt_oss{(data + "tiny_gpt_oss").toStdString()};
    const Golden m_qwen3{(data + "tiny_qwen3_fp8").toStdString()};

    std::string path_of(const QString& method) const {
        return method == "mxfp4" ? m_mxfp4.path().toStdString()
                                 : (data + "tiny_qwen3_fp8").toStdString();
    }
    const Golden& golden_of(const QString& method) const {
        return method == "mxfp4" ? m_gpt_oss : m_qwen3;
    }

  private Q_SLOTS:
    void initTestCase() { link_mxfp4(m_mxfp4); }

    void equalsHuggingFace_data() {
        QTest::addColumn<QString>("method");
        for (const char* method : {"fp8", "mxfp4"}) QTest::newRow(method) << method;
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
