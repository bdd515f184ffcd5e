// SPDX-License-Identifier: GPL-3.0-or-later
// A deterministic Engine and TraceReader without a model: every number follows from a formula, so
// that a test can say what must be on screen. World is the test's handle: delays, failures and
// counters, shared by all threads.
#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.h"

namespace fake {

using engine::to_int;

struct Shape {
    int layers = 4, query_heads = 4, kv_heads = 2, head_dim = 8, d_model = 16, vocab = 97;
    std::int64_t context = 4096, page_tokens = 16, pages = 64, chunk = 8;
};

struct World {
    Shape shape;

    // Seconds a call takes (a tile: each head of a square map); a sleep looks at its stop_token all
    // the time.
    std::atomic<double> open_delay{0}, layer_delay{0}, step_delay{0}, tile_delay{0}, cell_delay{0},
        table_delay{0};
    std::atomic<std::int64_t> end_of_text_after{
        -1};  // the step with this number (from 0) ends the text

    // The next call of that name throws; "open", "tokenize", "open_run", "prefill", "step", "tile",
    // "cell", "metrics", "contributions", "logits", "checks".
    void fail_next(const std::string& call, engine::Failure failure) {
        const std::lock_guard lock(mutex);
        failures[call] = std::move(failure);
    }
    void enter(const std::string& call) {
        std::unique_lock lock(mutex);
        ++calls[call];
        const auto it = failures.find(call);
        if (it == failures.end()) return;
        engine::Failure failure = it->second;
        failures.erase(it);
        lock.unlock();
        throw engine::Error(std::move(failure));
    }
    int count(const std::string& call) {
        const std::lock_guard lock(mutex);
        return calls[call];
    }

    std::atomic<int> engines_alive{0};
    std::atomic<int> thread_violations{
        0};  // engine calls, its destruction included, on a second thread
    std::atomic<int> tiles_stopped{0};
    std::atomic<int> layers_after_stop{
        0};  // layers begun by a call whose stop was already requested

