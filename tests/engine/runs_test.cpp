// SPDX-License-Identifier: GPL-3.0-or-later
// Runs: what may be asked of the engine in which order, and that a refusal, a cancel or a fork
// leaves everything as it should be. Tiny model; page size 16, so that edges are near.
#include <QTest>
#include <thread>

#include "engine/values/failure.h"
#include "tests/support/compare.h"
#include "tests/support/engine_run.h"
#include "tests/support/golden_file.h"

using namespace engine;

namespace {

const std::string model = std::string(TEST_DATA) + "/tiny_qwen3";

std::vector<TokenId> prompt(std::int64_t length, int seed = 7) {
    std::vector<TokenId> tokens;
    for (std::int64_t i = 0; i < length; ++i)
        tokens.push_back(TokenId{static_cast<std::int32_t>((i * 37 + seed) % 317 + 3)});
    return tokens;
}

// Everything the views are rebuilt from, one number an element.
std::vector<float> trace_of(const EngineRun& run, Rows rows) {
    std::vector<float> all;
    for (int layer = 0; layer < run.engine->info().layers; ++layer)
        for (const char* kind : {"q", "k", "v", "z", "pattern"}) {
            const std::vector<float> part = run.read(kind, layer, rows);
            all.insert(all.end(), part.begin(), part.end());
        }
    return all;
}

}  // namespace

class RunsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void refusals_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("says");
        QTest::addRow("empty prompt") << 0 << "empty";
        QTest::addRow("longer than the context") << 1 << "513 tokens";
        QTest::addRow("token id") << 2 << "320";
        QTest::addRow("negative token id") << 3 << "-1";
        QTest::addRow("temperature") << 4 << "temperature";
        QTest::addRow("top-p") << 5 << "top-p";
        QTest::addRow("unknown run") << 6 << "99";
        QTest::addRow("step before the prompt is read") << 7 << "0 of 4";
        QTest::addRow("layer") << 8 << "layer 3";
        QTest::addRow("head") << 9 << "head 4";
        QTest::addRow("position") << 10 << "4 rows";
        QTest::addRow("tensor name") << 11 << "nonsense";
        QTest::addRow("target") << 12 << "320";
        QTest::addRow("fork past the end") << 13 << "forked";
        QTest::addRow("a text of many megabytes") << 14 << "50,000,000 bytes, at least";
    }
    void refusals() {
        QFETCH(int, which);
        QFETCH(QString, says);
        EngineRun run(EngineRun::open(model, 16), prompt(4));
        const auto reader = run.engine->reader();
        const auto open = [&](std::vector<TokenId> tokens, Sampling sampling = {}) {
            run.engine->open_run({std::move(tokens), sampling, 0});
        };
        const auto cell = [&](LayerHead at, std::int64_t dest) {
            reader->cell(run.run, at, Position{dest}, Position{0}, TokenId{0}, {});
        };
        const Failure failure = failure_of([&] {
            switch (which) {
                case 0: return open({});
                case 1: return open(prompt(513));
                case 2: return open({TokenId{320}});
                case 3: return open({TokenId{-1}});
                case 4: return open(prompt(3), {-1.0, 0, 1, 0});
                case 5: return open(prompt(3), {1.0, 0, 0, 0});
                case 6: (void)run.engine->decode_step(RunId{99}, {}); return;
                case 7:
                    (void)run.engine->decode_step(run.engine->open_run({prompt(4), {}, 0}), {});
                    return;
                case 8: return cell({Layer{3}, QueryHead{0}}, 0);
                case 9: return cell({Layer{0}, QueryHead{4}}, 0);
                case 10: return cell({Layer{0}, QueryHead{0}}, 4);
                case 11: (void)run.read("nonsense", 0, {0, 1}); return;
                case 12:
                    (void)reader->cell(run.run, {}, Position{0}, Position{0}, TokenId{320}, {});
                    return;
                case 13: (void)run.engine->fork_run(run.run, Position{5}, TokenId{1}); return;
                case 14: (void)run.engine->tokenize(std::string(50'000'000, 'x'), {}); return;
                default: return;
            }
        });
        QVERIFY2(QString::fromStdString(failure.line()).contains(says), failure.line().c_str());
        QCOMPARE(failure.kind, Failure::Kind::BadRequest);
        QCOMPARE(run.engine->decode_step(run.run, {}).rows, 5);  // still usable
    }

    // A prompt of 6 and 3 steps: [H, 6, 6], then [H, 1, 7], [H, 1, 8] and [H, 1, 9] join to one
    // triangle. The token that comes after has no row, and asking for it says so.
    void stepsJoinThePromptsMap() {
        EngineRun run(EngineRun::open(model, 16), prompt(6));
        const auto reader = run.engine->reader();
        const auto pattern = [&](Rows rows) {
            return reader->read(run.run, {"pattern", Layer{1}, {}}, rows).data;
        };
        constexpr std::int64_t heads = 4, whole = 9;
        std::vector<float> joined(heads * whole * whole);
        const auto join = [&](Rows rows) {
            const Payload part = pattern(rows);
            QCOMPARE(part.shape, (std::vector<std::int64_t>{heads, rows.count(), rows.end}));
            const auto values = part.as<float>();
            std::size_t from = 0;
            for (std::int64_t h = 0; h < heads; ++h)
                for (std::int64_t dest = rows.begin; dest < rows.end; ++dest)
                    for (std::int64_t src = 0; src < rows.end; ++src, ++from)
                        joined[static_cast<std::size_t>((h * whole + dest) * whole + src)] =
                            values[from];
        };
        join({0, 6});
        for (std::int64_t rows = 7; rows <= whole; ++rows) {
            QCOMPARE(run.engine->decode_step(run.run, {}).rows, rows);
            join({rows - 1, rows});
        }
        const Payload at_once = pattern({0, whole});
        const auto all = at_once.as<float>();
        QCOMPARE(joined, std::vector<float>(all.begin(), all.end()));
        for (std::int64_t row = 0; row < heads * whole; ++row) {
            double sum = 0;
            for (std::int64_t src = 0; src < whole; ++src) {
                const float p = joined[static_cast<std::size_t>(row * whole + src)];
                if (src > row % whole) QCOMPARE(p, 0.0f);
                sum += p;
            }
            QVERIFY2(std::abs(sum - 1) < 1e-5, qPrintable(QString::number(sum)));
        }
        for (const Rows beyond : {Rows{9, 10}, Rows{0, 10}, Rows{8, 10}}) {
            const Failure failure = failure_of([&] { (void)pattern(beyond); });
            QCOMPARE(failure.kind, Failure::Kind::BadRequest);
            QVERIFY2(failure.line().find("9 rows") != std::string::npos, failure.line().c_str());
        }
    }

    void contextFull() {
        EngineRun run(EngineRun::open(model, 64), prompt(511));
        QCOMPARE(run.engine->decode_step(run.run, {}).rows, 512);
        const Failure failure = failure_of([&] { (void)run.engine->decode_step(run.run, {}); });
        QVERIFY2(failure.what.find("512") != std::string::npos, failure.what.c_str());
        QCOMPARE(run.rows(), 512);
    }

    void memoryIsRefusedWithNumbersAndComesBack() {
        OpenRequest request;
        request.path = model;
        request.page_tokens = 16;
        const std::int64_t page = [&] {
            const auto engine = EngineRun::open(request);
            return engine->info().bytes_per_token * 16;
        }();
        request.memory_limit = 4 * page;  // 64 tokens
        const auto engine = EngineRun::open(request);
        QCOMPARE(engine->info().pages, 4);
        const Failure failure = failure_of([&] { (void)engine->open_run({prompt(65), {}, 0}); });
        QCOMPARE(failure.kind, Failure::Kind::OutOfMemory);
        QVERIFY2(failure.what.find("65 tokens need") != std::string::npos, failure.what.c_str());
        for (int round = 0; round < 3; ++round) {  // pages come back when a run is closed
            const RunId run = engine->open_run({prompt(64), {}, 0});
            while (!engine->prefill_chunk(run, {}).finished()) {
            }
            QCOMPARE(failure_of([&] { (void)engine->decode_step(run, {}); }).kind,
                     Failure::Kind::OutOfMemory);
            QCOMPARE(engine->reader()->rows(run), 64);
            engine->close_run(run);
        }
    }

    // Cancelled inside a prompt, then continued: the same trace as one that never was; likewise a
    // step.
    void cancelThenRetryIsAFreshRun() {
        const std::vector<TokenId> tokens = prompt(70);
        EngineRun fresh(EngineRun::open(model, 16), tokens, 3);
        const auto engine = EngineRun::open(model, 16);
        for (int at_layer = 0; at_layer < 3; ++at_layer) {
            const RunId run = engine->open_run({tokens, {}, 0});
            std::stop_source stop;
            bool cancelled = false;
            try {
                engine->prefill_chunk(run, stop.get_token(), [&](const Progress& progress) {
                    if (progress.layer == at_layer) stop.request_stop();
                });
            } catch (const Cancelled&) {
                cancelled = true;
            }
            QCOMPARE(cancelled,
                     at_layer < 2);  // seen before the next layer; after the last there is none
            if (cancelled) QCOMPARE(engine->reader()->rows(run), 0);
            while (!engine->prefill_chunk(run, {}).finished()) {
            }
            std::stop_source at_once;
            at_once.request_stop();
            QVERIFY_EXCEPTION_THROWN((void)engine->decode_step(run, at_once.get_token()),
                                     Cancelled);
            std::vector<TokenId> generated = tokens;
            for (int i = 0; i < 3; ++i) generated.push_back(engine->decode_step(run, {}).token.id);
            QCOMPARE(generated, fresh.tokens);
            for (int layer = 0; layer < 3; ++layer) {
                const NamedTensor z = engine->reader()->read(run, {"z", Layer{layer}, {}}, {0, 73});
                QCOMPARE(relative_difference(z.data.as<float>(), fresh.read("z", layer, {0, 73})),
                         0.0);
            }
            engine->close_run(run);
        }
    }

    void forkSharesPagesAndDepartsAtTheToken() {
        const std::vector<TokenId> tokens = prompt(40);
        EngineRun parent(EngineRun::open(model, 16), tokens, 6);
        const std::vector<float> before = trace_of(parent, {0, 46});
        const Step last = parent.engine->decode_step(parent.run, {});
        const RunId fork = parent.engine->fork_run(parent.run, Position{42}, TokenId{5});
        while (!parent.engine->prefill_chunk(fork, {}).finished()) {
        }
        const Step step = parent.engine->decode_step(fork, {});
        QCOMPARE(step.rows, 44);
        // 40 tokens are 3 pages, 47 are 3; the fork's own is the partial third.
        QCOMPARE(last.pages_used, 3);
        QCOMPARE(step.pages_used, 4);
        QCOMPARE(trace_of(parent, {0, 46}), before);  // the parent did not change

        std::vector<TokenId> same(parent.tokens.begin(), parent.tokens.begin() + 42);
        same.push_back(TokenId{5});
        EngineRun fresh(EngineRun::open(model, 16), same);
        for (int layer = 0; layer < 3; ++layer) {
            const NamedTensor z =
                parent.engine->reader()->read(fork, {"z", Layer{layer}, {}}, {0, 43});
            QVERIFY(relative_difference(z.data.as<float>(), fresh.read("z", layer, {0, 43})) <
                    1e-5);
        }
        parent.engine->close_run(parent.run);  // shared pages live on
        QCOMPARE(parent.engine->reader()->rows(fork), 44);
        QCOMPARE(parent.engine->decode_step(fork, {}).rows, 45);
    }

    // A shown map is a snapshot: what was read stays as it was, and pages handed on do not reach an
    // older run's readers.
    void readersSeeWholeRowsWhileTheRunGrows() {
        EngineRun run(EngineRun::open(model, 16), prompt(20));
        const auto reader = run.engine->reader();
        std::atomic<bool> done = false;
        std::atomic<int> tiles = 0;
        std::thread browsing([&] {
            while (!done) {
                TileRequest request;
                request.run = run.run;
                request.heads = {{Layer{2}, QueryHead{3}}};
                request.dest = request.src = {0, 96, 1, {}};
                request.pooling = Pooling::None;
                const Tile tile = reader->tile(request);
                const auto p = tile.data.as<float>();
                for (std::int64_t row = 0; row < tile.rows_ready; ++row) {
                    double sum = 0;
                    for (std::int64_t src = 0; src < 96; ++src)
                        sum += p[static_cast<std::size_t>(row * 96 + src)];
                    if (!(std::abs(sum - 1) < 1e-5))
                        qFatal("row %d sums to %f", static_cast<int>(row), sum);
                }
                ++tiles;
            }
        });
        for (int i = 0; i < 60; ++i) (void)run.engine->decode_step(run.run, {});
        done = true;
        browsing.join();
        QVERIFY(tiles > 0);
    }

    // Ten pages that two prompts take in turn, one of them cancelled midway each time.
    void handedOnPagesReachNoOlderMap() {
        OpenRequest request;
        request.path = model;
        request.page_tokens = 16;
        request.memory_limit = 10 * 16 * EngineRun::open(request)->info().bytes_per_token;
        EngineRun first(EngineRun::open(request), prompt(150, 7));  // all ten
        QCOMPARE(first.engine->info().pages, 10);
        const EngineRun second(EngineRun::open(model, 16), prompt(97, 19));
        const auto map = [](Engine& engine, RunId run) {
            TileRequest tile;
            tile.run = run;
            tile.heads = {{Layer{1}, QueryHead{2}}};
            tile.dest = tile.src = {0, 97, 1, {}};
            tile.pooling = Pooling::None;
            return engine.reader()->tile(tile);
        };
        const auto values = [](const Tile& tile) {
            const auto span = tile.data.as<float>();
            return std::vector<float>(span.begin(), span.end());
        };
        const Tile shown = map(*first.engine, first.run);
        const std::vector<float> asShown = values(shown),
                                 expected = values(map(*second.engine, second.run));
        QVERIFY(asShown != expected);
        first.engine->close_run(first.run);
        for (int repeat = 0; repeat < 20; ++repeat) {
            const RunId cancelled = first.engine->open_run({prompt(150, 7), {}, 0});
            std::stop_source stop;
            QVERIFY_EXCEPTION_THROWN(
                first.engine->prefill_chunk(cancelled, stop.get_token(),
                                            [&](const Progress&) { stop.request_stop(); }),
                Cancelled);
            first.engine->close_run(cancelled);
            const RunId run = first.engine->open_run({prompt(97, 19), {}, 0});
            while (!first.engine->prefill_chunk(run, {}).finished()) {
            }
            QCOMPARE(values(map(*first.engine, run)), expected);
            first.engine->close_run(run);
        }
        QCOMPARE(values(shown), asShown);
    }

    void samplingIsRepeatableAndStaysInside() {
        EngineRun greedy(EngineRun::open(model, 16), prompt(12), 8);
        const auto draw = [&](const Sampling& sampling) {
            const auto engine = EngineRun::open(model, 16);
            const RunId run = engine->open_run({prompt(12), sampling, 0});
            while (!engine->prefill_chunk(run, {}).finished()) {
            }
            std::vector<TokenId> tokens = prompt(12);
            for (int i = 0; i < 8; ++i) tokens.push_back(engine->decode_step(run, {}).token.id);
            return tokens;
        };
        QCOMPARE(draw({1.0, 1, 1, 3}), greedy.tokens);     // top-k 1
        QCOMPARE(draw({1.0, 0, 1e-9, 3}), greedy.tokens);  // top-p that one token fills
        QCOMPARE(draw({2.0, 0, 1, 3}), draw({2.0, 0, 1, 3}));
        QVERIFY(draw({2.0, 0, 1, 3}) != draw({2.0, 0, 1, 4}));
    }
};

QTEST_APPLESS_MAIN(RunsTest)
#include "runs_test.moc"
