// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/requests.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/run/sampler.h"
#include "engine/values/failure.h"

namespace engine {
namespace {

[[noreturn]] void refuse(std::string what, std::string where = {}) {
    throw Error(Failure::Kind::BadRequest, std::move(what), std::move(where));
}

std::vector<std::int64_t> edges_of(const Axis& axis, const char* name) {
    std::vector<std::int64_t> edges = axis.edges;
    if (edges.empty()) {
        if (axis.cells_per_pixel < 1) refuse(std::string(name) + " has no cell a pixel");
        for (std::int64_t at = axis.begin; at < axis.end; at += axis.cells_per_pixel)
            edges.push_back(at);
        edges.push_back(axis.end);
    }
    if (edges.size() < 2 || edges.front() < 0 || !std::is_sorted(edges.begin(), edges.end()))
        refuse(std::string(name) + " of the tile is empty or runs backwards");
    return edges;
}

kernels::TilePooling pooling_of(Pooling pooling) {
    switch (pooling) {
        case Pooling::None: return kernels::TilePooling::None;
        case Pooling::Max: return kernels::TilePooling::Max;
        case Pooling::Mean: return kernels::TilePooling::Mean;
        case Pooling::Sum: return kernels::TilePooling::Sum;
    }
    return kernels::TilePooling::None;
}

kernels::TileArgs::Transfer transfer_of(Transfer transfer) {
    switch (transfer) {
        case Transfer::Linear: return kernels::TileArgs::Transfer::Linear;
        case Transfer::Sqrt: return kernels::TileArgs::Transfer::Sqrt;
        case Transfer::Log: return kernels::TileArgs::Transfer::Log;
    }
    return kernels::TileArgs::Transfer::Linear;
}

}  // namespace

void check_layer(const ModelConfig& config, Layer layer) {
    if (to_int(layer) < 0 || to_int(layer) >= config.layers)
        refuse("layer " + std::to_string(to_int(layer)) + " is not in this model of " +
               std::to_string(config.layers) + " layers");
}

void check_head(const ModelConfig& config, LayerHead at) {
    check_layer(config, at.layer);
    if (to_int(at.head) < 0 || to_int(at.head) >= config.query_heads)
        refuse("head " + std::to_string(to_int(at.head)) + " is not in this model of " +
               std::to_string(config.query_heads) + " heads a layer");
}

void check_rows(std::int64_t published, Rows rows) {
    if (rows.begin < 0 || rows.begin >= rows.end || rows.end > published)
        refuse("rows " + std::to_string(rows.begin) + " to " + std::to_string(rows.end) +
               " are not in this run of " + std::to_string(published) + " rows");
}

void check_target(const ModelConfig& config, const Target& target) {
    for (const TokenId token : {target.token, target.distractor.value_or(TokenId{})})
        if (to_int(token) < 0 || to_int(token) >= config.vocab)
            refuse("token id " + std::to_string(to_int(token)) + " is not in the vocabulary of " +
                       std::to_string(config.vocab) + " tokens",
                   "target");
}

TilePlan plan_tile(const ModelConfig& config, const TileRequest& request) {
    TilePlan plan;
    plan.dest = edges_of(request.dest, "dest");
    plan.src = edges_of(request.src, "src");
    if (request.heads.empty()) refuse("a tile of no heads");
    for (const LayerHead at : request.heads) check_head(config, at);
    plan.raw = request.quantity == Quantity::Scores;
    plan.attribution = request.quantity == Quantity::Attribution;
    plan.weighted = plan.attribution || request.quantity == Quantity::Value;
    if (plan.attribution) check_target(config, {request.target, request.distractor});
    plan.renormalized = request.renormalized;
    if (plan.renormalized && request.quantity != Quantity::Pattern)
        refuse("only a pattern can be renormalized without its first source");
    plan.signed_max = plan.raw || plan.attribution || request.minus.has_value();
    plan.span_mean = !request.dest.edges.empty() || !request.src.edges.empty();
    plan.pooling = pooling_of(request.pooling);
    plan.transfer = transfer_of(request.range.transfer);
    return plan;
}

std::vector<float> columns_without_first(Rows sources) {
    std::vector<float> weight(static_cast<std::size_t>(sources.count()), 1.0f);
    if (sources.begin == 0 && !weight.empty()) weight.front() = 0;
    return weight;
}

void invert_row_sums(std::span<float> sums) {
    for (float& sum : sums) sum = sum > 0 ? 1 / sum : 0;
}

Rows metrics_rows(std::int64_t published, const MetricsRequest& request) {
    const Rows rows = request.dest.count() > 0 ? request.dest : Rows{0, published};
    check_rows(published, rows);
    return rows;
}

HeadTable head_table(const ModelConfig& config, const MetricsRequest& request, Rows rows,
                     std::span<const kernels::MetricsHead> heads) {
    HeadTable table;
    table.id = request.id;
    table.run = request.run;
    table.dest = rows;
    table.layers = config.layers;
    table.query_heads = config.query_heads;
    const auto mean = [&](double sum) {
        return static_cast<float>(sum / static_cast<double>(rows.count()));
    };
    for (const kernels::MetricsHead& head : heads) {
        table.sink.push_back(mean(head.sink_sum));
        // Of a row with one key it is 0, which rounding of log p leaves a hair below.
        table.entropy.push_back(std::max(0.0f, mean(head.entropy_sum)));
        table.max_pattern.push_back(head.max_pattern);
        table.min_score.push_back(head.min_score);
        table.max_score.push_back(head.max_score);
        table.mass.push_back(mean(head.mass_sum));
        table.distance.push_back(mean(head.distance_sum));
        const auto share = [&](double sum) {
            return head.mass_sum > 0 ? static_cast<float>(sum / head.mass_sum) : 0.0f;
        };
        table.previous_token.push_back(share(head.previous_sum));
        table.duplicate_token.push_back(share(head.duplicate_sum));
        table.induction.push_back(share(head.induction_sum));
    }
    return table;
}

ContributionTable contribution_table(const ModelConfig& config, const ContributionRequest& request,
                                     std::span<const float> logits) {
    ContributionTable table;
    table.id = request.id;
    table.run = request.run;
    table.position = request.position;
    table.layers = config.layers;
    table.query_heads = config.query_heads;
    table.target = request.target.value_or(TokenId{static_cast<std::int32_t>(
        std::max_element(logits.begin(), logits.end()) - logits.begin())});
    table.distractor = request.distractor;
    check_target(config, {table.target, table.distractor});
    const auto logit_of = [&](TokenId token) {
        return logits[static_cast<std::size_t>(to_int(token))];
    };
    table.soft_cap = config.final_soft_cap;
    table.logit = logit_of(table.target) - (table.distractor ? logit_of(*table.distractor) : 0.0f);
    return table;
}

void close_contributions(ContributionTable& table, std::span<const float> logits) {
    double total = double{table.embedding_attribution} + table.bias_attribution;
    for (const auto* parts : {&table.attention_attribution, &table.mlp_attribution})
        total = std::accumulate(parts->begin(), parts->end(), total);
    float largest = 1e-30f;
    for (const float logit : logits) largest = std::max(largest, std::abs(logit));
    table.closes = static_cast<float>(std::abs(total - table.logit) / largest);
}

TopTokens top_tokens(RunId run, Position position, std::span<const float> logits, int k,
                     const tokenizer::Tokenizer& tokenizer) {
    TopTokens top{run, position, {}};
    for (const Choice& choice : most_probable(logits, k)) {
        const bool named = choice.token < tokenizer.vocab();  // a model's table may be padded
        top.candidates.push_back(
            {TokenId{choice.token}, named ? tokenizer.bytes(TokenId{choice.token}) : "",
             choice.probability, logits[static_cast<std::size_t>(choice.token)]});
    }
    return top;
}

}  // namespace engine
