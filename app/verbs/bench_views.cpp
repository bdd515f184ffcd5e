// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verbs/bench_views.h"

#include <algorithm>
#include <chrono>

namespace app {
namespace {

// Pixels of a request at a time: a layer's pattern need not fit, but a request fills the device.
constexpr std::int64_t tileBytes = std::int64_t{512} << 20;
// A layer's pattern that is larger is not asked for.
constexpr double mostPatternBytes = 10e9;

struct Seconds {
    double rebuilt = 0, arrived = 0;
};

class Views {
  public:
    Views(const BenchSubject& subject, const engine::TraceReader& reader, engine::RunId run,
          std::int64_t context)
        : m_subject(subject), m_reader(reader), m_run(run), m_context(context) {}

    void layerPattern() const {
        const engine::ModelInfo& info = m_subject.info;
        const double cells = static_cast<double>(m_context) * static_cast<double>(m_context),
                     bytes = info.query_heads * cells * 4;
        if (bytes > mostPatternBytes) return;
        engine::TileRequest request = whole(1);
        request.pooling = engine::Pooling::None;
        for (int h = 0; h < info.query_heads; ++h)
            request.heads.push_back({middle(), engine::QueryHead(h)});
        const std::int64_t rows =
            std::clamp<std::int64_t>(tileBytes / (info.query_heads * m_context * 4), 1, m_context);
        const auto layer = [&] {
            Seconds all;
            for (std::int64_t begin = 0; begin < m_context; begin += rows) {
                request.dest = {begin, std::min(begin + rows, m_context), 1, {}};
                all.rebuilt += ask(request).rebuilt;
            }
            return all;
        };
        const int runs = bytes > 1e9 ? 2 : 5;
        add("layer_pattern_ms", medianOf(runs, layer).rebuilt, runs,
            limit(info.query_heads, bytes));
    }

    void oneHead() const {
        engine::TileRequest view = whole((m_context + 1023) / 1024);
        view.heads = {{middle(), engine::QueryHead(0)}};
        constexpr int runs = 21;
        const Seconds seconds = medianOf(runs, [&] { return ask(view); });
        add("view_ms", seconds.rebuilt, runs, limit(1, 0));
        add("view_to_host_ms", seconds.arrived, runs, std::nullopt);
    }

    void grid(const char* name, engine::Pooling pooling) const {
        const engine::ModelInfo& info = m_subject.info;
        engine::TileRequest grid = whole((m_context + 63) / 64);
        grid.pooling = pooling;
        for (int l = 0; l < info.layers; ++l)
            for (int h = 0; h < info.query_heads; ++h)
                grid.heads.push_back({engine::Layer(l), engine::QueryHead(h)});
        constexpr int runs = 5;
        add(name, medianOf(runs, [&] { return ask(grid); }).rebuilt, runs,
            limit(static_cast<double>(grid.heads.size()), 0));
    }

    void bars() const {
        constexpr int runs = 9;
        const auto seconds = timed(runs, true, [&] {
            m_subject.cli.throwIfStopped();
            m_reader.contributions({engine::RequestId{}, m_run, engine::Position(m_context - 1),
                                    std::nullopt, std::nullopt});
        });
        add("bars_ms", median(seconds), runs, std::nullopt);
    }

  private:
    engine::Layer middle() const { return engine::Layer(m_subject.info.layers / 2); }

    // In floats, as the window asks: it takes them to colours itself.
    engine::TileRequest whole(std::int64_t cells) const {
        engine::TileRequest request;
        request.run = m_run;
        request.dest = request.src = {0, m_context, cells, {}};
        return request;
    }
    Seconds ask(const engine::TileRequest& request) const {
        const auto begin = std::chrono::steady_clock::now();
        const engine::Tile tile = m_reader.tile(request, m_subject.cli.stop);
        const auto end = std::chrono::steady_clock::now();
        return {tile.seconds, std::chrono::duration<double>(end - begin).count()};
    }
    template <typename Work>
    Seconds medianOf(int runs, Work&& work) const {
        std::vector<double> rebuilt, arrived;
        for (int i = -1; i < runs; ++i) {  // the first warms up
            const Seconds seconds = work();
            if (i < 0) continue;
            rebuilt.push_back(seconds.rebuilt);
            arrived.push_back(seconds.arrived);
        }
        return {median(rebuilt), median(arrived)};
    }
    std::optional<double> limit(double maps, double bytes) const {
        return leastSeconds(m_subject.limits, bytes,
                            maps * patternFlops(m_subject.info, m_context));
    }
    void add(const char* name, double seconds, int runs, std::optional<double> limit) const {
        if (limit) *limit *= 1e3;
        m_subject.add({name, seconds * 1e3, "ms", limit, m_context, runs});
    }

    const BenchSubject& m_subject;
    const engine::TraceReader& m_reader;
    engine::RunId m_run;
    std::int64_t m_context;
};

}  // namespace

void benchViews(const BenchSubject& subject, const engine::TraceReader& reader, engine::RunId run,
                std::int64_t context) {
    const Views views(subject, reader, run, context);
    views.layerPattern();
    views.oneHead();
    views.grid("grid_ms", engine::Pooling::Max);
    views.grid("grid_mean_ms", engine::Pooling::Mean);
    views.bars();
}

}  // namespace app
