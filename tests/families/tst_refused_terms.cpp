// SPDX-License-Identifier: GPL-3.0-or-later
// A term that changes the computation is refused by name; one that does not, or says "off", is
// accepted.
#include <QTest>

#include "tests/families/plan_helpers.h"

using engine::Failure;
using nlohmann::json;

class TestRefusedTerms : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;

    std::optional<Failure> plan(const QString& type, const json& changes) {
        json config = support::tiny_config(qPrintable(type));
        config.update(changes);
        return support::failure_of(
            [&] { support::plan_folder(m_dir, config, support::tiny_weights(type == "qwen3")); });
    }

  private slots:
    void refused_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<json>("term");
        const auto both = [](json term) {
            for (const char* type : {"llama", "qwen3"})
                QTest::addRow("%s %s", type, term.dump().c_str()) << QString(type) << term;
        };
        both({{"quantization_config", {{"quant_method", "awq"}}}});
        both({{"quantization_config", {{"quant_method", "mxfp4"}}}});
        both({{"quantization_config", json::object()}});
        both({{"quantization_config", "fp8"}});
        for (const json& term : {json{{"activation_scheme", "static"}}, json{{"fmt", "int8"}},
                                 json{{"scale_fmt", "ue8m0"}}, json{{"kv_cache_scheme", {1}}}}) {
            json quantization{{"quant_method", "fp8"}};
            quantization.update(term);
            both({{"quantization_config", quantization}});
        }
        both({{"partial_rotary_factor", 0.5}});
        both({{"rotary_pct", 0.25}});
        both({{"attention_multiplier", 0.0078125}});
        both({{"embedding_multiplier", 12.0}});
        both({{"residual_multiplier", 0.22}});
        both({{"logits_scaling", 8.0}});
        both({{"logit_scale", 0.0625}});
        both({{"attn_logit_softcapping", 50.0}});
        both({{"final_logit_softcapping", 30.0}});
        both({{"query_pre_attn_scalar", 256}});
        both({{"num_local_experts", 8}});
        both({{"num_experts", 128}});
        both({{"no_rope_layers", {1, 0}}});
        both({{"attention_chunk_size", 8192}});
        both({{"hidden_act", "relu"}});
        both({{"use_bias", true}});
        both({{"is_causal", false}});
        both({{"use_bidirectional_attention", true}});
        both({{"clip_qkv", 8.0}});
        both({{"auto_map", {{"AutoModelForCausalLM", "modeling_x.X"}}}});
        const auto llama = [](json term) {
            QTest::addRow("llama %s", term.dump().c_str()) << QString("llama") << term;
        };
        llama({{"sliding_window", 4096}});
        llama({{"use_sliding_window", true}});
        llama({{"layer_types", {"full_attention", "sliding_attention"}}});
        llama({{"use_qk_norm", true}});
        llama({{"kv_lora_rank", 512}});
        llama({{"attn_output_gate", true}});
        QTest::addRow("qwen3 mlp_bias") << QString("qwen3") << json{{"mlp_bias", true}};
    }
    void refused() {
        QFETCH(QString, type);
        QFETCH(json, term);
        const auto failure = plan(type, term);
        QVERIFY(failure.has_value());
        QCOMPARE(failure->kind, Failure::Kind::Unsupported);
        const std::string key = term.items().begin().key();
        QVERIFY2(failure->what.find(key) != std::string::npos, failure->what.c_str());
    }

    // The term of a quantization that is refused is named, and so is a tensor that lacks its
    // scales.
    void quantizationIsNamed() {
        const auto term = plan(
            "qwen3", {{"quantization_config", {{"quant_method", "fp8"}, {"scale_fmt", "ue8m0"}}}});
        QVERIFY(term && term->what.find("quantization_config.scale_fmt = \"ue8m0\"") == 0);
        json config = support::tiny_config("qwen3");
        config["tie_word_embeddings"] = false;
        support::SafetensorsWriter weights = support::tiny_weights(true);
        weights.add("lm_head.weight", "F8_E4M3", "[16,8]", QByteArray(128, '\1'));
        QVERIFY(!support::failure_of([&] { support::plan_folder(m_dir, config, weights); }));
        config["quantization_config"] = {{"quant_method", "fp8"}};
        const auto scales =
            support::failure_of([&] { support::plan_folder(m_dir, config, weights); });
        QVERIFY(scales && scales->kind == Failure::Kind::BadFile);
        QVERIFY2(scales->what.find("lm_head.weight_scale_inv, are missing") != std::string::npos,
                 scales->what.c_str());
    }

    void accepted_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<json>("terms");
        const auto row = [](const char* name, const char* type, json terms) {
            QTest::newRow(name) << QString(type) << std::move(terms);
        };
        row("what Llama 2 files carry", "llama",
            {{"architectures", {"LlamaForCausalLM"}},
             {"pretraining_tp", 1},
             {"attention_dropout", 0.0},
             {"initializer_range", 0.02},
             {"torch_dtype", "float16"},
             {"transformers_version", "4.31.0"},
             {"use_cache", true},
             {"mlp_bias", false},
             {"rope_scaling", nullptr},
             {"bos_token_id", 1},
             {"eos_token_id", {1, 2}}});
        row("what SmolLM2 files carry", "llama",
            {{"is_llama_config", true},
             {"rope_interleaved", false},
             {"transformers.js_config", {{"dtype", "q4"}}}});
        row("window off", "llama", {{"use_sliding_window", false}, {"sliding_window", 4096}});
        row("all layers full", "llama", {{"layer_types", {"full_attention", "full_attention"}}});
        row("what Qwen3 files carry", "qwen3",
            {{"architectures", {"Qwen3ForCausalLM"}},
             {"attention_bias", false},
             {"max_window_layers", 28},
             {"sliding_window", nullptr},
             {"use_sliding_window", false},
             {"dtype", "bfloat16"}});
        row("neutral values", "qwen3",
            {{"quantization_config", nullptr},
             {"partial_rotary_factor", 1.0},
             {"num_experts", 0},
             {"residual_multiplier", 1.0},
             {"is_causal", true},
             {"use_qk_norm", true},
             {"attn_logit_softcapping", nullptr},
             {"hidden_act", "silu"}});
        row("fp8", "qwen3",
            {{"quantization_config",
              {{"activation_scheme", "dynamic"},
               {"fmt", "e4m3"},
               {"quant_method", "fp8"},
               {"modules_to_not_convert", {"lm_head"}},
               {"kv_cache_scheme", nullptr},
               {"weight_block_size", {128, 128}}}}});
        row("tokenizer code only", "llama",
            {{"auto_map", {{"AutoTokenizer", "tokenization_x.X"}}}});
    }
    void accepted() {
        QFETCH(QString, type);
        QFETCH(json, terms);
        const auto failure = plan(type, terms);
        QVERIFY2(!failure, failure ? failure->line().c_str() : "");
    }
};

QTEST_APPLESS_MAIN(TestRefusedTerms)
#include "tst_refused_terms.moc"
