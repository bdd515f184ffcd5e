// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of a decode step in order. Each is a dependent launch, so that its weights stream in
// while the one before it ends. What a kernel reads ahead of that (positions, tables, earlier keys)
// was written two launches ago or more.
#include <cstddef>

#include "engine/cuda/decode_steps.h"
#include "kernels/cuda/attention.h"
#include "kernels/cuda/product.h"

namespace engine::cuda {
namespace {

using kernels::Element;
using kernels::cuda::Finish;
using kernels::cuda::ProductArgs;

ProductArgs product_of(const DeviceMatrix& weight) {
    ProductArgs args;
    args.weights = weight.data;
    args.element = args.x_element = args.y_element = weight.element;
    args.rows = weight.rows;
    args.columns = weight.columns;
    return args;
}

}  // namespace

void DecodeSteps::enqueue(int parity, cudaStream_t stream, cudaStream_t beside) const {
    const ModelConfig& config = model_->config;
    std::byte* state = state_.data();
    auto* position = reinterpret_cast<std::int64_t*>(state + offsetof(State, position));
    auto* best = reinterpret_cast<std::uint64_t*>(state + offsetof(State, best));

    kernels::cuda::SampleArgs sampling;
    sampling.logits = logits_[1 - parity].as<float>();
    sampling.vocabulary = config.vocab;
    sampling.next = reinterpret_cast<std::int64_t*>(state + offsetof(State, told));
    if (!greedy_)
        sampling.draw = reinterpret_cast<const kernels::cuda::Draw*>(state + offsetof(State, draw));
    sampling.best = best;
    sampling.records = records_.as<kernels::cuda::StepRecord>();
    sampling.record_slots = record_slots;
    sampling.scratch = sample_scratch_.data();
    // A greedy token is known from the last step's product; then this only tells the host.
    const bool apart = greedy_ && beside != stream;
    if (apart) {
        begun_.record(stream);
        check(cudaStreamWaitEvent(beside, begun_, 0), "a step's beginning");
    }
    kernels::cuda::sample(sampling, apart ? beside : stream);

    kernels::cuda::NextTokenArgs next;
    next.best = best;
    next.position = position;
    next.tokens = tokens_.as<std::int32_t>();
    next.embedding = model_->embedding.data;
    next.element = element_;
    next.columns = config.d_model;
    next.x = residual_.data();
    next.x_element = Element::F32;
    kernels::cuda::next_token(next, stream);

    for (std::size_t layer = 0; layer < model_->layers.size(); ++layer)
        enqueue_layer(layer, stream);

    kernels::cuda::step_scale(residual_.as<float>(), config.d_model, config.norm_eps,
                              reinterpret_cast<float* const*>(state + offsetof(State, scale_of)),
                              position, stream);
    ProductArgs head = product_of(model_->unembedding);
    head.x = residual_.data();
    head.norm = model_->final_norm;
    head.norm_eps = config.norm_eps;
    head.y = logits_[parity].data();
    head.x_element = head.y_element = Element::F32;
    head.best = best;
    kernels::cuda::product(head, stream);
    if (apart) {
        told_.record(beside);
        check(cudaStreamWaitEvent(stream, told_, 0), "a step's end");
    }
}

void DecodeSteps::enqueue_layer(std::size_t index, cudaStream_t stream) const {
    const ModelConfig& config = model_->config;
    const DeviceLayer& layer = model_->layers[index];
    const auto* position =
        reinterpret_cast<const std::int64_t*>(state_.data() + offsetof(State, position));

    ProductArgs qkv = product_of(layer.qkv);
    qkv.x = residual_.data();
    qkv.norm = layer.attention_norm;
    qkv.norm_eps = config.norm_eps;
    qkv.bias = layer.qkv_bias;
    qkv.y = qkv_.data();
    qkv.x_element = qkv.y_element = Element::F32;
    kernels::cuda::product(qkv, stream);

    kernels::cuda::AppendArgs append;
    append.trace = views_[index];
    append.rows = 1;
    append.device_begin = position;
    append.qkv = qkv_.data();
    append.qkv_element = Element::F32;
    append.q_norm = layer.q_norm;
    append.k_norm = layer.k_norm;
    append.norm_eps = config.norm_eps;
    append.cosines = layer.rotary.cosines;
    append.sines = layer.rotary.sines;
    append.rotary_dim = layer.rotary_dim;

    kernels::cuda::StepArgs attend;
    attend.appends = kernels::cuda::step_appends(append);
    if (attend.appends)
        attend.row = append;
    else
        kernels::cuda::append(append, stream);
    attend.trace = views_[index];
    attend.rule = layer.rule;
    attend.dest = position;
    attend.z_out = z_.data();
    attend.scratch = attend_scratch_.data();
    attend.splits = splits_;
    kernels::cuda::attend_step(attend, stream);

    ProductArgs o = product_of(layer.o);
    o.x = z_.data();
    o.bias = layer.o_bias;
    o.finish = Finish::Add;
    o.y = residual_.data();
    o.y_element = Element::F32;
    kernels::cuda::product(o, stream);

    ProductArgs gate_up = product_of(layer.mlp.gate_up);
    gate_up.rows = config.d_ff;
    gate_up.x = residual_.data();
    gate_up.norm = layer.mlp_norm;
    gate_up.norm_eps = config.norm_eps;
    gate_up.finish = Finish::SiluMul;
    gate_up.y = hidden_.data();
    gate_up.x_element = Element::F32;
    kernels::cuda::product(gate_up, stream);

    ProductArgs down = product_of(layer.mlp.down);
    down.x = hidden_.data();
    down.finish = Finish::Add;
    down.y = residual_.data();
    down.y_element = Element::F32;
    kernels::cuda::product(down, stream);
}

}  // namespace engine::cuda
