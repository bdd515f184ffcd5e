// SPDX-License-Identifier: GPL-3.0-or-later
// The model that Headscope starts with, where set-up has put it.
#include <QDir>
#include <QFileInfo>
#include <QTest>
#include <cmath>

#include "engine/families/family.h"
#include "engine/formats/gguf_quants.h"

class TestDefaultModel : public QObject {
    Q_OBJECT
  private slots:
    void opensAndPlans() {
        const QString cache = qEnvironmentVariable("XDG_CACHE_HOME", QDir::homePath() + "/.cache") +
                              "/headscope/models/";
        const QString path = cache + "SmolLM2-135M-Instruct.Q4_1.gguf";
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

        // Weights of a trained model are finite and small; a block read off its place is neither.
        for (const auto& name : {plan.layers[0].q, plan.layers[29].down, plan.embedding}) {
            const auto& tensor = file.at(name);
            std::vector<float> row(static_cast<std::size_t>(tensor.columns()));
            double sum = 0;
            for (std::int64_t i = 0; i < 64; ++i) {
                engine::formats::decode(
                    tensor.storage, tensor.data + static_cast<std::size_t>(i) * tensor.row_bytes(),
                    row.data(), tensor.columns());
                for (const float value : row) {
                    QVERIFY(std::abs(value) < 4);
                    sum += double{value} * value;
                }
            }
            const double rms = std::sqrt(sum / (64.0 * static_cast<double>(tensor.columns())));
            QVERIFY(rms > 0.01 && rms < 0.5);
        }
    }
};

QTEST_APPLESS_MAIN(TestDefaultModel)
#include "tst_default_model.moc"
