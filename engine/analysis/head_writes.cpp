// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/head_writes.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <cmath>

#include "engine/analysis/requests.h"

namespace engine {
namespace {

double dot(const float* a, const float* b, std::int64_t n) {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += double{a[i]} * b[i];
    return sum;
}

float length(const float* a, std::int64_t n) {
    return static_cast<float>(std::sqrt(dot(a, a, n)));
}

}  // namespace

std::vector<float> head_contributions(const Model& model, int layer, const float* z,
                                      std::int64_t rows, const kernels::Parallel& parallel) {
    const ModelConfig& config = model.config;
    const Linear& o = model.layers[static_cast<std::size_t>(layer)].o;
    std::vector<float> weight(static_cast<std::size_t>(o.in() * o.out()));
    o.decode(weight.data(), parallel);
    const std::int64_t heads = config.query_heads, d = config.head_dim;
    const at::Tensor w =
        at::from_blob(weight.data(), {o.out(), heads, d}, at::kFloat).permute({1, 2, 0});
    const at::Tensor zt =
        at::from_blob(const_cast<float*>(z), {rows, heads, d}, at::kFloat).permute({1, 0, 2});
    const at::Tensor product =
        at::bmm(zt, w).permute({1, 0, 2}).contiguous();  // [rows, Hq, d_model]
    const float* from = product.const_data_ptr<float>();
    return {from, from + rows * heads * o.out()};
}

std::vector<float> row_logits(const RunTrace& run, std::int64_t position, ResidualReplay& replay) {
    if (const auto kept = run.newest_logits(); kept && kept->position == position)
        return kept->values;
    return replay.logits_of(run, position);
}

namespace {

// The logits of one row as the final norm and the unembedding give them, before any cap.
std::vector<float> plain_logits(const Model& model, const RunTrace& run, std::int64_t position,
                                ResidualReplay& replay) {
    if (model.config.final_soft_cap <= 0) return row_logits(run, position, replay);
    std::vector<float> out(static_cast<std::size_t>(model.config.vocab));
    replay.logits(replay.replay(run, {position, position + 1}, {}), 1, out.data(), false);
    return out;
}

// [d_model] of the residual stream, from a vector that stood before the norm behind attention.
class ThroughPostNorm {
  public:
    ThroughPostNorm(const Model& model, const RunTrace& run, int layer, std::int64_t position)
        : weight_(model.layers[static_cast<std::size_t>(layer)].attention_post_norm) {
        if (const float* scales = run.attention_scales(Layer{layer})) scale_ = scales[position];
    }
    void apply(float* vector) const {
        for (std::size_t i = 0; i < weight_.size(); ++i) vector[i] *= weight_[i] * scale_;
    }

  private:
    const std::vector<float>& weight_;  // empty: nothing happens
    float scale_ = 1;
};

}  // namespace

ContributionTable contributions_at(const Model& model, const HeadProjections& projections,
                                   const RunTrace& run, const ContributionRequest& request,
                                   ResidualReplay& replay, const kernels::Parallel& parallel) {
    const std::int64_t at = to_int(request.position);
    check_rows(run.rows(), {at, at + 1});
    const ModelConfig& config = model.config;
    const std::int64_t d_model = config.d_model, heads = config.query_heads;
    const std::vector<float> logits = plain_logits(model, run, at, replay);
    ContributionTable table = contribution_table(config, request, logits);

    const Target target{table.target, table.distractor};
    const Floats direction = projections.direction(target);
    const double scale = run.final_scale()[at];
    const bool biased = std::any_of(config.per_layer.begin(), config.per_layer.end(),
                                    [](const LayerConfig& layer) { return layer.o_bias; });
    table.bias_attribution = static_cast<float>(projections.bias_attribution(target));
    const auto attribute = [&](const float* write) {
        return scale * dot(write, direction->data(), d_model);
    };
    std::vector<float> z(static_cast<std::size_t>(config.q_columns()));
    replay.replay(run, {at, at + 1}, [&](const ResidualReplay::Writes& writes) {
        if (writes.layer == 0) {
            table.embedding_norm = length(writes.before, d_model);
            table.embedding_attribution = static_cast<float>(attribute(writes.before));
        }
        gather_z(run.view(Layer{writes.layer}), {at, at + 1}, z.data());
        std::vector<float> heads_out =
            head_contributions(model, writes.layer, z.data(), 1, parallel);
        const float* o_bias = model.layers[static_cast<std::size_t>(writes.layer)].o.bias();
        std::vector<float> bias(static_cast<std::size_t>(d_model), 0.0f);
        if (o_bias != nullptr) bias.assign(o_bias, o_bias + d_model);
        double apart = 0, most = 0;
        for (std::int64_t i = 0; i < d_model; ++i) {
            double sum = bias[static_cast<std::size_t>(i)];
            for (std::int64_t h = 0; h < heads; ++h)
                sum += heads_out[static_cast<std::size_t>(h * d_model + i)];
            apart = std::max(apart, std::abs(sum - writes.attention_out[i]));
            most = std::max(most, std::abs(double{writes.attention_out[i]}));
        }
        if (most > 0)
            table.heads_close = std::max(table.heads_close, static_cast<float>(apart / most));
        const ThroughPostNorm post_norm(model, run, writes.layer, at);
        for (std::int64_t h = 0; h < heads; ++h) {
            float* write = heads_out.data() + h * d_model;
            post_norm.apply(write);
            table.head_norm.push_back(length(write, d_model));
            table.head_attribution.push_back(static_cast<float>(attribute(write)));
        }
        if (biased) {
            post_norm.apply(bias.data());
            table.output_bias_norm.push_back(length(bias.data(), d_model));
            table.output_bias_attribution.push_back(static_cast<float>(attribute(bias.data())));
        }
        table.attention_norm.push_back(length(writes.attention_write, d_model));
        table.attention_attribution.push_back(
            static_cast<float>(attribute(writes.attention_write)));
        table.mlp_norm.push_back(length(writes.mlp_write, d_model));
        table.mlp_attribution.push_back(static_cast<float>(attribute(writes.mlp_write)));
    });
    close_contributions(table, logits);
    return table;
}

}  // namespace engine
