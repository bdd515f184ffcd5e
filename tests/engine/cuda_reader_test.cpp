// SPDX-License-Identifier: GPL-3.0-or-later
// The reader of a device, in every compute type: its numbers against plain fp64 loops over what the
// trace holds and against the CPU's reader, and what threads, steps and held results do to it.
#include <QTest>
#include <atomic>
#include <thread>

#include "tests/support/compare.h"
#include "tests/support/engine_run.h"
#include "tests/support/on_device.h"
#include "tests/support/tile_requests.h"

using namespace engine;

namespace {

constexpr std::int64_t length = 75;
constexpr int layers = 3, heads = 4;

std::unique_ptr<Engine> open_on(const char* device, DType dtype,
                                const std::string& model = "tiny_qwen3") {
    return ::open_on(device, std::string(TEST_DATA) + "/" + model, dtype, 16,
                     std::int64_t{1} << 28);
}

std::vector<TokenId> prompt(std::int64_t count, int seed = 11) {
    return mixed_tokens(count, 53, seed);
}

}  // namespace

class CudaReaderTest : public QObject {
    Q_OBJECT
    std::string m_why;

  private Q_SLOTS:
    void initTestCase() { m_why = open_on("cuda", DType::F32)->info().device_note; }
    void init() {
        if (!m_why.empty()) QSKIP(("no GPU: " + m_why).c_str());
    }

    void types_data() {
        QTest::addColumn<int>("type");
        for (DType type : {DType::F32, DType::F16, DType::BF16})
            QTest::addRow("%s", name_of(type)) << static_cast<int>(type);
    }

    // Exact rows, the table of heads and cells, from q, k, v and lse as the trace holds them.
    void equalsPlainLoops_data() { types_data(); }
    void equalsPlainLoops() {
        QFETCH(int, type);
        const EngineRun run(open_on("cuda", static_cast<DType>(type)), prompt(length - 4), 4);
        const auto reader = run.engine->reader();
        QCOMPARE(reader->rows(run.run), length);
        const ModelInfo& info = run.engine->info();
        const auto d = static_cast<std::size_t>(info.head_dim);
        MetricsRequest metrics;
        metrics.run = run.run;
        const HeadTable table = reader->metrics(metrics);
        for (int layer = 0; layer < layers; ++layer) {
            const auto q = run.read("q", layer, {0, length}), k = run.read("k", layer, {0, length}),
                       lse = run.read("lse", layer, {0, length}),
                       pattern = run.read("pattern", layer, {0, length}),
                       scores = run.read("scores", layer, {0, length});
            const auto kv_heads = static_cast<std::size_t>(info.kv_heads);
            for (std::size_t h = 0; h < heads; ++h) {
                double sink = 0, entropy = 0, most = 0, row_sum = 0, error = 0, largest = 0;
                double distance = 0, previous = 0, duplicate = 0, induction = 0;
                for (std::size_t dest = 0; dest < length; ++dest) {
                    double sum = 0;
                    for (std::size_t src = 0; src <= dest; ++src) {
                        double s = 0;
                        for (std::size_t i = 0; i < d; ++i)
                            s += double{q[(dest * heads + h) * d + i]} *
                                 k[(src * kv_heads + h * kv_heads / heads) * d + i];
                        s *= double{info.attention[0].scale};
                        const std::size_t at = (h * length + dest) * length + src;
                        const double p = std::exp(s - lse[h * length + dest]);
                        error = std::max(error, std::abs(p - pattern[at]));
                        error =
                            std::max(error, std::abs(s - scores[at]) / std::max(1.0, std::abs(s)));
                        largest = std::max(largest, std::abs(s));
                        sum += p;
                        if (src == 0) sink += p;
                        if (src > 0) most = std::max(most, p);
                        if (p > 0) entropy -= p * std::log(p);
                        distance += p * static_cast<double>(dest - src);
                        if (src + 1 == dest) previous += p;
                        if (src < dest && run.tokens[src] == run.tokens[dest]) duplicate += p;
                        if (src > 0 && run.tokens[src - 1] == run.tokens[dest]) induction += p;
                    }
                    row_sum = std::max(row_sum, std::abs(sum - 1));
                }
                const double allowed = 1e-5 + 2.4e-7 * largest;
                QVERIFY2(error <= allowed, QByteArray::number(error));
                QVERIFY2(row_sum <= allowed, QByteArray::number(row_sum));
                const std::size_t index = static_cast<std::size_t>(layer) * heads + h;
                QVERIFY(std::abs(table.sink[index] - sink / length) <= allowed);
                QVERIFY(std::abs(table.entropy[index] - entropy / length) <= 10 * allowed);
                QVERIFY(std::abs(table.max_pattern[index] - most) <= allowed);
                QVERIFY(std::abs(table.mass[index] - 1) <= allowed);
                QVERIFY(std::abs(table.distance[index] - distance / length) <= length * allowed);
                QVERIFY(std::abs(table.previous_token[index] - previous / length) <= allowed);
                QVERIFY(std::abs(table.duplicate_token[index] - duplicate / length) <= allowed);
                QVERIFY(std::abs(table.induction[index] - induction / length) <= allowed);
            }
            for (auto [dest, src] : {std::pair{0, 0}, {40, 3}, {74, 74}, {72, 16}}) {
                const LayerHead head{Layer{layer}, QueryHead{3}};
                const Cell cell = reader->cell(run.run, head, Position{dest}, Position{src},
                                               TokenId{17}, TokenId{99});
                const std::size_t at = static_cast<std::size_t>((3 * length + dest) * length + src);
                QVERIFY(cell.visible);
                QVERIFY(std::abs(cell.pattern - pattern[at]) <= 1e-5f);
                for (auto [quantity, value] : {std::pair{Quantity::Value, cell.value_norm},
                                               {Quantity::Attribution, cell.attribution}}) {
                    const Tile tile = reader->tile(map_of(run.run, head, length, quantity));
                    const auto map = tile.data.as<float>();
                    QVERIFY(std::abs(map[static_cast<std::size_t>(dest * length + src)] - value) <=
                            1e-4 * max_abs(map));
                }
            }
        }
        for (int layer = 0; layer < layers; ++layer) {
            const CheckReport report = reader->checks(run.run, Layer{layer});
            QVERIFY2(report.worst() <= 1, QString("row sums %1, z %2, heads %3, closes %4")
                                              .arg(static_cast<double>(report.row_sum_error))
                                              .arg(static_cast<double>(report.z_error))
                                              .arg(static_cast<double>(report.heads_error))
                                              .arg(static_cast<double>(report.closes_error))
                                              .toUtf8());
        }
        for (const std::int64_t at : {std::int64_t{0}, std::int64_t{33}, length - 1}) {
            ContributionRequest request;
            request.run = run.run;
            request.position = Position{at};
            const ContributionTable parts = reader->contributions(request);
            QVERIFY2(parts.heads_close <= 1e-5f,
                     QByteArray::number(static_cast<double>(parts.heads_close)));
            QVERIFY2(parts.closes <= (type == static_cast<int>(DType::F32) ? 1e-5f : 0x1p-5f),
                     QByteArray::number(static_cast<double>(parts.closes)));
            const auto norms = run.read("contribution_norm", 2, {at, at + 1}),
                       writes = run.read("contribution", 2, {at, at + 1});
            for (std::size_t h = 0; h < heads; ++h) {
                double squares = 0;
                const std::size_t d_model = writes.size() / heads;
                for (std::size_t i = 0; i < d_model; ++i)
                    squares += double{writes[h * d_model + i]} * writes[h * d_model + i];
                QVERIFY(std::abs(std::sqrt(squares) - norms[h]) <= 1e-5 * std::sqrt(squares));
                QVERIFY(std::abs(norms[h] - parts.head_norm[2 * heads + h]) <= 1e-5f * norms[h]);
            }
        }
    }

