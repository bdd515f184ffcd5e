// SPDX-License-Identifier: GPL-3.0-or-later
// Every family's views on a GPU: in fp32 those of the CPU's reader, with and without edits of the
// run; in 16 bits what their rounding allows. That the rows are Hugging Face's is families_test,
// which runs on the GPU too.
#include <QTest>

#include "engine/families/family.h"
#include "engine/model/decoder_terms.h"
#include "tests/support/compare.h"
#include "tests/support/engine_run.h"
#include "tests/support/family_fixtures.h"
#include "tests/support/on_device.h"
#include "tests/support/tile_requests.h"

using namespace engine;

namespace {

constexpr std::int64_t prompt_rows = 24, rows = 29;  // tiny_phi3 turns its frequencies at 32

std::string data(const QString& name) {
    return std::string(TEST_DATA) + "/" + name.toStdString();
}

std::unique_ptr<Engine> open_tiny(const char* device, const QString& name,
                                  DType dtype = DType::F32) {
    return open_on(device, data(name), dtype, 16, std::int64_t{1} << 26);
}

void add_fixtures() {
    QTest::addColumn<QString>("name");
    for (const FamilyFixture& fixture : family_fixtures())
        QTest::addRow("%s", fixture.name) << fixture.name;
    for (const char* name : {"tiny_llama", "tiny_llama3", "tiny_qwen3"})
        QTest::addRow("%s", name) << name;
}

// Rows of a head scaled and shifted, another head's keys hidden: all of both in the last layer but
// one.
Edits edits_of(const ModelInfo& info) {
    const Layer layer{info.layers - 2};
    Edits edits;
    HeadEdit head{{layer, QueryHead{0}}, {5, 27}, 0.5f, {}};
    for (int i = 0; i < info.head_dim; ++i)
        head.values.push_back(0.25f -
                              0.5f * static_cast<float>(i) / static_cast<float>(info.head_dim));
    edits.heads = {head};
    const LayerHead other{layer, QueryHead{info.query_heads - 2}};
    edits.edges = {{other, {3, 26}, {0, 3}}, {other, {0, 2}, {0, 2}}, {other, {12, 13}, {0, 9}}};
    return edits;
}

// A prompt and some steps.
RunId generate(Engine& engine, const Edits& edits, std::vector<TokenId>& tokens) {
    RunRequest request;
    request.tokens = tokens;
    request.edits = edits;
    const RunId run = engine.open_run(request);
    while (!engine.prefill_chunk(run, {}).finished()) {
    }
    while (static_cast<std::int64_t>(tokens.size()) < rows)
        tokens.push_back(engine.decode_step(run, {}).token.id);
    return run;
}

std::vector<float> floats(const Engine& engine, RunId run, const char* kind, int layer) {
    TensorName name{kind, {}, {}};
    if (layer >= 0) name.layer = Layer{layer};
    const NamedTensor tensor = engine.reader()->read(run, name, {0, rows});
    const auto span = tensor.data.as<float>();
    return {span.begin(), span.end()};
}

std::vector<float> pixels(const Tile& tile, bool magnitudes) {
    const auto span = tile.data.as<float>();
    std::vector<float> all(span.begin(), span.end());
    if (magnitudes)
        for (float& x : all) x = std::abs(x);
    return all;
}

}  // namespace

class CudaFamilyViewsTest : public QObject {
    Q_OBJECT
    std::string m_why;

    static void near(std::span<const float> gpu, std::span<const float> cpu, const char* what) {
        const double error = tiles_apart(gpu, cpu);
        QVERIFY2(error < 2e-4,
                 qPrintable(QStringLiteral("%1 is off by %2").arg(QLatin1String(what)).arg(error)));
    }
    static void near(float gpu, float cpu, double scale, const char* what) {
        QVERIFY2(std::abs(double{gpu} - cpu) <= 2e-4 * (1e-3 + scale),
                 qPrintable(QStringLiteral("%1: %2, not %3")
                                .arg(QLatin1String(what))
                                .arg(double{gpu})
                                .arg(double{cpu})));
    }

  private Q_SLOTS:
    void initTestCase() {
        m_why = open_tiny("cuda", QStringLiteral("tiny_qwen3"))->info().device_note;
    }
    void init() {
        if (!m_why.empty()) QSKIP(("no GPU: " + m_why).c_str());
    }

