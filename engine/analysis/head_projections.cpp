// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/head_projections.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/linalg_qr.h>
#include <ATen/ops/mv.h>

#include <algorithm>
#include <numeric>

#include "kernels/gemv.h"

namespace engine {
namespace {

// A browsing session asks for a handful of targets; past this many the kept ones are dropped, not
// searched.
constexpr std::size_t kept_targets = 32;

std::vector<float> row_of(const Linear& linear, TokenId token) {
    std::vector<float> row(static_cast<std::size_t>(linear.in()));
    kernels::cpu::decode_rows(linear.weights().front(), to_int(token), to_int(token) + 1,
                              row.data(), {});
    return row;
}

}  // namespace

HeadProjections::HeadProjections(std::shared_ptr<const Model> model, kernels::Parallel parallel)
    : model_(std::move(model)), parallel_(parallel), r_(model_->layers.size()) {}

std::vector<float> HeadProjections::output_weight(int layer) const {
    const DecoderLayer& from = model_->layers[static_cast<std::size_t>(layer)];
    std::vector<float> weight(static_cast<std::size_t>(from.o.in() * from.o.out()));
    from.o.decode(weight.data(), parallel_);
    if (!model_->config.post_norm) return weight;
    parallel_.for_each(from.o.out(), [&](std::int64_t row) {
        const float factor = from.attention_post_norm[static_cast<std::size_t>(row)];
        float* at = weight.data() + row * from.o.in();
        for (std::int64_t i = 0; i < from.o.in(); ++i) at[i] *= factor;
    });
    return weight;
}

std::vector<float> HeadProjections::unembedding(const Target& target) const {
    std::vector<float> u = row_of(model_->unembedding, target.token);
    if (!target.distractor) return u;
    const std::vector<float> minus = row_of(model_->unembedding, *target.distractor);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] -= minus[i];
    return u;
}

double HeadProjections::bias_attribution(const Target& target) const {
    if (model_->final_norm_bias.empty()) return 0;
    const std::vector<float> u = unembedding(target);
    return std::inner_product(u.begin(), u.end(), model_->final_norm_bias.begin(), 0.0);
}

Floats HeadProjections::r(int layer) const {
    const auto at = static_cast<std::size_t>(layer);
    {
        const std::lock_guard lock(mutex_);
        if (r_[at]) return r_[at];
    }
    const ModelConfig& config = model_->config;
    const Linear& o = model_->layers[at].o;
    std::vector<float> weight = output_weight(layer);
    const at::Tensor heads =
        at::from_blob(weight.data(), {o.out(), config.query_heads, config.head_dim}, at::kFloat)
            .permute({1, 0, 2});  // [Hq, d_model, D]
    const at::Tensor r =
        std::get<1>(at::linalg_qr(heads, "r")).contiguous();  // [Hq, min(d_model, D), D]
    const std::int64_t rows = r.size(1), d = config.head_dim;
    auto out = std::make_shared<std::vector<float>>(
        static_cast<std::size_t>(config.query_heads * d * d), 0.0f);
    for (std::int64_t head = 0; head < config.query_heads; ++head)
        std::copy_n(r.const_data_ptr<float>() + head * rows * d, rows * d,
                    out->data() + head * d * d);
    const std::lock_guard lock(mutex_);
    if (!r_[at]) r_[at] = std::move(out);
    return r_[at];
}

Floats HeadProjections::direction(const Target& target) const {
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = direction_.find(target); found != direction_.end())
            return found->second;
    }
    auto u = std::make_shared<std::vector<float>>(unembedding(target));
    for (std::size_t i = 0; i < u->size(); ++i) (*u)[i] *= model_->final_norm[i];
    if (model_->config.norm == NormKind::Layer) {
        const double mean =
            std::accumulate(u->begin(), u->end(), 0.0) / static_cast<double>(u->size());
        for (float& x : *u) x = static_cast<float>(x - mean);
    }
    const std::lock_guard lock(mutex_);
    if (direction_.size() >= kept_targets) direction_.clear();
    return direction_.try_emplace(target, std::move(u)).first->second;
}

Floats HeadProjections::p(int layer, const Target& target) const {
    const std::pair key{target, layer};
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = p_.find(key); found != p_.end()) return found->second;
    }
    const Floats u = direction(target);
    const Linear& o = model_->layers[static_cast<std::size_t>(layer)].o;
    std::vector<float> weight = output_weight(layer);
    const at::Tensor w = at::from_blob(weight.data(), {o.out(), o.in()}, at::kFloat);
    const at::Tensor direction_tensor =
        at::from_blob(const_cast<float*>(u->data()), {o.out()}, at::kFloat);
    const at::Tensor product = at::mv(w.t(), direction_tensor).contiguous();
    const float* from = product.const_data_ptr<float>();
    auto out = std::make_shared<const std::vector<float>>(from, from + o.in());
    const std::lock_guard lock(mutex_);
    if (p_.size() >= kept_targets * model_->layers.size()) p_.clear();
    return p_.try_emplace(key, std::move(out)).first->second;
}

}  // namespace engine
