// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that edit their own forward pass: against Hugging Face with hooks
// (tests/data/make_edits.py), and the views of such runs against what the trace says. Tiny model,
// on the CPU, or a GPU where engine_run.h says.
#include <QTest>
#include <cmath>

#include "engine/values/failure.h"
#include "tests/support/compare.h"
#include "tests/support/engine_run.h"
#include "tests/support/golden_file.h"

using namespace engine;

namespace {

const std::string model = std::string(TEST_DATA) + "/tiny_qwen3";
constexpr LayerHead edited{Layer{1}, QueryHead{2}};
constexpr std::int64_t head_dim = 32, heads = 4;

std::vector<TokenId> prompt() {
    const golden::File golden(model + "/goldens.safetensors");
    std::vector<std::int64_t> ids = golden.at("token_ids").ints;
    ids.pop_back();
    return token_ids(ids);
}

Edits edits_of(const QString& name) {
    Edits edits;
    if (name == "ablate") edits.heads.push_back({edited, {9, 30}, 0, {}});
    if (name == "patch") {
        HeadEdit patch{edited, every_row, 0.5f, {}};
        for (int i = 0; i < head_dim; ++i)
            patch.values.push_back(static_cast<float>(i) / head_dim - 0.5f);
        edits.heads.push_back(patch);
    }
    if (name == "forbid") edits.edges = {{edited, {5, 40}, {0, 4}}, {edited, {20, 21}, {0, 7}}};
    return edits;
}

RunId open(Engine& engine, std::vector<TokenId> tokens, Edits edits,
           std::optional<RunId> parent = {}) {
    RunRequest request;
    request.tokens = std::move(tokens);
    request.edits = std::move(edits);
    request.parent = parent;
    const RunId run = engine.open_run(request);
    while (!engine.prefill_chunk(run, {}).finished()) {
    }
    return run;
}

std::vector<float> read(const Engine& engine, RunId run, const char* kind, int layer, Rows rows) {
    TensorName name{kind, {}, {}};
    if (layer >= 0) name.layer = Layer{layer};
    const NamedTensor tensor = engine.reader()->read(run, name, rows);
    const auto span = tensor.data.as<float>();
    return {span.begin(), span.end()};
}

TileRequest tile_of(RunId run, Quantity quantity, Pooling pooling, std::int64_t step) {
    TileRequest request;
    request.run = run;
    request.heads = {edited};
    request.dest = request.src = {0, 51, step, {}};
    request.quantity = quantity;
    request.pooling = pooling;
    return request;
}

}  // namespace

class EditsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void asHuggingFace_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("page");
        for (const char* name : {"ablate", "patch", "forbid"})
            for (const int page : {16, 64})
                QTest::addRow("%s, pages of %d", name, page) << name << page;
    }
    void asHuggingFace() {
        QFETCH(QString, name);
        QFETCH(int, page);
        const golden::File golden(std::string(TEST_DATA) + "/tiny_qwen3_edits.safetensors");
        const std::string prefix = name.toStdString() + ".";
        const golden::Tensor logits = golden.at(prefix + "logits"), z2 = golden.at(prefix + "z2");
        const auto engine = EngineRun::open(model, page);
        const RunId run = open(*engine, prompt(), edits_of(name)),
                    plain = open(*engine, prompt(), {});

        std::vector<float> ours, ours_z, without;
        for (const std::int64_t row : golden.at("rows").ints) {
            const auto add = [&](std::vector<float>& to, RunId of, const char* kind, int layer) {
                const std::vector<float> part = read(*engine, of, kind, layer, {row, row + 1});
                to.insert(to.end(), part.begin(), part.end());
            };
            add(ours, run, "logits", -1);
            add(without, plain, "logits", -1);
            add(ours_z, run, "z", 2);
        }
        QVERIFY(relative_difference(ours, logits.values) < 1e-4);
        QVERIFY(relative_difference(ours_z, z2.values) < 1e-4);
        QVERIFY(relative_difference(without, logits.values) > 1e-2);  // the edit shows at all
        for (int layer = 0; layer < 3; ++layer)
            QVERIFY(engine->reader()->checks(run, Layer{layer}).worst() <= 1);
    }

    // Forbidden is −inf and 0, in every view, and the row's other weights sum to 1.
    void forbiddenCellsInEveryView() {
        const auto engine = EngineRun::open(model, 16);
        const RunId run = open(*engine, prompt(), edits_of("forbid"));
        const auto reader = engine->reader();
        const auto hidden = [](std::int64_t dest, std::int64_t src) {
            return (dest >= 5 && dest < 40 && src < 4) || (dest == 20 && src < 7);
        };
        const std::vector<float> pattern = read(*engine, run, "pattern", 1, {0, 51}),
                                 scores = read(*engine, run, "scores", 1, {0, 51});
        double entropy = 0, sink = 0, most = 0;
        for (std::int64_t dest = 0; dest < 51; ++dest) {
            double sum = 0;
            for (std::int64_t src = 0; src <= dest; ++src) {
                const auto at = static_cast<std::size_t>((2 * 51 + dest) * 51 + src);
                QCOMPARE(pattern[at] == 0, hidden(dest, src));
                QCOMPARE(std::isinf(scores[at]), hidden(dest, src));
                const double p = pattern[at];
                sum += p;
                if (p > 0) entropy -= p * std::log(p);
                if (src == 0) sink += p;
                if (src > 0) most = std::max(most, p);
                // Another head of the layer sees what it always saw.
                QVERIFY(pattern[static_cast<std::size_t>((51 + dest) * 51 + src)] > 0);
                const Cell cell = reader->cell(run, edited, Position{dest}, Position{src},
                                               TokenId{0}, std::nullopt);
                QCOMPARE(cell.visible, !hidden(dest, src));
            }
            QVERIFY(std::abs(sum - 1) < 1e-5);
        }
        MetricsRequest request;
        request.run = run;
        const HeadTable table = reader->metrics(request);
        const auto this_head = static_cast<std::size_t>(1 * heads + 2);
        QVERIFY(std::abs(table.entropy[this_head] - entropy / 51) < 1e-4);
        QVERIFY(std::abs(table.sink[this_head] - sink / 51) < 1e-5);
        QVERIFY(std::abs(table.max_pattern[this_head] - most) < 1e-5);

        // Pooled three by three: the largest, and the sum.
        for (const Pooling pooling : {Pooling::Max, Pooling::Sum}) {
            const Tile tile = reader->tile(tile_of(run, Quantity::Pattern, pooling, 3));
            const auto pixels = tile.data.as<float>();
            for (std::int64_t y = 0; y < 17; ++y)
                for (std::int64_t x = 0; x <= y; ++x) {
                    double sum = 0, largest = 0;
                    for (std::int64_t dest = 3 * y; dest < 3 * y + 3; ++dest)
                        for (std::int64_t src = 3 * x; src < std::min(3 * x + 3, dest + 1); ++src) {
                            const double p =
                                pattern[static_cast<std::size_t>((2 * 51 + dest) * 51 + src)];
                            sum += p;
                            largest = std::max(largest, p);
                        }
                    const float pixel = pixels[static_cast<std::size_t>(y * 17 + x)];
                    QVERIFY(std::abs(pixel - (pooling == Pooling::Max ? largest : sum)) < 1e-5);
                }
        }
        // The difference from the run that sees them is what it saw there, negative.
        const RunId plain = open(*engine, prompt(), {});
        TileRequest difference = tile_of(run, Quantity::Pattern, Pooling::None, 1);
        difference.minus = plain;
        const std::vector<float> before = read(*engine, plain, "pattern", 1, {0, 51});
        const Tile apart = reader->tile(difference);
        for (std::int64_t src = 0; src < 4; ++src) {
            const auto at = static_cast<std::size_t>(30 * 51 + src);
            QVERIFY(std::abs(apart.data.as<float>()[at] +
                             before[static_cast<std::size_t>(2 * 51 * 51) + at]) < 1e-6);
        }
    }

    // What a cell puts into the stream is less by as much as the head's z is: nothing where it is
    // ablated. p and v are those of the run without edits, whose layers below are the same.
    void cellsOfAHeadThatIsScaled_data() {
        QTest::addColumn<float>("scale");
        QTest::newRow("off at rows 9 to 29") << 0.0f;
        QTest::newRow("turned round and halved there") << -0.5f;
    }
    void cellsOfAHeadThatIsScaled() {
        QFETCH(float, scale);
        const auto engine = EngineRun::open(model, 16);
        const RunId plain = open(*engine, prompt(), {});
        Edits edits;
        edits.heads.push_back({edited, {9, 30}, scale, {}});
        const RunId run = open(*engine, prompt(), edits);
        const auto reader = engine->reader();
        TensorName name{"logit_attribution", Layer{1}, TokenId{7}};
        const NamedTensor written = reader->read(run, name, {0, 51});
        for (const Quantity quantity : {Quantity::Value, Quantity::Attribution}) {
            TileRequest request = tile_of(run, quantity, Pooling::None, 1);
            request.target = TokenId{7};
            const Tile tile = reader->tile(request);
            request.run = plain;
            const Tile before = reader->tile(request);
            TileRequest apart = request;
            apart.run = run;
            apart.minus = plain;
            const Tile difference = reader->tile(apart);
            for (std::int64_t dest = 0; dest < 51; ++dest) {
                const float left = dest < 9 || dest >= 30        ? 1.0f
                                   : quantity == Quantity::Value ? std::abs(scale)
                                                                 : scale;
                double sum = 0;
                for (std::int64_t src = 0; src <= dest; ++src) {
                    const auto at = static_cast<std::size_t>(dest * 51 + src);
                    const float now = tile.data.as<float>()[at];
                    // Through the final norm of a changed stream attribution is another.
                    if (quantity == Quantity::Value || left == 0)
                        QVERIFY(std::abs(now - left * before.data.as<float>()[at]) < 1e-5);
                    QVERIFY(std::abs(difference.data.as<float>()[at] -
                                     (now - before.data.as<float>()[at])) < 1e-5);
                    const Cell cell = reader->cell(run, edited, Position{dest}, Position{src},
                                                   TokenId{7}, std::nullopt);
                    const float exact =
                        quantity == Quantity::Value ? cell.value_norm : cell.attribution;
                    QVERIFY(std::abs(now - exact) < 1e-5);
                    sum += now;
                }
                if (quantity == Quantity::Attribution)
                    QVERIFY(std::abs(sum - written.data.as<float>()[static_cast<std::size_t>(
                                               dest * heads + 2)]) < 1e-4);
            }
        }
    }

    void aRowThatSeesNothing() {
        const auto engine = EngineRun::open(model, 16);
        Edits edits;
        edits.edges = {{edited, {0, 8}, {0, 8}}};
        const RunId run = open(*engine, prompt(), edits);
        const std::vector<float> z = read(*engine, run, "z", 1, {0, 9}),
                                 lse = read(*engine, run, "lse", 1, {0, 9});
        for (std::int64_t row = 0; row < 9; ++row) {
            for (std::int64_t i = 0; i < head_dim; ++i)
                if (row < 8)
                    QCOMPARE(z[static_cast<std::size_t>((row * heads + 2) * head_dim + i)], 0.0f);
            QCOMPARE(std::isinf(lse[static_cast<std::size_t>(2 * 9 + row)]), row < 8);
        }
        for (const char* kind : {"pattern", "logits", "contribution"})
            for (const float x : read(*engine, run, kind, kind[0] == 'l' ? -1 : 1, {0, 9}))
                QVERIFY(std::isfinite(x));
        MetricsRequest request;
        request.run = run;
        const HeadTable table = engine->reader()->metrics(request);
        for (std::size_t i = 0; i < table.entropy.size(); ++i)
            QVERIFY(std::isfinite(table.entropy[i]) && std::isfinite(table.sink[i]));
        QVERIFY(engine->reader()->checks(run, Layer{1}).worst() <= 1);
    }

    // Generated rows are edited as those of a prompt are, and a fork keeps its run's edits.
    void stepsAndForksKeepTheEdits_data() {
        QTest::addColumn<QString>("name");
        QTest::addRow("patch") << "patch";
        QTest::addRow("forbid") << "forbid";
    }
    void stepsAndForksKeepTheEdits() {
        QFETCH(QString, name);
        Edits edits = edits_of(name);
        for (EdgeEdit& edit : edits.edges) edit.dest.end = every_row.end;
        const auto engine = EngineRun::open(model, 16);
        std::vector<TokenId> tokens = prompt();
        const RunId run = open(*engine, tokens, edits);
        for (int i = 0; i < 12; ++i) tokens.push_back(engine->decode_step(run, {}).token.id);
        const RunId at_once = open(*engine, tokens, edits), plain = open(*engine, tokens, {}),
                    fork = engine->fork_run(run, Position{62}, tokens[62]);
        while (!engine->prefill_chunk(fork, {}).finished()) {
        }
        const auto z = [&](RunId of) { return read(*engine, of, "z", 2, {0, 63}); };
        QVERIFY(relative_difference(z(run), z(at_once)) < 1e-5);
        QVERIFY(relative_difference(z(fork), z(at_once)) < 1e-5);
        QVERIFY(relative_difference(z(plain), z(at_once)) > 1e-3);
    }

    void rowsBeforeTheFirstDifferenceAreShared_data() {
        QTest::addColumn<int>("changed");    // token, or −1
        QTest::addColumn<int>("edit_from");  // row, or −1
        QTest::addColumn<int>("alike");
        QTest::addRow("the same run") << -1 << -1 << 50;
        QTest::addRow("another token") << 33 << -1 << 33;
        QTest::addRow("the first token") << 0 << -1 << 0;
        QTest::addRow("an edit") << -1 << 20 << 20;
        QTest::addRow("an edit behind another token") << 17 << 20 << 17;
    }
    void rowsBeforeTheFirstDifferenceAreShared() {
        QFETCH(int, changed);
        QFETCH(int, edit_from);
        QFETCH(int, alike);
        const auto engine = EngineRun::open(model, 16), other = EngineRun::open(model, 16);
        const RunId parent = open(*engine, prompt(), {});
        std::vector<TokenId> tokens = prompt();
        if (changed >= 0) tokens[static_cast<std::size_t>(changed)] = TokenId{7};
        Edits edits;
        if (edit_from >= 0) edits.heads.push_back({edited, {edit_from, 64}, 0, {}});
        RunRequest request;
        request.tokens = tokens;
        request.edits = edits;
        request.parent = parent;
        const RunId run = engine->open_run(request);
        QCOMPARE(engine->reader()->rows(run), alike);
        const std::vector<float> before = read(*engine, parent, "z", 2, {0, 51});
        while (!engine->prefill_chunk(run, {}).finished()) {
        }
        const RunId fresh = open(*other, tokens, edits);
        for (int layer = 0; layer < 3; ++layer)
            QVERIFY(relative_difference(read(*engine, run, "z", layer, {0, 51}),
                                        read(*other, fresh, "z", layer, {0, 51})) < 1e-5);
        QVERIFY(relative_difference(read(*engine, run, "logits", -1, {50, 51}),
                                    read(*other, fresh, "logits", -1, {50, 51})) < 1e-5);
        QCOMPARE(read(*engine, parent, "z", 2, {0, 51}), before);
        engine->close_run(parent);  // shared pages live on
        QCOMPARE(engine->decode_step(run, {}).token.id, other->decode_step(fresh, {}).token.id);
    }

    void refusals_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("says");
        QTest::addRow("layer") << 0 << "L3.H0";
        QTest::addRow("head") << 1 << "3 layers of 4 heads";
        QTest::addRow("no rows") << 2 << "[5, 5)";
        QTest::addRow("no keys") << 3 << "[-1, 3)";
        QTest::addRow("values of another size") << 4 << "31 values";
        QTest::addRow("not finite") << 5 << "not finite";
        QTest::addRow("no such parent") << 6 << "run 99";
    }
    void refusals() {
        QFETCH(int, which);
        QFETCH(QString, says);
        RunRequest request;
        request.tokens = prompt();
        Edits& edits = request.edits;
        if (which == 0) edits.heads = {{{Layer{3}, QueryHead{0}}, every_row, 0, {}}};
        if (which == 1) edits.edges = {{{Layer{0}, QueryHead{4}}, every_row, {0, 1}}};
        if (which == 2) edits.heads = {{edited, {5, 5}, 0, {}}};
        if (which == 3) edits.edges = {{edited, every_row, {-1, 3}}};
        if (which == 4) edits.heads = {{edited, every_row, 0, std::vector<float>(31)}};
        if (which == 5) edits.heads = {{edited, every_row, std::nanf(""), {}}};
        if (which == 6) request.parent = RunId{99};
        const auto engine = EngineRun::open(model, 16);
        try {
            (void)engine->open_run(request);
            QFAIL("nothing was thrown");
        } catch (const Error& error) {
            QVERIFY2(error.failure().what.find(says.toStdString()) != std::string::npos,
                     error.failure().what.c_str());
        }
    }
};

QTEST_APPLESS_MAIN(EditsTest)
#include "edits_test.moc"
