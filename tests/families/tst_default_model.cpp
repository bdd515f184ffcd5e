// SPDX-License-Identifier: GPL-3.0-or-later
// The model that Headscope starts with, where set-up has put it.
#include <QDir>
#include <QFileInfo>
#include <QTest>
#include <cmath>

#include "engine/families/family.h"
#include "engine/formats/gguf_quants.h"

namespace {

QString model_path() {
    QString cache = qEnvironmentVariable("XDG_CACHE_HOME");
    if (cache.isEmpty()) cache = QDir::homePath() + "/.cache";
    return cache + "/headscope/models/SmolLM2-135M-Instruct.Q4_1.gguf";
}

}  // namespace

class TestDefaultModel : public QObject {
    Q_OBJECT
  private slots:
    void opensAndPlans() {
        const QString path = model_path();
        if (!QFileInfo::exists(path)) QSKIP("the default model is not in the cache folder");
        const auto file = engine::formats::open_checkpoint(path.toStdString());
        QCOMPARE(file.tensors.size(), std::size_t{272});
        QVERIFY(file.refused.empty());
        QCOMPARE(file.metadata.texts("tokenizer.ggml.tokens").size(), std::size_t{49152});
        const auto plan = engine::families::plan_model(file);
        const engine::ModelConfig& c = plan.config;
        QCOMPARE(c.name, std::string("Smollm2 135M 8k Lc100K Mix1 Ep2"));
        QCOMPARE(c.family, std::string("llama"));
        QCOMPARE(c.layers, 30);
        QCOMPARE(c.query_heads, 9);
        QCOMPARE(c.kv_heads, 3);
        QCOMPARE(c.head_dim, 64);
        QCOMPARE(c.d_model, 576);
        QCOMPARE(c.d_ff, 1536);
        QCOMPARE(c.vocab, 49152);
        QCOMPARE(c.context, 8192);
        QCOMPARE(c.norm_eps, 1e-5f);
        QCOMPARE(c.per_layer.size(), std::size_t{30});
        for (const engine::LayerConfig& layer : c.per_layer) {
            QCOMPARE(layer.attention.describe(), std::string("full"));
            QCOMPARE(layer.attention.scale, 0.125f);
            QVERIFY(!layer.q_bias && !layer.o_bias && !layer.qk_norm_per_head);
            for (std::size_t i = 0; i < 32; ++i)
                QVERIFY(std::abs(layer.rope.inverse_frequency.at(i) /
                                     std::pow(100000.0, -static_cast<double>(i) / 32) -
                                 1) < 1e-12);
        }
        QCOMPARE(plan.q_rows, engine::families::RotaryRows::Interleaved);
        QCOMPARE(plan.unembedding, plan.embedding);
        QVERIFY(plan.unused.empty());
    }

    // The first 64 rows of three weights against a decoder of its own, ten lines of Python over the
    // same bytes.
    void weights_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("sum");
        QTest::addColumn<double>("squares");
        QTest::addColumn<float>("first");
        QTest::addColumn<float>("eighteenth");  // a high nibble
        QTest::addColumn<float>("last");
        QTest::newRow("Q4_1") << "blk.0.attn_q.weight" << -26.88800048828125 << 2407.487906602677
                              << -0.0963134765625f << 0.2841796875f << -0.061248779296875f;
        QTest::newRow("Q4_1, last layer")
            << "blk.29.ffn_down.weight" << -15.135086059570312 << 3579.2644072191324
            << -0.2733154296875f << 0.04840087890625f << 0.175933837890625f;
        QTest::newRow("Q8_0") << "token_embd.weight" << -19.373059272766113 << 527.1108162187729
                              << -0.10654449462890625f << 0.08371353149414062f
                              << 0.020923614501953125f;
    }
    void weights() {
        QFETCH(QString, name);
        QFETCH(double, sum);
        QFETCH(double, squares);
        QFETCH(float, first);
        QFETCH(float, eighteenth);
        QFETCH(float, last);
        if (!QFileInfo::exists(model_path())) QSKIP("the default model is not in the cache folder");
        const auto file = engine::formats::open_checkpoint(model_path().toStdString());
        const auto& tensor = file.at(name.toStdString());
        std::vector<float> values(64 * static_cast<std::size_t>(tensor.columns()));
        engine::formats::decode(tensor.storage, tensor.data, values.data(), 64 * tensor.columns());
        double found_sum = 0, found_squares = 0;
        for (const float value : values) {
            found_sum += value;
            found_squares += double{value} * value;
        }
        QVERIFY(std::abs(found_sum - sum) < 1e-5);
        QVERIFY(std::abs(found_squares / squares - 1) < 1e-7);
        QCOMPARE(values.front(), first);
        QCOMPARE(values[17], eighteenth);
        QCOMPARE(values.back(), last);
    }
};

QTEST_APPLESS_MAIN(TestDefaultModel)
#include "tst_default_model.moc"