    void viewsAreTheCpus_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("edited");
        for (const bool edited : {false, true}) {
            const auto row = [&](const char* name) {
                QTest::addRow("%s%s", name, edited ? ", edited" : "") << name << edited;
            };
            for (const FamilyFixture& fixture : family_fixtures()) row(fixture.name);
            for (const char* name : {"tiny_llama", "tiny_llama3", "tiny_qwen3"}) row(name);
        }
    }
    void viewsAreTheCpus() {
        QFETCH(QString, name);
        QFETCH(bool, edited);
        const auto gpu = open_tiny("cuda", name), cpu = open_tiny("cpu", name);
        QCOMPARE(gpu->info().device_note, std::string());
        QVERIFY(gpu->info().device != cpu->info().device);
        const ModelInfo& info = cpu->info();
        const Edits edits = edited ? edits_of(info) : Edits();
        auto tokens = mixed_tokens(prompt_rows, 53, 11), cpu_tokens = tokens;
        const RunId run = generate(*gpu, edits, tokens),
                    cpu_run = generate(*cpu, edits, cpu_tokens);
        QCOMPARE(tokens, cpu_tokens);
        const auto reader = gpu->reader(), cpu_reader = cpu->reader();

        for (int layer = 0; layer < info.layers; ++layer) {
            for (const char* kind :
                 {"q", "k", "v", "z", "lse", "qkv", "scores", "pattern", "contribution",
                  "contribution_norm", "logit_attribution", "attention_out", "mlp_out", "residual"})
                near(floats(*gpu, run, kind, layer), floats(*cpu, cpu_run, kind, layer), kind);
            const CheckReport report = reader->checks(run, Layer{layer});
            QVERIFY2(report.worst() <= 1,
                     qPrintable(QStringLiteral("row sums %1, z %2, heads %3, closes %4")
                                    .arg(double{report.row_sum_error})
                                    .arg(double{report.z_error})
                                    .arg(double{report.heads_error})
                                    .arg(double{report.closes_error})));
        }
        near(floats(*gpu, run, "logits", -1), floats(*cpu, cpu_run, "logits", -1), "logits");
        near(floats(*gpu, run, "embedding", -1), floats(*cpu, cpu_run, "embedding", -1),
             "embedding");

        const auto second = [&](Engine& engine) {
            auto others = mixed_tokens(prompt_rows, 53, 12);
            return generate(engine, {}, others);
        };
        const RunId other = second(*gpu), cpu_other = second(*cpu);
        for (const bool difference : {false, true})
            for (TileRequest request : tile_requests(run, info, rows)) {
                // Differences of scores that are −inf are no numbers.
                if (difference && edited && request.quantity == Quantity::Scores) continue;
                if (difference) request.minus = other;
                const Tile a = reader->tile(request);
                request.run = cpu_run;
                if (difference) request.minus = cpu_other;
                const Tile b = cpu_reader->tile(request);
                // Of x and −x the one of larger magnitude is a matter of the last bit.
                const bool either = difference && request.pooling == Pooling::Max;
                const double error = tiles_apart(pixels(a, either), pixels(b, either));
                QVERIFY2(error < 2e-4, qPrintable(QStringLiteral("%1: quantity %2 pooling %3 "
                                                                 "difference %4")
                                                      .arg(error)
                                                      .arg(static_cast<int>(request.quantity))
                                                      .arg(static_cast<int>(request.pooling))
                                                      .arg(difference)));
            }

        MetricsRequest metrics;
        metrics.run = run;
        const HeadTable table = reader->metrics(metrics);
        metrics.run = cpu_run;
        const HeadTable cpu_table = cpu_reader->metrics(metrics);
        for (const auto of :
             {&HeadTable::sink, &HeadTable::entropy, &HeadTable::max_pattern, &HeadTable::min_score,
              &HeadTable::max_score, &HeadTable::mass, &HeadTable::distance,
              &HeadTable::previous_token, &HeadTable::duplicate_token, &HeadTable::induction})
            near(table.*of, cpu_table.*of, "the head table");

        for (const std::int64_t at : {std::int64_t{0}, std::int64_t{13}, rows - 1}) {
            ContributionRequest request;
            request.run = run;
            request.position = Position{at};
            request.distractor = TokenId{5};
            const ContributionTable parts = reader->contributions(request);
            request.run = cpu_run;
            const ContributionTable expected = cpu_reader->contributions(request);
            QCOMPARE(parts.target, expected.target);
            for (const auto of :
                 {&ContributionTable::head_norm, &ContributionTable::head_attribution,
                  &ContributionTable::attention_norm, &ContributionTable::attention_attribution,
                  &ContributionTable::output_bias_norm, &ContributionTable::output_bias_attribution,
                  &ContributionTable::mlp_norm, &ContributionTable::mlp_attribution})
                near(parts.*of, expected.*of, "contributions");
            const double scale = max_abs(expected.mlp_attribution) + std::abs(expected.logit);
            near(parts.embedding_norm, expected.embedding_norm, double{expected.embedding_norm},
                 "embedding's length");
            near(parts.embedding_attribution, expected.embedding_attribution, scale, "embedding");
            near(parts.bias_attribution, expected.bias_attribution, scale, "bias");
            near(parts.logit, expected.logit, scale, "logit");
            QCOMPARE(parts.soft_cap, expected.soft_cap);
            QVERIFY2(parts.closes < 1e-5f, QByteArray::number(double{parts.closes}));
            QVERIFY(parts.heads_close < 1e-5f);
            for (int head = 0; head < info.query_heads; ++head)
                for (const std::int64_t src : {std::int64_t{0}, at}) {
                    const LayerHead where{Layer{info.layers - 2}, QueryHead{head}};
                    const auto cell_of = [&](const TraceReader& of, RunId id) {
                        return of.cell(id, where, Position{at}, Position{src}, TokenId{17},
                                       TokenId{99});
                    };
                    const Cell cell = cell_of(*reader, run), truth = cell_of(*cpu_reader, cpu_run);
                    QCOMPARE(cell.visible, truth.visible);
                    QCOMPARE(cell.row_cells, truth.row_cells);
                    near(cell.sink, truth.sink, 1, "sink");
                    if (!truth.visible) continue;
                    near(cell.score, truth.score, 1 + std::abs(double{truth.score}), "score");
                    near(cell.pattern, truth.pattern, 1, "pattern");
                    near(cell.value_norm, truth.value_norm, double{truth.value_norm}, "value");
                    near(cell.attribution, truth.attribution, 1, "attribution");
                }
        }
    }

    // What computes it is said, and the same by `info` as by the open model.
    void whatComputesIt_data() { add_fixtures(); }
    void whatComputesIt() {
        QFETCH(QString, name);
        const auto plan = families::plan_model(formats::open_checkpoint(data(name)));
        const std::string term = term_beyond_llama(plan.config);
        QCOMPARE(open_tiny("cuda", name)->info().block_by_block, term);
        const ModelInfo inspected = inspect_model(data(name), "cuda");
        if (inspected.device_note.empty()) QCOMPARE(inspected.block_by_block, term);
        QCOMPARE(open_tiny("cpu", name)->info().block_by_block, std::string());
    }

    // In 16 bits a mixture may take another expert: past its layer rows are others, and what holds
    // is what each layer says of itself.
    void halfPrecision_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("type");
        for (const DType type : {DType::F16, DType::BF16})
            for (const FamilyFixture& fixture : family_fixtures())
                QTest::addRow("%s, %s", fixture.name, name_of(type))
                    << fixture.name << static_cast<int>(type);
    }
    void halfPrecision() {
        QFETCH(QString, name);
        QFETCH(int, type);
        const auto whole = open_tiny("cuda", name);
        if (whole->info().head_dim % 8 != 0) {  // no rows of whole 16 bytes, and the CPU has fp32
            QVERIFY_EXCEPTION_THROWN((void)open_tiny("cuda", name, static_cast<DType>(type)),
                                     Error);
            return;
        }
        const auto half = open_tiny("cuda", name, static_cast<DType>(type));
        QCOMPARE(half->info().device_note, std::string());
        auto tokens = mixed_tokens(prompt_rows, 53, 11);
        const RunId run = generate(*half, {}, tokens);
        std::vector<TokenId> same = tokens;
        const RunId whole_run = generate(*whole, {}, same);
        const double tolerance = static_cast<DType>(type) == DType::F16 ? 1e-2 : 5e-2;
        for (const char* kind : {"q", "k", "v", "pattern", "z", "attention_out"}) {
            const double error = relative_difference(floats(*half, run, kind, 0),
                                                     floats(*whole, whole_run, kind, 0));
            QVERIFY2(
                error < tolerance,
                qPrintable(QStringLiteral("%1 is off by %2").arg(QLatin1String(kind)).arg(error)));
        }
        for (const float x : floats(*half, run, "logits", -1)) QVERIFY(std::isfinite(x));
        for (int layer = 0; layer < half->info().layers; ++layer) {
            const CheckReport report = half->reader()->checks(run, Layer{layer});
            QVERIFY2(report.worst() <= 1,
                     qPrintable(QStringLiteral("row sums %1, z %2, heads %3, closes %4")
                                    .arg(double{report.row_sum_error})
                                    .arg(double{report.z_error})
                                    .arg(double{report.heads_error})
                                    .arg(double{report.closes_error})));
        }
    }
};

QTEST_APPLESS_MAIN(CudaFamilyViewsTest)
#include "cuda_family_views_test.moc"
