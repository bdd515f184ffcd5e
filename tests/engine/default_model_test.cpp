// SPDX-License-Identifier: GPL-3.0-or-later
// The default model against Hugging Face in fp32 (tests/data/make_goldens.py): a short prompt, one
// of 60 tokens with repeated names, and 32 greedily generated tokens; every layer.
#include <QTest>

#include "engine/formats/gguf_quants.h"
#include "tests/support/compare.h"
#include "tests/support/default_model.h"
#include "tests/support/engine_run.h"
#include "tests/support/golden_file.h"

using namespace engine;

namespace {

// Row t of a lower triangle [heads, rows · (rows + 1) / 2] of one head.
std::vector<float> triangle_of(const std::vector<float>& square, int heads, std::int64_t rows) {
    std::vector<float> out;
    for (int h = 0; h < heads; ++h)
        for (std::int64_t t = 0; t < rows; ++t)
            for (std::int64_t s = 0; s <= t; ++s)
                out.push_back(square[static_cast<std::size_t>((h * rows + t) * rows + s)]);
    return out;
}

std::vector<float> rows_of(const std::vector<float>& all, std::int64_t width,
                           const std::vector<std::int64_t>& rows) {
    std::vector<float> out;
    for (const std::int64_t row : rows)
        out.insert(out.end(), all.begin() + row * width, all.begin() + (row + 1) * width);
    return out;
}

}  // namespace

class DefaultModelTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void equalsHuggingFace_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("generate");
        QTest::addRow("short prompt") << "smollm2_short" << 0;
        QTest::addRow("repeated names") << "smollm2_names" << 0;
        QTest::addRow("32 generated tokens") << "smollm2_generate" << 32;
    }
    void equalsHuggingFace() {
        NEEDS_DEFAULT_MODEL();
        QFETCH(QString, file);
        QFETCH(int, generate);
        const golden::File golden(std::string(TEST_DATA) + "/" + file.toStdString() +
                                  ".safetensors");
        const std::vector<TokenId> tokens = token_ids(golden.at("token_ids").ints);
        EngineRun run(EngineRun::open(default_model_path()),
                      {tokens.begin(), tokens.end() - generate}, generate);
        QCOMPARE(run.tokens, tokens);
        const ModelInfo& info = run.engine->info();
        const std::int64_t rows = static_cast<std::int64_t>(tokens.size()) - (generate > 0 ? 1 : 0);
        const Rows all{0, rows};
        const std::vector<std::int64_t> some = golden.at("rows").ints,
                                        residual_rows = golden.at("residual_rows").ints;
        const auto verify = [&](const std::vector<float>& actual, const std::string& name,
                                bool absolute) {
            const std::vector<float> expected = golden.at(name).values;
            const double error =
                absolute ? max_difference(actual, expected) : relative_difference(actual, expected);
            QVERIFY2(error < 1e-4, qPrintable(QString::fromStdString(name) +
                                              QStringLiteral(" is off by %1").arg(error)));
        };

        const std::vector<float> logits = run.read("logits", -1, all);
        verify(rows_of(logits, info.vocab, golden.at("logits_rows").ints), "logits", false);
        const std::vector<std::int64_t> argmax = golden.at("argmax").ints;
        for (std::int64_t t = 0; t < rows; ++t) {
            const auto begin = logits.begin() + t * info.vocab;
            QCOMPARE(std::max_element(begin, begin + info.vocab) - begin,
                     argmax[static_cast<std::size_t>(t)]);
        }
        verify(rows_of(run.read("embedding", -1, all), info.d_model, some), "embedding", false);
        int seen = 0;
        for (int layer = 0; layer < info.layers; ++layer) {
            const std::string prefix = "layers." + std::to_string(layer) + ".";
            const std::vector<float> pattern = run.read("pattern", layer, all);
            if (golden.has(prefix + "pattern"))
                verify(pattern, prefix + "pattern", true);
            else
                verify(triangle_of(pattern, info.query_heads, rows), prefix + "pattern_tril", true);
            const std::int64_t d = info.head_dim;
            const struct {
                const char* kind;
                std::int64_t width;
                const std::vector<std::int64_t>* rows;
            } kept[] = {
                {"q", info.query_heads * d, &some},        {"k", info.kv_heads * d, &some},
                {"v", info.kv_heads * d, &some},           {"z", info.query_heads * d, &some},
                {"attention_out", info.d_model, &some},    {"mlp_out", info.d_model, &some},
                {"residual", info.d_model, &residual_rows}};
            for (const auto& one : kept) {
                if (!golden.has(prefix + one.kind)) continue;
                ++seen;
                verify(rows_of(run.read(one.kind, layer, all), one.width, *one.rows),
                       prefix + one.kind, false);
            }
            if (golden.has(prefix + "lse"))
                verify(run.read("lse", layer, all), prefix + "lse", false);
        }
        QVERIFY(seen >= info.layers);  // z is kept for every layer
    }

    // Contributions follow in fp64 from golden z and the weights, decoded by the scalar reference.
    void contributionsFollowFromGoldenZ_data() { equalsHuggingFace_data(); }
    void contributionsFollowFromGoldenZ() {
        NEEDS_DEFAULT_MODEL();
        QFETCH(QString, file);
        QFETCH(int, generate);
        const golden::File golden(std::string(TEST_DATA) + "/" + file.toStdString() +
                                  ".safetensors");
        const std::vector<TokenId> tokens = token_ids(golden.at("token_ids").ints);
        EngineRun run(EngineRun::open(default_model_path()),
                      {tokens.begin(), tokens.end() - generate}, generate);
        const formats::Checkpoint checkpoint = formats::open_checkpoint(default_model_path());
        const ModelInfo& info = run.engine->info();
        const std::vector<std::int64_t> some = golden.at("rows").ints;
        const Rows all{0, run.rows()};
        const std::int64_t heads = info.query_heads, d = info.head_dim, width = info.d_model;
        for (int layer = 0; layer < info.layers; ++layer) {
            const formats::StoredTensor& o =
                checkpoint.at("blk." + std::to_string(layer) + ".attn_output.weight");
            std::vector<float> weight(static_cast<std::size_t>(width * heads * d));
            formats::decode(o.storage, o.data, weight.data(), width * heads * d);
            const std::vector<float> z = golden.at("layers." + std::to_string(layer) + ".z").values;
            std::vector<float> expected, norms;
            for (std::size_t row = 0; row < some.size(); ++row) {
                for (std::int64_t h = 0; h < heads; ++h) {
                    double squares = 0;
                    for (std::int64_t i = 0; i < width; ++i) {
                        double sum = 0;
                        for (std::int64_t j = 0; j < d; ++j)
                            sum +=
                                double{weight[static_cast<std::size_t>((i * heads + h) * d + j)]} *
                                z[(row * static_cast<std::size_t>(heads) +
                                   static_cast<std::size_t>(h)) *
                                      static_cast<std::size_t>(d) +
                                  static_cast<std::size_t>(j)];
                        expected.push_back(static_cast<float>(sum));
                        squares += sum * sum;
                    }
                    norms.push_back(static_cast<float>(std::sqrt(squares)));
                }
            }
            QVERIFY(relative_difference(
                        rows_of(run.read("contribution", layer, all), heads * width, some),
                        expected) < 1e-4);
            QVERIFY(relative_difference(
                        rows_of(run.read("contribution_norm", layer, all), heads, some), norms) <
                    1e-4);
        }
    }

    // Of golden patterns, by numpy (tests/data/head_scores.py).
    void headScoresAreThoseOfTransformerLens() {
        NEEDS_DEFAULT_MODEL();
        const std::string data(TEST_DATA);
        const golden::File names(data + "/smollm2_names.safetensors"),
            golden(data + "/smollm2_names_heads.safetensors");
        const EngineRun run(EngineRun::open(default_model_path()),
                            token_ids(names.at("token_ids").ints));
        const HeadTable table = run.engine->reader()->metrics({{}, run.run, {}});
        const std::pair<const char*, const std::vector<float>&> all[] = {
            {"mass", table.mass},
            {"distance", table.distance},
            {"sink", table.sink},
            {"entropy", table.entropy},
            {"previous_token", table.previous_token},
            {"duplicate_token", table.duplicate_token},
            {"induction", table.induction}};
        for (const auto& [name, values] : all) {
            const std::vector<float> expected = golden.at(name).values;
            QCOMPARE(values.size(), expected.size());
            const double error = relative_difference(values, expected);
            QVERIFY2(error < 1e-4, qPrintable(QString::fromLatin1(name) +
                                              QStringLiteral(" is off by %1").arg(error)));
        }
    }

    void invariantsHold() {
        NEEDS_DEFAULT_MODEL();
        const golden::File golden(std::string(TEST_DATA) + "/smollm2_names.safetensors");
        EngineRun run(EngineRun::open(default_model_path()), token_ids(golden.at("token_ids").ints),
                      8);
        for (int layer = 0; layer < run.engine->info().layers; ++layer) {
            const CheckReport report = run.engine->reader()->checks(run.run, Layer{layer});
            QVERIFY2(report.worst() <= 1,
                     qPrintable(QStringLiteral("L%1: row sums %2, z %3, heads %4, closes %5")
                                    .arg(layer)
                                    .arg(report.row_sum_error)
                                    .arg(report.z_error)
                                    .arg(report.heads_error)
                                    .arg(report.closes_error)));
        }
        ContributionRequest request;
        request.run = run.run;
        request.position = Position{run.rows() - 1};
        const ContributionTable table = run.engine->reader()->contributions(request);
        QVERIFY2(table.closes < 1e-4, qPrintable(QString::number(table.closes)));
        QVERIFY(table.heads_close < 1e-5);
    }
};

QTEST_APPLESS_MAIN(DefaultModelTest)
#include "default_model_test.moc"
