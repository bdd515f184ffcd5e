// SPDX-License-Identifier: GPL-3.0-or-later
// A tiny checkpoint of every family against Hugging Face in fp32 (tests/data/make_families.py): in
// both dialects of config.json, as GGUF, and once more with each of the family's own terms left
// out, which must show.
#include <QTemporaryDir>
#include <functional>

#include "engine/families/rope_frequencies.h"
#include "engine/model/decoder_terms.h"
#include "engine/model/router.h"
#include "tests/support/family_fixtures.h"
#include "tests/support/pattern_distance.h"

using namespace engine;
using families::ModelPlan;
using Mutation = std::function<void(ModelPlan&)>;
Q_DECLARE_METATYPE(Mutation)

namespace {

std::string data(const QString& name) {
    return std::string(TEST_DATA) + "/" + name.toStdString();
}

// The fixture's folder with the other dialect's file as its config.json.
void link_v4(const QString& name, const QTemporaryDir& to) {
    const QString from = QString::fromStdString(data(name));
    for (const char* file : {"model.safetensors", "tokenizer.json"})
        QVERIFY(QFile::link(from + "/" + file, to.filePath(file)));
    QVERIFY(QFile::copy(from + "/config_v4.json", to.filePath("config.json")));
}

}  // namespace

class FamiliesTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void equalsHuggingFace_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("form");
        for (const FamilyFixture& fixture : family_fixtures()) {
            QTest::addRow("%s", fixture.name) << fixture.name << "folder";
            if (fixture.v4) QTest::addRow("%s, v4", fixture.name) << fixture.name << "v4";
            if (fixture.gguf) QTest::addRow("%s, GGUF", fixture.name) << fixture.name << "gguf";
        }
    }
    void equalsHuggingFace() {
        QFETCH(QString, name);
        QFETCH(QString, form);
        const Golden golden(data(name));
        const QTemporaryDir v4;
        std::string path = data(name);
        if (form == "v4") {
            link_v4(name, v4);
            path = v4.path().toStdString();
        }
        if (form == "gguf") path += "/" + name.toStdString() + ".gguf";
        EngineRun run(EngineRun::open(path, 16, 1), golden.prompt, golden.generated());
        QCOMPARE(run.tokens, golden.tokens);

        const Rows rows{0, golden.rows};
        double worst = 0;
        const auto compare = [&](const std::string& kind, int layer, Rows of) {
            const double error = golden.distance(kind, layer, run.read(kind, layer, of));
            worst = std::max(worst, error);
            QVERIFY2(error < 1e-4, qPrintable(QString::fromStdString(Golden::name_of(kind, layer)) +
                                              QStringLiteral(" is off by %1").arg(error)));
        };
        compare("embedding", -1, rows);
        compare("logits", -1, rows);
        for (int layer = 0; layer < run.engine->info().layers; ++layer) {
            for (const char* kind : {"scores", "pattern", "lse", "z", "attention_out", "mlp_out",
                                     "residual", "contribution_norm", "logit_attribution"})
                compare(kind, layer, rows);
            compare("contribution", layer, {golden.rows - 1, golden.rows});
            // Written again in other words: fp32 of sums over a head's dims and d_model.
            const CheckReport checks = run.engine->reader()->checks(run.run, Layer{layer});
            QVERIFY2(checks.worst() <= 1,
                     qPrintable(QStringLiteral("row sums %1 of %2, z %3, heads %4, closes %5")
                                    .arg(checks.row_sum_error)
                                    .arg(checks.row_sum_tolerance)
                                    .arg(checks.z_error)
                                    .arg(checks.heads_error)
                                    .arg(checks.closes_error)));
        }
        qInfo("%s", qPrintable(QStringLiteral("worst %1").arg(worst)));
    }

    // Bars and maps against the goldens of contributions: what enters the residual stream.
    void writesSumToTheLogit_data() {
        QTest::addColumn<QString>("name");
        for (const FamilyFixture& fixture : family_fixtures())
            QTest::addRow("%s", fixture.name) << fixture.name;
    }
    void writesSumToTheLogit() {
        QFETCH(QString, name);
        const Golden golden(data(name));
        EngineRun run(EngineRun::open(data(name), 16, 1), golden.prompt, golden.generated());
        const ModelInfo& info = run.engine->info();
        const auto reader = run.engine->reader();
        const std::int64_t row = golden.rows - 1;
        ContributionRequest request;
        request.run = run.run;
        request.position = Position{row};
        const ContributionTable table = reader->contributions(request);
        QVERIFY2(table.closes < 1e-5f, QByteArray::number(double{table.closes}));
        QVERIFY(table.heads_close < 1e-5f);
        for (int layer = 0; layer < info.layers; ++layer) {
            const auto heads = static_cast<std::size_t>(info.query_heads);
            const auto at = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(layer) * heads);
            const std::vector<float> all =
                golden.file.at(Golden::name_of("logit_attribution", layer)).values;
            const std::vector<float> expected(all.end() - info.query_heads, all.end());
            const std::vector<float> bars(table.head_attribution.begin() + at,
                                          table.head_attribution.begin() + at + info.query_heads);
            QVERIFY(relative_difference(bars, expected) < 1e-4);

            // A row of the attribution map, and of the value map, in its cells' own words.
            TileRequest tile;
            tile.run = run.run;
            tile.target = table.target;
            for (int h = 0; h < info.query_heads; ++h)
                tile.heads.push_back({Layer{layer}, QueryHead{h}});
            tile.dest = {row, row + 1, 1, {}};
            tile.src = {0, row + 1, row + 1, {}};
            tile.quantity = Quantity::Attribution;
            tile.pooling = Pooling::Sum;
            const auto sums = reader->tile(tile);
            const std::span<const float> maps = sums.data.as<float>();
            QVERIFY(relative_difference(maps, expected) < 1e-4);
            tile.quantity = Quantity::Value;
            tile.src = {row, row + 1, 1, {}};
            tile.pooling = Pooling::None;
            const auto values = reader->tile(tile);
            for (int h = 0; h < info.query_heads; ++h) {
                const Cell cell = reader->cell(run.run, tile.heads[static_cast<std::size_t>(h)],
                                               Position{row}, Position{row}, table.target, {});
                QVERIFY(std::abs(values.data.as<float>()[static_cast<std::size_t>(h)] -
                                 cell.value_norm) < 1e-5f * (1 + cell.value_norm));
            }
        }
    }

    // A term left out must be far off: else the comparison above would not see it missing.
    void leftOut_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<Mutation>("change");
        QTest::addColumn<double>("least");
        const auto row = [](const char* name, const char* what, Mutation change,
                            double least = 0.05) {
            QTest::addRow("%s: %s", name, what) << name << std::move(change) << least;
        };
        const auto each_layer = [](auto change) -> Mutation {
            return [change](ModelPlan& plan) {
                for (LayerConfig& layer : plan.config.per_layer) change(layer);
            };
        };
        const auto each_names = [](auto change) -> Mutation {
            return [change](ModelPlan& plan) {
                for (families::LayerWeights& names : plan.layers) change(names);
            };
        };
        const Mutation no_window = each_layer([](LayerConfig& l) { l.attention.window = 0; });
        const Mutation wider = each_layer([](LayerConfig& l) {
            if (l.attention.window > 0) ++l.attention.window;
        });
        const Mutation plain_rope = each_layer([](LayerConfig& l) {
            for (std::size_t i = 0; i < l.rope.inverse_frequency.size(); ++i)
                l.rope.inverse_frequency[i] =
                    std::pow(10000.0, -2.0 * static_cast<double>(i) / l.rope.rotary_dim);
        });
        const Mutation no_biases = each_names([](families::LayerWeights& names) {
            names.q_bias = names.k_bias = names.v_bias = names.qkv_bias = "";
        });
        for (const char* name : {"tiny_qwen2", "tiny_mistral", "tiny_gemma2", "tiny_gemma3",
                                 "tiny_phi3", "tiny_gpt_oss"}) {
            row(name, "no window", no_window);
            row(name, "a window of one more", wider);
        }
        const Mutation no_mlp_biases = each_names([](families::LayerWeights& names) {
            names.gate_bias = names.up_bias = names.down_bias = "";
        });
        const Mutation no_qk_norm =
            each_names([](families::LayerWeights& names) { names.q_norm = names.k_norm = ""; });
        const Mutation no_attention_factor =
            each_layer([](LayerConfig& l) { l.rope.attention_factor = 1; });
        // Yarn as the fixture's config has it, but for one thing.
        const auto yarn = [&](families::RopeFacts facts) {
            facts.scaling = families::RopeFacts::Scaling::Yarn;
            return each_layer([facts](LayerConfig& l) {
                l.rope.inverse_frequency = families::make_rope(facts, 16).inverse_frequency;
            });
        };
        for (const char* name : {"tiny_qwen2", "tiny_gpt2", "tiny_gpt_neox", "tiny_llama_linear"})
            row(name, "no biases", no_biases);
        row("tiny_llama_linear", "no bias of o",
            each_names([](families::LayerWeights& names) { names.o_bias = ""; }));
        row("tiny_llama_linear", "no biases of the MLP", no_mlp_biases);
        // No row can leave out tiny_llama_dynamic's term: it changes the frequencies only past
        // max_position_embeddings, where a run ends, so that up to there its model is one without
        // scaling. What the fixture shows is that the config is read, and as nothing more.
        for (const char* name :
             {"tiny_llama3", "tiny_llama_linear", "tiny_llama_yarn", "tiny_gpt_oss", "tiny_phi3"})
            row(name, "no scaling", plain_rope);
        for (const char* name : {"tiny_llama_yarn", "tiny_gpt_oss"})
            row(name, "no attention factor", no_attention_factor);
        row("tiny_llama_yarn", "not truncated",
            yarn({.factor = 8,
                  .original_context = 16,
                  .beta_fast = 4,
                  .beta_slow = 0.5,
                  .truncate = false}));
        row("tiny_gpt_oss", "truncated",
            yarn({.factor = 4, .original_context = 32, .beta_fast = 8, .truncate = true}));
        row("tiny_qwen3", "no norm of q and k", no_qk_norm);
        row("tiny_smollm3", "RoPE everywhere", [](ModelPlan& plan) {
            plan.config.per_layer[3].attention.rope = true;
            plan.config.per_layer[3].rope = plan.config.per_layer[0].rope;
        });
        row("tiny_gemma2", "no cap", each_layer([](LayerConfig& l) { l.attention.soft_cap = 0; }));
        for (const char* name : {"tiny_gemma2", "tiny_gemma3"}) {
            row(name, "scale of head_dim",
                each_layer([](LayerConfig& l) { l.attention.scale = 1 / std::sqrt(12.0f); }));
            row(name, "embedding not scaled", [](ModelPlan& p) { p.config.embedding_scale = 1; });
            row(name, "no offset of norms", [](ModelPlan& p) { p.norm_offset = 0; });
            row(name, "no post-norms", [](ModelPlan& p) { p.config.post_norm = false; });
        }
        row("tiny_gemma3", "one RoPE base", [](ModelPlan& plan) {
            for (LayerConfig& layer : plan.config.per_layer)
                layer.rope = plan.config.per_layer[2].rope;
        });
        // Its linear factor of 4 is of the full layers alone.
        const auto times = [&](bool windowed, double factor) {
            return each_layer([=](LayerConfig& l) {
                if ((l.attention.window > 0) != windowed) return;
                for (double& frequency : l.rope.inverse_frequency) frequency *= factor;
            });
        };
        row("tiny_gemma3", "no factor on full layers", times(false, 4));
        row("tiny_gemma3", "the factor on windowed layers too", times(true, 0.25));
        for (const char* name : {"tiny_gemma3", "tiny_olmo2"})
            row(name, "no norm of q and k", no_qk_norm);
        row("tiny_olmo2", "q and k normed a head", [](ModelPlan& plan) {
            for (LayerConfig& layer : plan.config.per_layer) layer.qk_norm_whole = false;
        });
        row("tiny_olmo2", "no post-norms", [](ModelPlan& p) { p.config.post_norm = false; });
        row("tiny_phi3", "RoPE on the whole head", each_layer([](LayerConfig& l) {
                l.rope.rotary_dim = 8;
                l.rope.inverse_frequency.push_back(0.001);
            }));
        row("tiny_phi3_long", "short factors", [](ModelPlan& p) { p.config.long_rope_from = 0; });
        row("tiny_phi3_long", "no attention factor", no_attention_factor);
        row("tiny_gpt_neox", "exponents over the whole head", each_layer([](LayerConfig& l) {
                l.rope.inverse_frequency[1] = std::pow(10000.0, -2.0 / 16);
            }));
        row("tiny_gpt_neox", "rows as they lie",
            [](ModelPlan& p) { p.fused_rows = families::FusedRows::QThenKThenV; });
        row("tiny_gpt_neox", "one after the other",
            [](ModelPlan& p) { p.config.parallel_residual = false; });
        row("tiny_gpt_neox_sequential", "side by side",
            [](ModelPlan& p) { p.config.parallel_residual = true; });
        row(
            "tiny_gpt_neox_sequential", "tanh for erf",
            [](ModelPlan& p) { p.config.activation = Activation::GeluTanh; }, 1e-4);
        for (const char* name : {"tiny_gpt2", "tiny_gpt_neox"})
            row(name, "RMS for LayerNorm", [](ModelPlan& p) { p.config.norm = NormKind::Rms; });
        row("tiny_gpt2", "no positions", [](ModelPlan& p) { p.config.learned_positions = false; });
        row("tiny_gpt2", "SiLU", [](ModelPlan& p) { p.config.activation = Activation::Silu; });
        for (const char* name : {"tiny_mixtral", "tiny_qwen3_moe", "tiny_gpt_oss"}) {
            row(
                name, "weights over all experts",
                [](ModelPlan& p) { p.config.experts.normalised = false; }, 0.02);
            row(name, "one expert a token", [](ModelPlan& p) { p.config.experts.used = 1; });
        }
        row("tiny_qwen3_moe_mixed", "weights over the chosen",
            [](ModelPlan& p) { p.config.experts.normalised = true; });
        row("tiny_gpt_oss", "no sinks",
            each_names([](families::LayerWeights& names) { names.sinks = ""; }));
        row("tiny_gpt_oss", "no biases", no_biases);
        row("tiny_gpt_oss", "no router bias",
            each_names([](families::LayerWeights& names) { names.router_bias = ""; }));
        row("tiny_gpt_oss", "no limit of the gate",
            [](ModelPlan& p) { p.config.swiglu_limit = 1e9f; });
        row("tiny_gpt_oss", "SiLU", [](ModelPlan& p) { p.config.activation = Activation::Silu; });
        row("tiny_gpt2_scaled", "one scale", [](ModelPlan& plan) {
            for (LayerConfig& layer : plan.config.per_layer)
                layer.attention.scale = plan.config.per_layer[0].attention.scale;
        });
    }
    void leftOut() {
        QFETCH(QString, name);
        QFETCH(Mutation, change);
        QFETCH(double, least);
        const double untouched = pattern_distance(Golden(data(name)), data(name));
        QVERIFY2(untouched < 1e-4, QByteArray::number(untouched));
        const double off = pattern_distance(Golden(data(name)), data(name), change);
        QVERIFY2(off > least, QByteArray::number(off));
        qInfo("%s", QByteArray::number(off).constData());
    }

    // A row sums to what its sink leaves, and the cell says what that took.
    void sinksTakeWhatTheRowLacks() {
        const Golden golden(data("tiny_gpt_oss"));
        EngineRun run(EngineRun::open(data("tiny_gpt_oss"), 16, 1), golden.prompt, 1);
        float most = 0;
        for (const std::int64_t row : {std::int64_t{0}, std::int64_t{9}, run.rows() - 1}) {
            for (int at = 0; at < 8; ++at) {
                const LayerHead head{Layer{at / 4}, QueryHead{at % 4}};
                const std::vector<float> pattern = run.read("pattern", at / 4, {row, row + 1});
                double sum = 0;
                for (std::int64_t src = 0; src <= row; ++src)
                    sum += double{pattern[static_cast<std::size_t>(at % 4 * (row + 1) + src)]};
                const Cell cell =
                    run.engine->reader()->cell(run.run, head, Position{row}, Position{row}, {}, {});
                QVERIFY(std::abs(sum + double{cell.sink} - 1) < 1e-5);
                most = std::max(most, cell.sink);
            }
        }
        QVERIFY(most > 0.1f);
    }

    // Final soft cap: stated, and the attributions sum to the logit before it.
    void finalCapIsStated() {
        const Golden golden(data("tiny_gemma2"));
        EngineRun run(EngineRun::open(data("tiny_gemma2"), 16, 1), golden.prompt, 1);
        ContributionRequest request;
        request.run = run.run;
        request.position = Position{static_cast<std::int64_t>(golden.prompt.size()) - 1};
        const ContributionTable table = run.engine->reader()->contributions(request);
        QCOMPARE(table.soft_cap, 6.0f);
        const std::int64_t row = to_int(request.position);
        const std::vector<float> logits = run.read("logits", -1, {row, row + 1});
        const float capped = logits[static_cast<std::size_t>(to_int(table.target))];
        QVERIFY(std::abs(6 * std::tanh(table.logit / 6) - capped) < 1e-4f);
        QVERIFY(table.logit > 1.01f * capped);
    }

    // Biases are bars of their own: with the heads they make what attention adds.
    void outputBiasIsABar() {
        const Golden golden(data("tiny_gpt2"));
        EngineRun run(EngineRun::open(data("tiny_gpt2"), 16, 1), golden.prompt, 1);
        ContributionRequest request;
        request.run = run.run;
        request.position = Position{5};
        const ContributionTable table = run.engine->reader()->contributions(request);
        QCOMPARE(table.output_bias_attribution.size(), std::size_t{2});
        QVERIFY(table.bias_attribution != 0);
        for (std::size_t layer = 0; layer < 2; ++layer) {
            float sum = table.output_bias_attribution[layer];
            for (std::size_t h = 0; h < 4; ++h) sum += table.head_attribution[layer * 4 + h];
            QVERIFY(std::abs(sum - table.attention_attribution[layer]) < 1e-4f);
            QVERIFY(table.output_bias_norm[layer] > 0);
        }
    }

    // What a chain of kernels for one shape must know before it takes the model.
    void termsBeyondLlama_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("term");
        const auto row = [](const char* name, const char* term) {
            QTest::addRow("%s", name) << name << term;
        };
        for (const char* name :
             {"tiny_qwen2", "tiny_mistral", "tiny_qwen3", "tiny_llama3", "tiny_smollm3"})
            row(name, "");
        row("tiny_llama_yarn", "biases of the MLP");
        row("tiny_gemma2", "norms behind attention and MLP");
        row("tiny_olmo2", "norms behind attention and MLP");
        row("tiny_phi3", "longrope");
        row("tiny_gpt_neox", "LayerNorm");
        row("tiny_gpt2", "LayerNorm");
        row("tiny_qwen3_moe", "mixtures of experts");
        row("tiny_gpt_oss", "an activation that is not SiLU");
    }
    void termsBeyondLlama() {
        QFETCH(QString, name);
        QFETCH(QString, term);
        const ModelPlan plan = families::plan_model(formats::open_checkpoint(data(name)));
        QCOMPARE(QString::fromStdString(term_beyond_llama(plan.config)), term);
    }

    // Ties go to the first expert, and a rating that is no number to none before the others.
    void routing() {
        const float none = std::numeric_limits<float>::quiet_NaN();
        const std::vector<float> ratings{1, 2, 2, 0, none, 1, none, 3};
        const auto chosen = route({.count = 4, .used = 2, .normalised = true}, ratings.data(), 2);
        std::vector<std::vector<std::int64_t>> rows(4);
        for (std::size_t e = 0; e < 4; ++e)
            for (const RoutedRow& routed : chosen[e]) rows[e].push_back(routed.row);
        QCOMPARE(rows, (std::vector<std::vector<std::int64_t>>{{}, {0, 1}, {0}, {1}}));
        QCOMPARE(chosen[1][0].weight, 0.5f);
        const auto plain = route({.count = 4, .used = 1}, ratings.data(), 1);
        const double all = std::exp(-1.0) + 1 + 1 + std::exp(-2.0);
        QVERIFY(std::abs(double{plain[1][0].weight} - 1 / all) < 1e-7);
    }

    // longrope turns past its original context: a run that began short stops there and says so.
    void longropeDoesNotTurnInsideARun() {
        const Golden golden(data("tiny_phi3"));
        EngineRun run(EngineRun::open(data("tiny_phi3"), 16, 1), golden.prompt, 12);
        QCOMPARE(run.rows(), std::int64_t{32});
        try {
            run.engine->decode_step(run.run, {});
            QFAIL("a step past the turn");
        } catch (const Error& error) {
            QVERIFY(std::string(error.what()).find("past 32 tokens") != std::string::npos);
        }
    }
};

QTEST_APPLESS_MAIN(FamiliesTest)
#include "families_test.moc"
