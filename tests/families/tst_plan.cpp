// SPDX-License-Identifier: GPL-3.0-or-later
// Configurations to plans: dimensions, biases, tying, windows, names; shapes that do not fit are
// refused with numbers.
#include <QTest>
#include <cmath>
#include <functional>

#include "tests/families/plan_helpers.h"

using engine::Failure;
using engine::families::ModelPlan;
using engine::families::RotaryRows;
using nlohmann::json;
using support::SafetensorsWriter;
using support::TinySizes;

using Change = std::function<void(json&)>;
using ChangeWeights = std::function<void(SafetensorsWriter&)>;
Q_DECLARE_METATYPE(Change)
Q_DECLARE_METATYPE(ChangeWeights)

namespace {

Change set(const char* key, json value) {
    return [=](json& config) { config[key] = value; };
}
Change unset(const char* key) {
    return [=](json& config) { config.erase(key); };
}

}  // namespace

class TestPlan : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;

  private slots:
    void dimensions() {
        const ModelPlan plan =
            support::plan_folder(m_dir, support::tiny_config("qwen3"), support::tiny_weights(true));
        const engine::ModelConfig& c = plan.config;
        QCOMPARE(c.family, std::string("qwen3"));
        QCOMPARE(c.name, m_dir.path().section('/', -1).toStdString());
        QCOMPARE(c.layers, 2);
        QCOMPARE(c.query_heads, 4);
        QCOMPARE(c.kv_heads, 2);
        QCOMPARE(c.head_dim, 4);
        QCOMPARE(c.q_columns(), 16);  // twice d_model
        QCOMPARE(c.d_model, 8);
        QCOMPARE(c.d_ff, 12);
        QCOMPARE(c.vocab, 16);
        QCOMPARE(c.context, 64);
        QCOMPARE(c.norm_eps, 1e-5f);
        QCOMPARE(c.per_layer.size(), std::size_t{2});
        QCOMPARE(c.per_layer[0].attention.scale, 0.5f);
        QCOMPARE(c.per_layer[1].attention.describe(), std::string("full"));
        QVERIFY(c.per_layer[0].qk_norm_per_head && !c.per_layer[0].q_bias);
        QCOMPARE(plan.q_rows, RotaryRows::HalfSplit);
        QCOMPARE(plan.unembedding, plan.embedding);
        QCOMPARE(plan.layers[1].q_norm, std::string("model.layers.1.self_attn.q_norm.weight"));
        QVERIFY(plan.layers[1].o_bias.empty());
        QVERIFY(plan.unused.empty());
    }

    // Queries wider than the stream: hidden 64, 4 heads, q rows 128.
    void headDim_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<int>("rows");  // of q_proj in the file
        QTest::addColumn<Change>("change");
        QTest::addColumn<int>("head_dim");  // 0: refused
        QTest::addColumn<QStringList>("said");
        const auto row = [](const char* name, const char* type, int rows, Change change,
                            int head_dim, const QStringList& said = {}) {
            QTest::newRow(name) << type << rows << std::move(change) << head_dim << said;
        };
        row("qwen3, given", "qwen3", 128, set("head_dim", 32), 32);
        row("qwen3, absent: 128", "qwen3", 512, unset("head_dim"), 128);
        row("qwen3, null: 128", "qwen3", 512, set("head_dim", nullptr), 128);
        row("qwen3, absent but the file has 32", "qwen3", 128, unset("head_dim"), 0,
            {"128", "512"});
        row("qwen3, 16 but the file has 32", "qwen3", 128, set("head_dim", 16), 0,
            {"[128, 64]", "[64, 64]", "4 query heads × head_dim 16 = 64"});
        row("llama, given", "llama", 128, set("head_dim", 32), 32);
        row("llama, absent: quotient", "llama", 64, unset("head_dim"), 16);
        row("llama, null: quotient", "llama", 64, set("head_dim", nullptr), 16);
        row("llama, absent but the file has 32", "llama", 128, unset("head_dim"), 0, {"128", "64"});
        row("odd", "llama", 60, set("head_dim", 15), 0, {"15", "even"});
        row("zero", "llama", 64, set("head_dim", 0), 0, {"head_dim is 0"});
        row("a text", "llama", 64, set("head_dim", "16"), 0, {"head_dim", "integer"});
    }
    void headDim() {
        QFETCH(QString, type);
        QFETCH(int, rows);
        QFETCH(Change, change);
        QFETCH(int, head_dim);
        QFETCH(QStringList, said);
        TinySizes sizes;
        sizes.d = 64;
        sizes.head_dim = rows / 4;
        json config = support::tiny_config(qPrintable(type), sizes);
        change(config);
        int planned = 0;
        const auto failure = support::failure_of([&] {
            const auto weights = support::tiny_weights(type == "qwen3", false, sizes);
            planned = support::plan_folder(m_dir, config, weights).config.head_dim;
        });
        QCOMPARE(planned, head_dim);
        QCOMPARE(failure.has_value(), head_dim == 0);
        for (const QString& part : said)
            QVERIFY2(QString::fromStdString(failure->what).contains(part), failure->what.c_str());
    }

    // 4 layers; the answer is each layer's window.
    void windows_data() {
        QTest::addColumn<json>("changes");
        QTest::addColumn<std::vector<int>>("windows");
        const auto row = [](const char* name, json changes, std::vector<int> windows) {
            QTest::newRow(name) << std::move(changes) << std::move(windows);
        };
        const std::vector<int> full{0, 0, 0, 0}, all{7, 7, 7, 7};
        row("nothing said", json::object(), full);
        row("on from layer 2",
            {{"use_sliding_window", true}, {"sliding_window", 7}, {"max_window_layers", 2}},
            {0, 0, 7, 7});
        row("on from layer 4",
            {{"use_sliding_window", true}, {"sliding_window", 7}, {"max_window_layers", 4}}, full);
        row("on from layer 0",
            {{"use_sliding_window", true}, {"sliding_window", 7}, {"max_window_layers", 0}}, all);
        row("off from layer 0",
            {{"use_sliding_window", false}, {"sliding_window", 7}, {"max_window_layers", 0}}, full);
        row("off, 4096 present", {{"use_sliding_window", false}, {"sliding_window", 4096}}, full);
        row("number alone", {{"sliding_window", 7}, {"max_window_layers", 0}}, full);
        row("on, max_window_layers 28 by default",
            {{"use_sliding_window", true}, {"sliding_window", 7}}, full);
        row("on, number null",
            {{"use_sliding_window", true}, {"sliding_window", nullptr}, {"max_window_layers", 0}},
            full);
        row("on, number 4096 by default", {{"use_sliding_window", true}, {"max_window_layers", 3}},
            {0, 0, 0, 4096});
        const json types{"sliding_attention", "full_attention", "full_attention",
                         "sliding_attention"};
        row("layer_types over off",
            {{"use_sliding_window", false}, {"sliding_window", 7}, {"layer_types", types}},
            {7, 0, 0, 7});
        row("layer_types over max_window_layers",
            {{"use_sliding_window", true},
             {"sliding_window", 7},
             {"max_window_layers", 2},
             {"layer_types", types}},
            {7, 0, 0, 7});
    }
    void windows() {
        QFETCH(json, changes);
        QFETCH(std::vector<int>, windows);
        TinySizes sizes;
        sizes.layers = 4;
        json config = support::tiny_config("qwen3", sizes);
        config.update(changes);
        const ModelPlan plan =
            support::plan_folder(m_dir, config, support::tiny_weights(true, false, sizes));
        std::vector<int> planned;
        for (const engine::LayerConfig& layer : plan.config.per_layer)
            planned.push_back(layer.attention.window);
        QCOMPARE(planned, windows);
        for (std::size_t i = 0; i < windows.size(); ++i)
            QCOMPARE(plan.config.per_layer[i].attention.describe(),
                     windows[i] ? "window " + std::to_string(windows[i]) : "full");
    }

    // Of the families whose windows follow from the layer alone.
    void windowsByFamily_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<json>("changes");
        QTest::addColumn<std::vector<int>>("windows");
        const auto row = [](const char* name, const char* type, json changes,
                            std::vector<int> windows) {
            QTest::newRow(name) << QString(type) << std::move(changes) << std::move(windows);
        };
        row("mistral, number", "mistral", {{"sliding_window", 7}}, std::vector<int>(7, 7));
        row("mistral, null", "mistral", {{"sliding_window", nullptr}}, std::vector<int>(7, 0));
        row("mistral, 4096 by default", "mistral", json::object(), std::vector<int>(7, 4096));
        row("gemma2, even layers", "gemma2", {{"sliding_window", 7}}, {7, 0, 7, 0, 7, 0, 7});
        row("gemma3, 5 : 1", "gemma3_text", {{"sliding_window", 7}}, {7, 7, 7, 7, 7, 0, 7});
        row("gemma3, period 3", "gemma3_text",
            {{"sliding_window", 7}, {"sliding_window_pattern", 3}}, {7, 7, 0, 7, 7, 0, 7});
        const char *full = "full_attention", *sliding = "sliding_attention";
        row("gemma3, a list over the period", "gemma3_text",
            {{"sliding_window", 7}, {"layer_types", {full, full, sliding, full, full, full, full}}},
            {0, 0, 7, 0, 0, 0, 0});
    }
    void windowsByFamily() {
        QFETCH(QString, type);
        QFETCH(json, changes);
        QFETCH(std::vector<int>, windows);
        TinySizes sizes;
        sizes.layers = 7;
        json config = support::tiny_config(qPrintable(type), sizes);
        config.update(changes);
        SafetensorsWriter weights = support::tiny_weights(type == "gemma3_text", false, sizes);
        if (type != "mistral")
            for (int i = 0; i < sizes.layers; ++i)
                for (const char* norm : {"pre", "post"})
                    weights.ones("model.layers." + QByteArray::number(i) + "." + norm +
                                     "_feedforward_layernorm.weight",
                                 {sizes.d});
        std::vector<int> planned;
        for (const engine::LayerConfig& layer :
             support::plan_folder(m_dir, config, weights).config.per_layer)
            planned.push_back(layer.attention.window);
        QCOMPARE(planned, windows);
    }

    // What multiplies q · k, and the cap of the product.
    void scores_data() {
        QTest::addColumn<json>("changes");  // of a gemma2 of head_dim 128
        QTest::addColumn<double>("scale");
        QTest::addColumn<QString>("rule");
        const auto row = [](const char* name, json changes, double scale, const char* rule) {
            QTest::newRow(name) << std::move(changes) << scale << QString(rule);
        };
        row("scalar 144, cap 50", {{"query_pre_attn_scalar", 144}, {"attn_logit_softcapping", 50}},
            1 / 12.0, "full, cap 50");
        row("scalar 144, cap null",
            {{"query_pre_attn_scalar", 144}, {"attn_logit_softcapping", nullptr}}, 1 / 12.0,
            "full");
        row("by default", json::object(), 1 / 16.0, "full, cap 50");
        row("a cap below one", {{"attn_logit_softcapping", 0.5}}, 1 / 16.0, "full, cap 0.5");
        row("a cap between", {{"attn_logit_softcapping", 12.75}}, 1 / 16.0, "full, cap 12.75");
    }
    void scores() {
        QFETCH(json, changes);
        QFETCH(double, scale);
        QFETCH(QString, rule);
        TinySizes sizes;
        sizes.head_dim = 128;
        json config = support::tiny_config("gemma2", sizes);
        config.update(changes);
        SafetensorsWriter weights = support::tiny_weights(false, false, sizes);
        for (int i = 0; i < sizes.layers; ++i)
            for (const char* norm : {"pre", "post"})
                weights.ones("model.layers." + QByteArray::number(i) + "." + norm +
                                 "_feedforward_layernorm.weight",
                             {sizes.d});
        const ModelPlan plan = support::plan_folder(m_dir, config, weights);
        for (const engine::LayerConfig& layer : plan.config.per_layer)
            QCOMPARE(layer.attention.scale, static_cast<float>(scale));
        QCOMPARE(plan.config.per_layer[1].attention.describe(), rule.toStdString());
    }

    // GPT-2's two flags, head_dim 8: a third of the scale on the third layer, none of √8.
    void scaleFlags_data() {
        QTest::addColumn<bool>("scaled");
        QTest::addColumn<bool>("byLayer");
        QTest::addColumn<std::vector<float>>("scales");
        const float root = 1 / std::sqrt(8.0f);
        QTest::newRow("by head_dim") << true << false << std::vector<float>{root, root, root};
        QTest::newRow("by head_dim and layer")
            << true << true << std::vector<float>{root, root / 2, root / 3};
        QTest::newRow("not scaled") << false << false << std::vector<float>{1, 1, 1};
        QTest::newRow("by layer alone") << false << true << std::vector<float>{1, 0.5f, 1 / 3.0f};
    }
    void scaleFlags() {
        QFETCH(bool, scaled);
        QFETCH(bool, byLayer);
        QFETCH(std::vector<float>, scales);
        const QString from = QStringLiteral(TEST_DATA "/tiny_gpt2_scaled/");
        QFile config(from + "config.json"), weights(from + "model.safetensors");
        QVERIFY(config.open(QIODevice::ReadOnly) && weights.open(QIODevice::ReadOnly));
        json changed = json::parse(config.readAll().toStdString());
        changed["scale_attn_weights"] = scaled;
        changed["scale_attn_by_inverse_layer_idx"] = byLayer;
        QVERIFY(support::write_file(m_dir.filePath("model.safetensors"), weights.readAll()));
        QVERIFY(support::write_file(m_dir.filePath("config.json"),
                                    QByteArray::fromStdString(changed.dump())));
        const ModelPlan plan = engine::families::plan_model(
            engine::formats::open_checkpoint(m_dir.path().toStdString()));
        QCOMPARE(plan.config.per_layer.size(), scales.size());
        for (std::size_t i = 0; i < scales.size(); ++i)
            QVERIFY(std::abs(plan.config.per_layer[i].attention.scale - scales[i]) < 1e-7f);
    }

    void biases_data() {
        QTest::addColumn<QString>("type");
        QTest::newRow("llama") << "llama";
        QTest::newRow("qwen3") << "qwen3";
    }
    void biases() {
        QFETCH(QString, type);
        json config = support::tiny_config(qPrintable(type));
        const bool qk_norm = type == "qwen3";
        const auto without = support::failure_of([&] {  // biases that the config does not mention
            support::plan_folder(m_dir, config, support::tiny_weights(qk_norm, true));
        });
        QVERIFY(without && without->what.find(".bias") != std::string::npos);
        QCOMPARE(without->kind, Failure::Kind::Unsupported);
        config["attention_bias"] = true;
        const ModelPlan plan =
            support::plan_folder(m_dir, config, support::tiny_weights(qk_norm, true));
        const engine::LayerConfig& layer = plan.config.per_layer[1];
        QVERIFY(layer.q_bias && layer.k_bias && layer.v_bias && layer.o_bias);
        QCOMPARE(plan.layers[1].o_bias, std::string("model.layers.1.self_attn.o_proj.bias"));
        const auto missing = support::failure_of(
            [&] { support::plan_folder(m_dir, config, support::tiny_weights(qk_norm, false)); });
        QVERIFY(missing && missing->what.find("q_proj.bias is missing") != std::string::npos);
    }

    void tying() {
        json config = support::tiny_config("llama");
        SafetensorsWriter untied = support::tiny_weights(false);
        untied.ones("lm_head.weight", {16, 8});
        config.erase("tie_word_embeddings");  // false unless said
        QCOMPARE(support::plan_folder(m_dir, config, untied).unembedding,
                 std::string("lm_head.weight"));
        const auto missing = support::failure_of(
            [&] { support::plan_folder(m_dir, config, support::tiny_weights(false)); });
        QVERIFY(missing && missing->what.find("lm_head.weight is missing") != std::string::npos);
        config["tie_word_embeddings"] = true;
        const ModelPlan tied = support::plan_folder(m_dir, config, untied);
        QCOMPARE(tied.unembedding, std::string("model.embed_tokens.weight"));
        QCOMPARE(tied.unused, std::vector<std::string>{"lm_head.weight"});
    }

    void kvHeads() {
        json config = support::tiny_config("llama");
        config.erase("num_key_value_heads");  // as many as query heads
        TinySizes sizes;
        sizes.kv = 4;
        QCOMPARE(support::plan_folder(m_dir, config, support::tiny_weights(false, false, sizes))
                     .config.kv_heads,
                 4);
        config["num_key_value_heads"] = 3;
        const auto uneven = support::failure_of(
            [&] { support::plan_folder(m_dir, config, support::tiny_weights(false)); });
        QVERIFY(uneven &&
                uneven->what.find("4 query heads cannot share 3 KV heads") != std::string::npos);
    }

    void unneededTensorsAreListed() {
        SafetensorsWriter weights = support::tiny_weights(false);
        weights.add("extra", "I64", "[1]", QByteArray(8, '\0'))
            .add("none", "F32", "[0]", "")
            .ones("model.layers.0.self_attn.rotary_emb.inv_freq", {2})
            .ones("model.layers.2.mlp.up_proj.weight", {12, 8});  // beyond the model's two layers
        const ModelPlan plan = support::plan_folder(m_dir, support::tiny_config("llama"), weights);
        QCOMPARE(plan.unused.size(), std::size_t{4});
    }

    void badFolders_data() {
        QTest::addColumn<Change>("change");
        QTest::addColumn<ChangeWeights>("weights");
        QTest::addColumn<QStringList>("said");
        const auto row = [](
                             const char* name, Change change, const QStringList& said,
                             ChangeWeights weights = [](SafetensorsWriter&) {}) {
            QTest::newRow(name) << std::move(change) << std::move(weights) << said;
        };
        row("no layers", set("num_hidden_layers", 0), {"num_hidden_layers is 0"});
        row("layers negative", set("num_hidden_layers", -1), {"-1"});
        row("layers 10^18", set("num_hidden_layers", 1'000'000'000'000'000'000),
            {"1000000000000000000"});
        row("layers 2^64-1", set("num_hidden_layers", ~std::uint64_t{0}), {"18446744073709551615"});
        row("layers 9999", set("num_hidden_layers", 9999), {"model.layers.2.", "missing"});
        row("layers a fraction", set("num_hidden_layers", 2.5), {"2.5", "integer"});
        row("layers a list", set("num_hidden_layers", {1}), {"integer"});
        row("layers missing", unset("num_hidden_layers"), {"num_hidden_layers is missing"});
        row("heads 10^6", set("num_attention_heads", 1'000'000), {"1000000", "4096"});
        row("hidden 2^31", set("hidden_size", 2147483648), {"2147483648"});
        row("hidden differs", set("hidden_size", 10), {"[16, 8]", "[16, 10]"});
        row("vocabulary differs", set("vocab_size", 17), {"[16, 8]", "[17, 8]", "vocab 17"});
        row("feed-forward differs", set("intermediate_size", 13),
            {"[12, 8]", "[13, 8]", "d_ff 13"});
        row("KV heads differ", set("num_key_value_heads", 4), {"[8, 8]", "[16, 8]", "4 KV heads"});
        row("eps 0", set("rms_norm_eps", 0), {"rms_norm_eps is 0"});
        row("eps negative", set("rms_norm_eps", -1e-6), {"rms_norm_eps"});
        row("theta 0", set("rope_theta", 0), {"rope_theta is 0"});
        row("context 0", set("max_position_embeddings", 0), {"max_position_embeddings is 0"});
        row("tied is a number", set("tie_word_embeddings", 1), {"tie_word_embeddings is 1"});
        row("layer_types too short", [](json& c) { c["layer_types"] = {"full_attention"}; },
            {"1 layers", "2"});
        row("layer_types unknown",
            [](json& c) {
                c["layer_types"] = {"full_attention", "linear_attention"};
            },
            {"linear_attention"});
        row("layer_types sliding by null",
            [](json& c) {
                c["layer_types"] = {"full_attention", "sliding_attention"};
                c["sliding_window"] = nullptr;
            },
            {"sliding_window is null"});
        row("window 0",
            [](json& c) {
                c["use_sliding_window"] = true;
                c["sliding_window"] = 0;
            },
            {"sliding_window is 0"});
        row(
            "a weight without a role", [](json&) {}, {"model.layers.0.extra.weight", "no role"},
            [](SafetensorsWriter& w) { w.ones("model.layers.0.extra.weight", {2}); });
        row("no model_type", unset("model_type"), {"does not say"});
        row("other model_type", set("model_type", "mamba"), {"mamba", "llama, ", "qwen3"});
        row("latent attention", set("model_type", "deepseek_v3"), {"deepseek_v3"});
        row("hybrid attention", set("model_type", "qwen3_next"), {"qwen3_next"});
        row("an encoder", set("model_type", "bert"), {"bert"});
        row("pictures too", set("model_type", "gemma3"), {"gemma3", "gemma3_text"});
        row("other class", set("architectures", {"Qwen3ForSequenceClassification"}),
            {"Qwen3ForSequenceClassification", "Qwen3ForCausalLM"});
        row("class of another model_type", set("architectures", {"LlamaForCausalLM"}),
            {"contradicts itself", "model_type is qwen3, whose class is Qwen3ForCausalLM",
             "architectures say LlamaForCausalLM"});
        row("model_type is a list", set("model_type", {1}), {"does not say"});
    }
    void badFolders() {
        QFETCH(Change, change);
        QFETCH(ChangeWeights, weights);
        QFETCH(QStringList, said);
        json config = support::tiny_config("qwen3");
        change(config);
        SafetensorsWriter writer = support::tiny_weights(true);
        weights(writer);
        const auto failure =
            support::failure_of([&] { support::plan_folder(m_dir, config, writer); });
        QVERIFY(failure.has_value());
        for (const QString& part : said)
            QVERIFY2(QString::fromStdString(failure->what).contains(part), failure->what.c_str());
    }

    void architectureByClassAlone() {
        json config = support::tiny_config("qwen3");
        config.erase("model_type");
        config["architectures"] = {"Qwen3ForCausalLM"};
        const ModelPlan plan = support::plan_folder(m_dir, config, support::tiny_weights(true));
        QCOMPARE(plan.config.family, std::string("qwen3"));
    }

    void neededTensorOfAnUnreadType() {
        TinySizes sizes;
        sizes.layers = 1;
        SafetensorsWriter weights;  // all right but the embedding
        weights.add("model.embed_tokens.weight", "U8", "[16,8]", QByteArray(128, '\1'));
        const auto failure = support::failure_of(
            [&] { support::plan_folder(m_dir, support::tiny_config("llama", sizes), weights); });
        QVERIFY(failure.has_value());
        QCOMPARE(failure->kind, Failure::Kind::Unsupported);
        QVERIFY(failure->what.find("stored as U8") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestPlan)
#include "tst_plan.moc"