    // In fp32 the CPU's reader gives the same tiles, bytes and differences included.
    void equalsTheCpusReader() {
        const EngineRun gpu(open_on("cuda", DType::F32), prompt(length)),
            cpu(open_on("cpu", DType::F32), prompt(length));
        const auto second = [](const EngineRun& run) {
            RunRequest request;
            request.tokens = prompt(length, 12);
            const RunId id = run.engine->open_run(request);
            while (!run.engine->prefill_chunk(id, {}).finished()) {
            }
            return id;
        };
        const RunId gpu_other = second(gpu), cpu_other = second(cpu);
        for (bool difference : {false, true})
            for (TileRequest request : tile_requests(gpu.run, gpu.engine->info(), length)) {
                if (difference) request.minus = gpu_other;
                const Tile a = gpu.engine->reader()->tile(request);
                request.run = cpu.run;
                if (difference) request.minus = cpu_other;
                const Tile b = cpu.engine->reader()->tile(request);
                QCOMPARE(a.data.shape, b.data.shape);
                const double error = tiles_apart(a.data.as<float>(), b.data.as<float>());
                QVERIFY2(error < 2e-4, QString("%1: quantity %2 pooling %3 difference %4")
                                           .arg(error)
                                           .arg(static_cast<int>(request.quantity))
                                           .arg(static_cast<int>(request.pooling))
                                           .arg(difference)
                                           .toUtf8());
            }
        TileRequest bytes =
            map_of(gpu.run, {Layer{0}, QueryHead{1}}, length, Quantity::Pattern, 8, Pooling::Max);
        bytes.format = PixelFormat::U8;
        bytes.range = {0, 1, Transfer::Sqrt};
        const Tile a = gpu.engine->reader()->tile(bytes);
        bytes.run = cpu.run;
        const Tile b = cpu.engine->reader()->tile(bytes);
        for (std::size_t i = 0; i < a.data.bytes(); ++i)
            QVERIFY(std::abs(int{a.data.as<std::uint8_t>()[i]} - b.data.as<std::uint8_t>()[i]) <=
                    1);
    }