    std::mutex mutex;
    std::map<std::string, engine::Failure> failures;
    std::map<std::string, int> calls;
};

struct Run {
    std::vector<engine::TokenId> tokens;
    std::int64_t prompt = 0;
    std::int64_t reserve = 0;
    std::atomic<std::int64_t> rows{0};
};

inline void pause(double seconds, const std::stop_token& stop) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < until) {
        if (stop.stop_requested()) throw engine::Cancelled();
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

// ---- the formulas
// ---------------------------------------------------------------------------------------------------
inline float score(engine::LayerHead at, std::int64_t dest, std::int64_t src) {
    const int mixed =
        (to_int(at.layer) * 7 + to_int(at.head) * 3 + static_cast<int>(dest * 5 + src * 11)) % 13;
    return 0.25f * static_cast<float>(mixed) - 1.0f;
}
inline float lse(engine::LayerHead at, std::int64_t dest) {
    double sum = 0;
    for (std::int64_t s = 0; s <= dest; ++s)
        sum += std::exp(static_cast<double>(score(at, dest, s)));
    return static_cast<float>(std::log(sum));
}
inline float pattern(engine::LayerHead at, std::int64_t dest, std::int64_t src) {
    return src > dest ? 0.0f : std::exp(score(at, dest, src) - lse(at, dest));
}
inline float value_scale(engine::LayerHead at, std::int64_t src) {
    return 1.0f + 0.5f * static_cast<float>((to_int(at.layer) + to_int(at.head) + src) % 4);
}
// The head with the largest |logit attribution| at every position is L2.H1 (where the shape has
// it).
inline float head_attribution(engine::LayerHead at) {
    if (to_int(at.layer) == 2 && to_int(at.head) == 1) return -3.5f;
    return 0.1f * static_cast<float>(to_int(at.layer) - to_int(at.head));
}
inline float cell_value(engine::Quantity quantity, engine::LayerHead at, std::int64_t dest,
                        std::int64_t src) {
    switch (quantity) {
        case engine::Quantity::Scores: return src > dest ? -INFINITY : score(at, dest, src);
        case engine::Quantity::Pattern: return pattern(at, dest, src);
        case engine::Quantity::Value: return pattern(at, dest, src) * value_scale(at, src);
        case engine::Quantity::Attribution:
            return pattern(at, dest, src) * value_scale(at, src) * (src % 2 == 0 ? 1.0f : -1.0f);
    }
    return 0;
}
inline engine::TokenId next_token(const Run& run, const Shape& shape) {
    return engine::TokenId((to_int(run.tokens.back()) * 5 + 7) % shape.vocab);
}
inline std::string token_bytes(engine::TokenId id) {
    return " t" + std::to_string(to_int(id));
}

class Reader final : public engine::TraceReader {
  public:
    Reader(std::shared_ptr<World> world) : world_(std::move(world)) {}

    void add(engine::RunId id, std::shared_ptr<Run> run) {
        const std::lock_guard lock(mutex_);
        runs_[id] = std::move(run);
    }
    void remove(engine::RunId id) {
        const std::lock_guard lock(mutex_);
        runs_.erase(id);
    }
    std::shared_ptr<Run> find(engine::RunId id) const {
        const std::lock_guard lock(mutex_);
        const auto it = runs_.find(id);
        if (it == runs_.end())
            throw engine::Error(engine::Failure::Kind::BadRequest,
                                "run " + std::to_string(to_int(id)) + " is closed");
        return it->second;
    }

    std::int64_t rows(engine::RunId id) const override { return find(id)->rows; }

    engine::Tile tile(const engine::TileRequest& request, std::stop_token stop) const override {
        world_->enter("tile");
        const auto run = find(request.run);
        try {
            const double part =
                static_cast<double>(request.dest.pixels()) /
                static_cast<double>(std::max<std::int64_t>(1, request.src.pixels()));
            pause(world_->tile_delay * static_cast<double>(request.heads.size()) *
                      std::min(1.0, part),
                  stop);
        } catch (const engine::Cancelled&) {
            ++world_->tiles_stopped;
            throw;
        }
        engine::Tile tile{request, run->rows, {}, 0};
        const std::int64_t height = request.dest.pixels(), width = request.src.pixels();
        const bool bytes = request.format == engine::PixelFormat::U8;
        std::vector<float> values;
        values.reserve(static_cast<std::size_t>(height * width) * request.heads.size());
        for (const engine::LayerHead at : request.heads)
            for (std::int64_t y = 0; y < height; ++y)
                for (std::int64_t x = 0; x < width; ++x)
                    values.push_back(pixel(request, at, request.dest.cells_of(y),
                                           request.src.cells_of(x), tile.rows_ready));
        const std::vector<std::int64_t> shape{static_cast<std::int64_t>(request.heads.size()),
                                              height, width};
        if (!bytes) {
            tile.data = engine::make_payload(engine::DType::F32, shape, std::move(values));
        } else {
            std::vector<std::uint8_t> pixels;
            pixels.reserve(values.size());
            for (const float value : values) pixels.push_back(to_byte(value, request.range));
            tile.data = engine::make_payload(engine::DType::U8, shape, std::move(pixels));
        }
        return tile;
    }

    engine::Cell cell(engine::RunId id, engine::LayerHead at, engine::Position dest,
                      engine::Position src, engine::TokenId,
                      std::optional<engine::TokenId>) const override {
        world_->enter("cell");
        const auto run = find(id);
        pause(world_->cell_delay, {});
        const std::int64_t d = to_int(dest), s = to_int(src);
        if (d < 0 || s < 0 || d >= run->rows)
            throw engine::Error(
                engine::Failure::Kind::BadRequest,
                "dest " + std::to_string(d) + " of " + std::to_string(run->rows) + " rows");
        engine::Cell cell{id, at, dest, src, s <= d};
        if (!cell.visible) return cell;
        cell.score = score(at, d, s);
        cell.pattern = pattern(at, d, s);
        cell.row_cells = d + 1;
        cell.rank = 1;
        for (std::int64_t other = 0; other <= d; ++other)
            cell.rank += pattern(at, d, other) > cell.pattern;
        cell.value_norm = cell_value(engine::Quantity::Value, at, d, s);
        cell.attribution = cell_value(engine::Quantity::Attribution, at, d, s);
        return cell;
    }

    engine::HeadTable metrics(const engine::MetricsRequest& request,
                              std::stop_token stop) const override {
        world_->enter("metrics");
        const auto run = find(request.run);
        pause(world_->table_delay, stop);
        engine::Rows rows = request.dest.count() > 0 ? request.dest : engine::Rows{0, run->rows};
        const Shape& shape = world_->shape;
        engine::HeadTable table{request.id, request.run, rows, shape.layers, shape.query_heads,
                                {},         {},          {},   {},           {}};
        for (int layer = 0; layer < shape.layers; ++layer)
            for (int head = 0; head < shape.query_heads; ++head) {
                const engine::LayerHead at{engine::Layer(layer), engine::QueryHead(head)};
                double sink = 0, entropy = 0;
                float most = 0, low = INFINITY, high = -INFINITY;
                for (std::int64_t d = rows.begin; d < rows.end; ++d)
                    for (std::int64_t s = 0; s <= d; ++s) {
                        const float p = pattern(at, d, s);
                        entropy -= p > 0 ? p * std::log(p) : 0;
                        if (s == 0) sink += p;
                        if (s > 0) most = std::max(most, p);
                        low = std::min(low, score(at, d, s));
                        high = std::max(high, score(at, d, s));
                    }
                const double count = std::max<double>(1, static_cast<double>(rows.count()));
                table.sink.push_back(static_cast<float>(sink / count));
                table.entropy.push_back(static_cast<float>(entropy / count));
                table.max_pattern.push_back(most);
                table.min_score.push_back(low);
                table.max_score.push_back(high);
            }
        return table;
    }

    engine::ContributionTable contributions(
        const engine::ContributionRequest& request) const override {
        world_->enter("contributions");
        const auto run = find(request.run);
        pause(world_->table_delay, {});
        const Shape& shape = world_->shape;
        if (to_int(request.position) < 0 || to_int(request.position) >= run->rows)
            throw engine::Error(engine::Failure::Kind::BadRequest,
                                "position " + std::to_string(to_int(request.position)) + " of " +
                                    std::to_string(run->rows));
        engine::ContributionTable table;
        table.id = request.id;
        table.run = request.run;
        table.position = request.position;
        table.layers = shape.layers;
        table.query_heads = shape.query_heads;
        table.target =
            request.target.value_or(top(*run, to_int(request.position), 1).front().token);
        table.distractor = request.distractor;
        for (int layer = 0; layer < shape.layers; ++layer) {
            float sum = 0;
            for (int head = 0; head < shape.query_heads; ++head) {
                const float write =
                    head_attribution({engine::Layer(layer), engine::QueryHead(head)});
                table.head_attribution.push_back(write);
                table.head_norm.push_back(1 + std::fabs(write));
                sum += write;
            }
            table.attention_attribution.push_back(sum);
            table.attention_norm.push_back(2 + std::fabs(sum));
            table.mlp_attribution.push_back(0.25f * static_cast<float>(layer));
            table.mlp_norm.push_back(1.5f);
            table.logit += sum + table.mlp_attribution.back();
        }
        table.embedding_norm = 1;
        table.embedding_attribution = 0.5f;
        table.logit += table.embedding_attribution;
        table.closes = 1e-7f;
        table.heads_close = 2e-7f;
        return table;
    }

    engine::TopTokens logits(engine::RunId id, engine::Position position, int k) const override {
        world_->enter("logits");
        const auto run = find(id);
        pause(world_->table_delay, {});
        return {id, position, top(*run, to_int(position), k)};
    }

    engine::CheckReport checks(engine::RunId id, engine::Layer layer) const override {
        world_->enter("checks");
        const auto run = find(id);
        engine::CheckReport report;
        report.layer = layer;
        report.rows = report.rows_checked = run->rows;
        report.row_sum_error = 1e-7f * static_cast<float>(1 + to_int(layer));
        report.row_sum_tolerance = 1e-5f;
        report.z_error = 3e-7f;
        report.heads_error = 2e-7f;
        report.closes_error = to_int(layer) + 1 == world_->shape.layers ? 4e-6f : 0.0f;
        return report;
    }

    // Float32 rows of "pattern", "scores", "lse" and "token_ids"; what the command line's writer
    // needs to be tested.
    engine::NamedTensor read(engine::RunId id, const engine::TensorName& name,
                             engine::Rows rows) const override {
        world_->enter("read");
        const auto run = find(id);
        const Shape& shape = world_->shape;
        if (name.kind == "token_ids") {
            std::vector<std::int64_t> ids;
            for (std::int64_t t = rows.begin; t < rows.end; ++t)
                ids.push_back(to_int(run->tokens[static_cast<std::size_t>(t)]));
            return {name.full(),
                    engine::make_payload(engine::DType::I64, {rows.count()}, std::move(ids))};
        }
        std::vector<float> values;
        const bool scores = name.kind == "scores";
        if (name.kind != "lse" && name.kind != "pattern" && !scores)
            throw engine::Error(engine::Failure::Kind::BadRequest, "no tensor " + name.full());
        for (int head = 0; head < shape.query_heads; ++head)
            for (std::int64_t d = rows.begin; d < rows.end; ++d) {
                const engine::LayerHead at{name.layer.value(), engine::QueryHead(head)};
                if (name.kind == "lse") {
                    values.push_back(lse(at, d));
                    continue;
                }
                for (std::int64_t s = 0; s < rows.end; ++s)
                    values.push_back(cell_value(
                        scores ? engine::Quantity::Scores : engine::Quantity::Pattern, at, d, s));
            }
        std::vector<std::int64_t> extents{shape.query_heads, rows.count()};
        if (name.kind != "lse") extents.push_back(rows.end);
        return {name.full(), engine::make_payload(engine::DType::F32, extents, std::move(values))};
    }

    static std::vector<engine::Candidate> top(const Run& run, std::int64_t position, int k) {
        std::vector<engine::Candidate> out;
        const int seed = to_int(run.tokens[static_cast<std::size_t>(position)]);
        for (int i = 0; i < k; ++i) {
            const engine::TokenId id{(seed * 5 + 7 + i) % 97};
            out.push_back({id, token_bytes(id), 0.5 / (1 << i), 9.0f - static_cast<float>(i)});
        }
        return out;
    }

  private:
    static float pixel(const engine::TileRequest& request, engine::LayerHead at, engine::Rows dest,
                       engine::Rows src, std::int64_t ready) {
        float best = request.quantity == engine::Quantity::Scores ? -INFINITY : 0.0f, sum = 0;
        int seen = 0;
        for (std::int64_t d = dest.begin; d < std::min(dest.end, ready); ++d)
            for (std::int64_t s = src.begin; s < std::min(src.end, d + 1); ++s) {
                const float value = cell_value(request.quantity, at, d, s);
                if (seen++ == 0 || std::fabs(value) > std::fabs(best)) best = value;
                sum += value;
            }
        if (dest.begin >= ready) return 0;
        if (request.pooling == engine::Pooling::Sum) return sum;
        if (request.pooling == engine::Pooling::Mean)
            return seen ? sum / static_cast<float>(seen) : 0;
        return best;
    }
    static std::uint8_t to_byte(float value, const engine::ColourRange& range) {
        const auto shaped = [&](float v) {
            if (range.transfer == engine::Transfer::Sqrt) return std::sqrt(std::max(0.0f, v));
            if (range.transfer == engine::Transfer::Log) return std::log(std::max(1e-9f, v));
            return v;
        };
        const float low = shaped(range.low), high = shaped(range.high);
        const float unit = std::clamp((shaped(value) - low) / (high - low), 0.0f, 1.0f);
        return static_cast<std::uint8_t>(std::lround(255 * unit));
    }

    std::shared_ptr<World> world_;
    mutable std::mutex mutex_;
    std::map<engine::RunId, std::shared_ptr<Run>> runs_;
};

class Engine final : public engine::Engine {
  public:
    Engine(std::shared_ptr<World> world, const std::string& path)
        : world_(std::move(world)),
          reader_(std::make_shared<Reader>(world_)),
          thread_(std::this_thread::get_id()) {
        ++world_->engines_alive;
        const Shape& s = world_->shape;
        info_.path = path;
        info_.name = "Fake-" + std::to_string(s.layers) + "x" + std::to_string(s.query_heads);
        info_.family = "llama";
        info_.format = "GGUF Q4_1";
        info_.layers = s.layers;
        info_.query_heads = s.query_heads;
        info_.kv_heads = s.kv_heads;
        info_.head_dim = s.head_dim;
        info_.d_model = s.d_model;
        info_.d_ff = 4 * s.d_model;
        info_.vocab = s.vocab;
        info_.context = s.context;
        info_.attention.assign(static_cast<std::size_t>(s.layers), {});
        info_.weight_bytes = 1 << 20;
        info_.bytes_per_token = 4096;
        info_.page_tokens = s.page_tokens;
        info_.pages = s.pages;
        info_.device = "CPU";
        info_.threads = 1;
        info_.hash = "fake";
        info_.memory_free = info_.memory_total = std::int64_t{1} << 33;
    }
    ~Engine() override {
        own_thread();
        --world_->engines_alive;
    }

    const engine::ModelInfo& info() const override { return info_; }

    // A token a word, its leading space included.
    engine::Encoding tokenize(std::string_view text,
                              const engine::TokenizeOptions&) const override {
        own_thread();
        world_->enter("tokenize");
        engine::Encoding out;
        for (std::size_t begin = 0; begin < text.size();) {
            std::size_t end = begin + 1;
            while (end < text.size() && text[end] != ' ') ++end;
            engine::Token token;
            token.bytes = std::string(text.substr(begin, end - begin));
            int id = 0;
            for (const char c : token.bytes)
                id = (id * 31 + static_cast<unsigned char>(c)) % world_->shape.vocab;
            token.id = engine::TokenId(id);
            token.start = static_cast<std::int64_t>(begin);
            token.end = static_cast<std::int64_t>(end);
            out.tokens.push_back(token);
            begin = end;
        }
        return out;
    }
    engine::Encoding describe(std::span<const engine::TokenId> ids) const override {
        own_thread();
        engine::Encoding out;
        for (const engine::TokenId id : ids) {
            if (to_int(id) < 0 || to_int(id) >= world_->shape.vocab)
                throw engine::Error(engine::Failure::Kind::BadRequest,
                                    "token id " + std::to_string(to_int(id)) + " of " +
                                        std::to_string(world_->shape.vocab));
            out.tokens.push_back({id, token_bytes(id), 0, 0, false});
        }
        return out;
    }

    engine::RunId open_run(const engine::RunRequest& request) override {
        own_thread();
        world_->enter("open_run");
        const auto length = static_cast<std::int64_t>(request.tokens.size());
        if (length == 0)
            throw engine::Error(engine::Failure::Kind::BadRequest, "the prompt is empty");
        if (length + request.reserve > world_->shape.context)
            throw engine::Error(engine::Failure::Kind::BadRequest,
                                std::to_string(length + request.reserve) +
                                    " tokens, the context holds " +
                                    std::to_string(world_->shape.context),
                                "prompt", "shorten it");
        const std::int64_t need = pages_of(length + request.reserve);
        if (need > world_->shape.pages - used())
            throw engine::Error(engine::Failure::Kind::OutOfMemory,
                                std::to_string(need) + " pages needed, " +
                                    std::to_string(world_->shape.pages - used()) + " free");
        auto run = std::make_shared<Run>();
        run->tokens = request.tokens;
        run->prompt = length;
        run->reserve = request.reserve;
        const engine::RunId id{++last_run_};
        runs_[id] = run;
        reader_->add(id, run);
        return id;
    }
    engine::RunId fork_run(engine::RunId parent, engine::Position at,
                           engine::TokenId token) override {
        own_thread();
        const auto from = reader_->find(parent);
        engine::RunRequest request;
        request.tokens.assign(from->tokens.begin(), from->tokens.begin() + to_int(at));
        request.tokens.push_back(token);
        return open_run(request);
    }

    engine::Progress prefill_chunk(
        engine::RunId id, std::stop_token stop,
        const std::function<void(const engine::Progress&)>& on_layer) override {
        own_thread();
        world_->enter("prefill");
        const auto run = reader_->find(id);
        const int layers = world_->shape.layers;
        for (int layer = 0; layer < layers; ++layer) {
            if (stop.stop_requested()) throw engine::Cancelled();
            pause_layer(stop);
            if (on_layer) on_layer({run->rows, run->prompt, layer + 1, layers});
        }
        run->rows = std::min(run->prompt, run->rows + world_->shape.chunk);
        return {run->rows, run->prompt, layers, layers};
    }

    engine::Step decode_step(engine::RunId id, std::stop_token stop) override {
        own_thread();
        world_->enter("step");
        const auto begin = std::chrono::steady_clock::now();
        const auto run = reader_->find(id);
        if (run->rows < run->prompt)
            throw engine::Error(engine::Failure::Kind::BadRequest, "the prompt is not read yet");
        pause(world_->step_delay, stop);
        engine::Step step;
        step.run = id;
        step.alternatives = Reader::top(*run, run->rows - 1, 5);
        step.token = {next_token(*run, world_->shape), token_bytes(next_token(*run, world_->shape)),
                      0, 0, false};
        step.probability = step.alternatives.front().probability;
        step.position = engine::Position(run->rows.load());
        {
            // Readers look at tokens below the published length only, but the vector itself may
            // move.
            auto grown = std::make_shared<Run>();
            grown->tokens = run->tokens;
            grown->tokens.push_back(step.token.id);
            grown->prompt = run->prompt;
            grown->reserve = run->reserve;
            grown->rows = run->rows + 1;
            runs_[id] = grown;
            reader_->add(id, grown);
            step.rows = grown->rows;
        }
        step.pages_used = used();
        step.pages_total = world_->shape.pages;
        step.end_of_text = step.rows - run->prompt - 1 == world_->end_of_text_after;
        step.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return step;
    }
    void set_sampling(engine::RunId, const engine::Sampling&) override { own_thread(); }
    void close_run(engine::RunId id) override {
        own_thread();
        world_->enter("close_run");
        runs_.erase(id);
        reader_->remove(id);
    }
    std::shared_ptr<const engine::TraceReader> reader() const override { return reader_; }

  private:
    void own_thread() const {
        if (std::this_thread::get_id() != thread_) ++world_->thread_violations;
    }
    // Busy for the layer's time: an engine looks at its token between layers, not inside one.
    void pause_layer(const std::stop_token& stop) const {
        if (stop.stop_requested()) ++world_->layers_after_stop;
        std::this_thread::sleep_for(std::chrono::duration<double>(world_->layer_delay.load()));
    }
    std::int64_t pages_of(std::int64_t tokens) const {
        return (tokens + world_->shape.page_tokens - 1) / world_->shape.page_tokens;
    }
    std::int64_t used() const {
        std::int64_t pages = 0;
        for (const auto& [id, run] : runs_)
            pages += pages_of(std::max(run->prompt + run->reserve, run->rows.load()));
        return pages;
    }

    std::shared_ptr<World> world_;
    std::shared_ptr<Reader> reader_;
    std::thread::id thread_;
    engine::ModelInfo info_;
    std::map<engine::RunId, std::shared_ptr<Run>> runs_;
    std::uint64_t last_run_ = 0;
};

// What the worker's factory is in a test. Loads in ten slices of open_delay.
inline std::unique_ptr<engine::Engine> open(const std::shared_ptr<World>& world,
                                            const engine::OpenRequest& request,
                                            const engine::OnProgress& on_progress,
                                            std::stop_token stop) {
    world->enter("open");
    for (int i = 0; i < 10; ++i) {
        pause(world->open_delay / 10, stop);
        if (stop.stop_requested()) throw engine::Cancelled();
        if (on_progress) on_progress({(i + 1) * 100, 1000, 0, 0});
    }
    return std::make_unique<Engine>(world, request.path);
}

}  // namespace fake
