// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/head_factors.h"

namespace engine::cuda {
namespace {

// A browsing session asks for a handful of targets; past this many the kept ones are dropped, not
// searched.
constexpr std::size_t kept_targets = 32;

}  // namespace

kernels::cuda::OutputProjection output_projection(const DeviceModel& model, int layer) {
    const DeviceMatrix& o = model.layers[static_cast<std::size_t>(layer)].o;
    return {o.data, o.element, o.rows, model.config.query_heads, model.config.head_dim};
}

HeadFactors::HeadFactors(std::shared_ptr<const DeviceModel> model)
    : model_(std::move(model)), heads_(model_->config.query_heads), dim_(model_->config.head_dim) {}

std::int64_t HeadFactors::most_bytes(const ModelConfig& config) {
    const std::int64_t columns = config.q_columns(), layers = config.layers;
    const std::int64_t direction = 4 * (layers * columns + config.d_model);
    return 4 * layers * columns * config.head_dim +
           static_cast<std::int64_t>(kept_targets) * direction;
}

const float* HeadFactors::r(ViewLane& lane) const {
    const std::lock_guard lock(mutex_);  // held while they are made: who waits wants them too
    if (r_.data() != nullptr) return r_.as<float>();
    const std::int64_t of_layer = heads_ * dim_ * dim_;
    DeviceBuffer made(model_->config.layers * of_layer * 4);
    auto* scratch = lane.scratch().take<std::byte>(
        kernels::cuda::triangle_scratch(output_projection(*model_, 0)));
    for (int layer = 0; layer < model_->config.layers; ++layer)
        kernels::cuda::triangles(output_projection(*model_, layer),
                                 made.as<float>() + layer * of_layer, scratch, lane.stream());
    check(cudaStreamSynchronize(lane.stream()), "factors of the output projections");
    r_ = std::move(made);
    return r_.as<float>();
}

std::shared_ptr<const HeadFactors::Direction> HeadFactors::direction(ViewLane& lane,
                                                                     const Target& target) const {
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = directions_.find(target); found != directions_.end())
            return found->second;
    }
    const ModelConfig& config = model_->config;
    const std::int64_t columns = config.q_columns();
    auto made = std::make_shared<Direction>();
    made->u = DeviceBuffer(std::int64_t{config.d_model} * 4);
    made->p = DeviceBuffer(config.layers * columns * 4);
    const DeviceMatrix& table = model_->unembedding;
    kernels::cuda::direction(table.data, table.element, config.d_model, to_int(target.token),
                             target.distractor ? to_int(*target.distractor) : -1,
                             model_->final_norm, made->u.as<float>(), lane.stream());
    auto all = output_projection(*model_, 0);
    std::vector<const void*> weights;
    for (const DeviceLayer& layer : model_->layers) weights.push_back(layer.o.data);
    all.all_weights = lane.upload(weights);
    all.layers = config.layers;
    kernels::cuda::turned_products(
        all, made->u.as<float>(), 1, made->p.as<float>(),
        lane.scratch().take<std::byte>(kernels::cuda::turned_scratch(all, 1)), lane.stream());
    check(cudaStreamSynchronize(lane.stream()), "directions of a target");
    const std::lock_guard lock(mutex_);
    if (directions_.size() >= kept_targets) directions_.clear();
    return directions_.try_emplace(target, std::move(made)).first->second;
}

}  // namespace engine::cuda
