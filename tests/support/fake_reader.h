// SPDX-License-Identifier: GPL-3.0-or-later
// A TraceReader of formulas: see fake_world.h.
#pragma once
#include <memory>
#include <utility>

#include "tests/support/fake_world.h"

namespace fake {

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
        constexpr double seconds = 1e-6;  // whoever measures gets something
        engine::Tile tile{request, run->rows, {}, seconds};
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
        engine::HeadTable table;
        table.id = request.id;
        table.run = request.run;
        table.dest = rows;
        table.layers = shape.layers;
        table.query_heads = shape.query_heads;
        for (int layer = 0; layer < shape.layers; ++layer)
            for (int head = 0; head < shape.query_heads; ++head) {
                const engine::LayerHead at{engine::Layer(layer), engine::QueryHead(head)};
                double sink = 0, entropy = 0, distance = 0, mass = 0, previous = 0, same = 0,
                       after = 0;
                float most = 0, low = INFINITY, high = -INFINITY;
                for (std::int64_t d = rows.begin; d < rows.end; ++d)
                    for (std::int64_t s = 0; s <= d; ++s) {
                        const float p = pattern(at, d, s);
                        entropy -= p > 0 ? p * std::log(p) : 0;
                        if (s == 0) sink += p;
                        if (s > 0) most = std::max(most, p);
                        mass += p;
                        distance += p * static_cast<double>(d - s);
                        if (s == d - 1) previous += p;
                        const auto holds = [&](std::int64_t src) {
                            return src >= 0 && run->tokens[static_cast<std::size_t>(src)] ==
                                                   run->tokens[static_cast<std::size_t>(d)];
                        };
                        if (s < d && holds(s)) same += p;
                        if (holds(s - 1)) after += p;
                        low = std::min(low, score(at, d, s));
                        high = std::max(high, score(at, d, s));
                    }
                const double count = std::max<double>(1, static_cast<double>(rows.count()));
                table.sink.push_back(static_cast<float>(sink / count));
                table.entropy.push_back(static_cast<float>(entropy / count));
                table.max_pattern.push_back(most);
                table.min_score.push_back(low);
                table.max_score.push_back(high);
                table.mass.push_back(static_cast<float>(mass / count));
                table.distance.push_back(static_cast<float>(distance / count));
                table.previous_token.push_back(static_cast<float>(previous / mass));
                table.duplicate_token.push_back(static_cast<float>(same / mass));
                table.induction.push_back(static_cast<float>(after / mass));
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
        if (request.pooling == engine::Pooling::Mean && !request.dest.edges.empty())
            return sum / static_cast<float>(std::min(dest.end, ready) - dest.begin);
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

}  // namespace fake