    // What was handed out stays as it was, past the pinned buffers that there are.
    void heldResultsStay() {
        const EngineRun run(open_on("cuda", DType::BF16), prompt(length));
        const auto reader = run.engine->reader();
        std::vector<Tile> held;
        std::vector<std::vector<float>> copies;
        for (int round = 0; round < 3; ++round)
            for (const TileRequest& request : tile_requests(run.run, run.engine->info(), length)) {
                held.push_back(reader->tile(request));
                const auto pixels = held.back().data.as<float>();
                copies.emplace_back(pixels.begin(), pixels.end());
            }
        for (std::size_t i = 0; i < held.size(); ++i) {
            const auto pixels = held[i].data.as<float>();
            QVERIFY(std::equal(pixels.begin(), pixels.end(), copies[i].begin(), copies[i].end()));
        }
    }

    // Several threads read while steps are taken: rows that were there do not change, and nothing
    // waits for good.
    void threadsReadWhileStepsGoOn_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("steps");
        QTest::addRow("fused kernels") << "tiny_qwen3" << 200;
        QTest::addRow("block by block") << "tiny_gpt_oss" << 50;  // of 128 tokens
    }
    void threadsReadWhileStepsGoOn() {
        QFETCH(QString, model);
        QFETCH(int, steps);
        EngineRun run(open_on("cuda", DType::BF16, model.toStdString()), prompt(length));
        const auto table_size =
            static_cast<std::size_t>(run.engine->info().layers * run.engine->info().query_heads);
        const auto reader = run.engine->reader();
        std::vector<std::vector<float>> before;
        const auto all = tile_requests(run.run, run.engine->info(), length);
        for (const TileRequest& request : all) {
            const Tile tile = reader->tile(request);
            before.emplace_back(tile.data.as<float>().begin(), tile.data.as<float>().end());
        }
        std::atomic<bool> over = false;
        std::atomic<int> wrong = 0, read = 0;
        std::vector<std::thread> readers;
        for (std::size_t thread = 0; thread < 5; ++thread)
            readers.emplace_back([&, thread] {
                for (std::size_t i = thread; !over || read < 50; ++i) {
                    const Tile tile = reader->tile(all[i % all.size()]);
                    const auto pixels = tile.data.as<float>();
                    const auto& expected = before[i % all.size()];
                    if (!std::equal(pixels.begin(), pixels.end(), expected.begin(), expected.end()))
                        ++wrong;
                    if (i % 7 == 0) {
                        ContributionRequest request;
                        request.run = run.run;
                        request.position = Position{20};
                        if (!(reader->contributions(request).heads_close <= 1e-5f)) ++wrong;
                    }
                    if (i % 11 == 0) {
                        MetricsRequest request;
                        request.run = run.run;
                        if (reader->metrics(request).sink.size() != table_size) ++wrong;
                    }
                    ++read;
                }
            });
        for (int i = 0; i < steps; ++i) run.engine->decode_step(run.run, {});
        over = true;
        for (std::thread& thread : readers) thread.join();
        QCOMPARE(wrong.load(), 0);
        QVERIFY(read.load() >= 50);
    }

    void refusesWhatIsNotThere() {
        EngineRun run(open_on("cuda", DType::BF16), prompt(length));
        const auto reader = run.engine->reader();
        const LayerHead head{Layer{0}, QueryHead{0}};
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_EXCEPTION_THROWN(
            reader->tile(map_of(run.run, head, length, Quantity::Pattern), stop.get_token()),
            Cancelled);
        QVERIFY_EXCEPTION_THROWN(
            reader->tile(map_of(run.run, {Layer{3}, QueryHead{0}}, length, Quantity::Pattern)),
            Error);
        QVERIFY_EXCEPTION_THROWN(
            reader->cell(run.run, head, Position{length}, Position{0}, TokenId{1}, {}), Error);
        QVERIFY_EXCEPTION_THROWN(reader->read(run.run, {"pattern", Layer{0}, {}}, {0, length + 1}),
                                 Error);
        QVERIFY_EXCEPTION_THROWN(reader->read(run.run, {"patterns", Layer{0}, {}}, {0, 1}), Error);
        TileRequest far = map_of(run.run, head, length, Quantity::Pattern, 1 << 30, Pooling::Max);
        far.src.end = std::int64_t{1} << 40;
        QVERIFY_EXCEPTION_THROWN(reader->tile(far), Error);
        // Rows that are not there yet are empty.
        TileRequest beyond = map_of(run.run, head, length, Quantity::Pattern);
        beyond.dest.end = beyond.src.end = length + 20;
        const Tile tile = reader->tile(beyond);
        QCOMPARE(tile.rows_ready, length);
        for (std::int64_t i = length * (length + 20); i < tile.data.elements(); ++i)
            QCOMPARE(tile.data.as<float>()[static_cast<std::size_t>(i)], 0.0f);
        run.engine->close_run(run.run);
        QVERIFY_EXCEPTION_THROWN(reader->tile(map_of(run.run, head, length, Quantity::Pattern)),
                                 Error);
    }
};

QTEST_APPLESS_MAIN(CudaReaderTest)
#include "cuda_reader_test.moc"
