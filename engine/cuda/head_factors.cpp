// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/head_factors.h"

#include <numeric>

#include "engine/cuda/tensor_views.h"

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

WrittenProjections::WrittenProjections(const DeviceModel& model, ViewLane& lane)
    : model_(model), stream_(lane.stream()) {
    if (model.config.post_norm)
        weighted_ = lane.scratch().take<float>(std::int64_t{model.config.d_model} *
                                               model.config.q_columns());
}

kernels::cuda::OutputProjection WrittenProjections::of(int layer) const {
    kernels::cuda::OutputProjection projection = output_projection(model_, layer);
    if (weighted_ == nullptr) return projection;
    const DeviceLayer& from = model_.layers[static_cast<std::size_t>(layer)];
    const OnStream on(stream_);
    at::Tensor to = on.view(weighted_, {from.o.rows, from.o.columns}, kernels::Element::F32);
    to.copy_(on.view(from.o.data, {from.o.rows, from.o.columns}, from.o.element));
    to.mul_(on.view(from.attention_post_norm, {from.o.rows, 1}, kernels::Element::F32));
    projection.weights = weighted_;
    projection.element = kernels::Element::F32;
    return projection;
}

void target_direction(const DeviceModel& model, const Target& target, float* u,
                      cudaStream_t stream) {
    const DeviceMatrix& table = model.unembedding;
    kernels::cuda::direction(table.data, table.element, table.columns, to_int(target.token),
                             target.distractor ? to_int(*target.distractor) : -1, model.final_norm,
                             u, stream);
    if (model.config.norm != NormKind::Layer) return;
    const OnStream on(stream);
    at::Tensor all = on.view(u, {table.columns}, kernels::Element::F32);
    all.sub_(all.mean());
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
    const WrittenProjections projections(*model_, lane);
    auto* scratch = lane.scratch().take<std::byte>(
        kernels::cuda::triangle_scratch(output_projection(*model_, 0)));
    for (int layer = 0; layer < model_->config.layers; ++layer)
        kernels::cuda::triangles(projections.of(layer), made.as<float>() + layer * of_layer,
                                 scratch, lane.stream());
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
    target_direction(*model_, target, made->u.as<float>(), lane.stream());
    made->bias = bias_of(lane, target);
    config.post_norm ? turn_layer_by_layer(lane, *made) : turn_at_once(lane, *made);
    check(cudaStreamSynchronize(lane.stream()), "directions of a target");
    const std::lock_guard lock(mutex_);
    if (directions_.size() >= kept_targets) directions_.clear();
    return directions_.try_emplace(target, std::move(made)).first->second;
}

float HeadFactors::bias_of(ViewLane& lane, const Target& target) const {
    if (model_->final_norm_bias == nullptr) return 0;
    const DeviceMatrix& table = model_->unembedding;
    auto* u = lane.scratch().take<float>(table.columns);
    // The bias stands where the norm's weight does: its products with the rows, to be summed.
    kernels::cuda::direction(table.data, table.element, table.columns, to_int(target.token),
                             target.distractor ? to_int(*target.distractor) : -1,
                             model_->final_norm_bias, u, lane.stream());
    const std::vector<float> products = lane.download(u, table.columns);
    return static_cast<float>(std::accumulate(products.begin(), products.end(), 0.0));
}

void HeadFactors::turn_layer_by_layer(ViewLane& lane, Direction& made) const {
    const WrittenProjections projections(*model_, lane);
    const std::int64_t columns = model_->config.q_columns();
    auto* scratch = lane.scratch().take<std::byte>(
        kernels::cuda::turned_scratch(output_projection(*model_, 0), 1));
    for (int layer = 0; layer < model_->config.layers; ++layer)
        kernels::cuda::turned_products(projections.of(layer), made.u.as<float>(), 1,
                                       made.p.as<float>() + layer * columns, scratch,
                                       lane.stream());
}

void HeadFactors::turn_at_once(ViewLane& lane, Direction& made) const {
    auto all = output_projection(*model_, 0);
    std::vector<const void*> weights;
    for (const DeviceLayer& layer : model_->layers) weights.push_back(layer.o.data);
    all.all_weights = lane.upload(weights);
    all.layers = model_->config.layers;
    kernels::cuda::turned_products(
        all, made.u.as<float>(), 1, made.p.as<float>(),
        lane.scratch().take<std::byte>(kernels::cuda::turned_scratch(all, 1)), lane.stream());
}

}  // namespace engine::cuda
