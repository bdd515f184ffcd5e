// SPDX-License-Identifier: GPL-3.0-or-later
// Plans from GGUF metadata and tensors: names, row order, what a tensor's presence says, and what
// is refused.
#include <QTest>

#include "tests/families/plan_helpers.h"

using engine::families::ModelPlan;
using engine::families::RotaryRows;
using support::GgufWriter;

Q_DECLARE_METATYPE(GgufWriter)

class TestPlanGguf : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;

  private slots:
    void gguf_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<RotaryRows>("rows");
        QTest::newRow("llama") << "llama" << RotaryRows::Interleaved;
        QTest::newRow("qwen3") << "qwen3" << RotaryRows::HalfSplit;
    }
    void gguf() {
        QFETCH(QString, arch);
        QFETCH(RotaryRows, rows);
        const bool qk_norm = arch == "qwen3";
        GgufWriter writer = support::tiny_gguf(arch.toLatin1(), qk_norm);
        const ModelPlan plan = support::plan_gguf(m_dir, writer);
        QCOMPARE(plan.config.name, std::string("Tiny"));
        QCOMPARE(plan.config.family, arch.toStdString());
        QCOMPARE(plan.q_rows, rows);
        QCOMPARE(plan.k_rows, rows);
        QCOMPARE(plan.config.q_columns(), 16);
        QCOMPARE(plan.config.vocab, 16);
        QCOMPARE(plan.config.norm_eps, 1e-5f);
        QCOMPARE(plan.unembedding, std::string("token_embd.weight"));
        QCOMPARE(plan.config.per_layer[0].qk_norm_per_head, qk_norm);
        QCOMPARE(plan.layers[1].down, std::string("blk.1.ffn_down.weight"));
        writer.ones("output.weight", {8, 16}).ones("blk.0.attn_q.bias", {16});
        const ModelPlan more = support::plan_gguf(m_dir, writer);
        QCOMPARE(more.unembedding, std::string("output.weight"));
        QVERIFY(more.config.per_layer[0].q_bias && !more.config.per_layer[1].q_bias);
    }

    // One model as safetensors and as GGUF is one configuration; only the order of q and k
    // rows differs.
    void twins() {
        const auto plan = [](const char* path) {
            return engine::families::plan_model(
                engine::formats::open_checkpoint(std::string(TEST_DATA) + path));
        };
        const ModelPlan a = plan("/tiny_llama"), b = plan("/tiny_llama/tiny_llama.gguf");
        QCOMPARE(a.q_rows, RotaryRows::HalfSplit);
        QCOMPARE(b.q_rows, RotaryRows::Interleaved);
        const auto facts = [](const engine::ModelConfig& c) {
            return std::vector<std::int64_t>{c.layers,  c.query_heads, c.kv_heads, c.head_dim,
                                             c.d_model, c.d_ff,        c.vocab,    c.context};
        };
        QCOMPARE(facts(a.config), facts(b.config));
        QCOMPARE(a.config.norm_eps, b.config.norm_eps);
        QCOMPARE(a.config.per_layer[0].rope.inverse_frequency,
                 b.config.per_layer[0].rope.inverse_frequency);
    }

    void badGguf_data() {
        QTest::addColumn<GgufWriter>("writer");
        QTest::addColumn<QStringList>("said");
        const auto row = [](const char* name, auto change, const QStringList& said,
                            const char* arch = "llama", bool qk_norm = false) {
            GgufWriter writer = support::tiny_gguf(arch, qk_norm);
            change(writer);
            QTest::newRow(name) << writer << said;
        };
        const auto nothing = [](GgufWriter&) {};
        row("other architecture", nothing, {"mamba", "llama, ", "gptneox"}, "mamba");
        row("gemma2 without its norms", nothing, {"post_attention_norm.weight is missing"},
            "gemma2");
        row("qwen3 without its norms", nothing, {"attn_q_norm.weight is missing"}, "qwen3");
        row("llama with norms", nothing, {"attn_k_norm.weight", "no role"}, "llama", true);
        row("vocabulary differs", [](GgufWriter& w) { w.u32("llama.vocab_size", 20); },
            {"[16, 8]", "[20, 8]"});
        row("partial rotary", [](GgufWriter& w) { w.u32("llama.rope.dimension_count", 2); },
            {"rope.dimension_count is 2", "4"});
        row("values of other length",
            [](GgufWriter& w) { w.u32("llama.attention.value_length", 8); },
            {"value_length is 8", "4"});
        row(
            "experts of a dense family", [](GgufWriter& w) { w.u32("qwen3.expert_count", 8); },
            {"qwen3.expert_count = 8"}, "qwen3", true);
        row("experts that no token uses", [](GgufWriter& w) { w.u32("llama.expert_count", 8); },
            {"0 of 8 experts"});
        row("experts without weights",
            [](GgufWriter& w) { w.u32("llama.expert_count", 8).u32("llama.expert_used_count", 2); },
            {"ffn_gate_inp.weight is missing"});
        row("window", [](GgufWriter& w) { w.u32("llama.attention.sliding_window", 32); },
            {"sliding_window = 32"});
        row("scale", [](GgufWriter& w) { w.f32("llama.attention.scale", 0.25f); },
            {"attention.scale"});
        row("other scaling", [](GgufWriter& w) { w.string("llama.rope.scaling.type", "ntk"); },
            {"\"ntk\""});
        row("half of longrope", [](GgufWriter& w) { w.ones("rope_factors_long.weight", {2}); },
            {"longrope"});
        row("divisors of other length", [](GgufWriter& w) { w.ones("rope_freqs.weight", {4}); },
            {"[4]", "[2]"});
        row("divisors 0",
            [](GgufWriter& w) {
                w.tensor("rope_freqs.weight", {2}, 0, support::floats({1, 0}));
            },
            {"rope_freqs.weight is 0"});
        row("adapter", [](GgufWriter& w) { w.string("general.type", "adapter"); }, {"adapter"});
        row("a second head",
            [](GgufWriter& w) {
                w.ones("blk.0.ffn_gate_inp.weight", {8, 2});
            },
            {"ffn_gate_inp", "no role"});
        row("output of a type not read",
            [](GgufWriter& w) {
                w.tensor("output.weight", {256, 16}, 15, QByteArray(16 * 292, '\1'));
            },
            {"output.weight", "Q8_K"});
    }
    void badGguf() {
        QFETCH(GgufWriter, writer);
        QFETCH(QStringList, said);
        const auto failure = support::failure_of([&] { support::plan_gguf(m_dir, writer); });
        QVERIFY(failure.has_value());
        for (const QString& part : said)
            QVERIFY2(QString::fromStdString(failure->what).contains(part), failure->what.c_str());
    }
};

QTEST_APPLESS_MAIN(TestPlanGguf)
#include "tst_plan_gguf.moc"
