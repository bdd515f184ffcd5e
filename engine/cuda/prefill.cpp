// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/prefill.h"

#include <algorithm>

#include "engine/cuda/fast_attention.h"
#include "engine/cuda/linear.h"
#include "kernels/cuda/attention.h"
#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/product.h"

namespace engine::cuda {
namespace {

using kernels::Element;

std::int64_t size_of(Element element) {
    return element == Element::F32 ? 4 : 2;
}

// Elements a row of the buffers that hold the model's element type.
std::int64_t typed_columns(const ModelConfig& config) {
    return config.d_model + 2 * config.q_columns() + 2 * config.kv_columns() + 3 * config.d_ff;
}

std::int64_t rows_of(const ModelConfig& config) {
    return std::min(config.context, Prefill::most_rows);
}

}  // namespace

std::int64_t Prefill::device_bytes(const ModelConfig& config, Element element) {
    return rows_of(config) * (typed_columns(config) * size_of(element) + config.d_model * 4 + 4);
}

Prefill::Prefill(std::shared_ptr<const DeviceModel> model, const Stream& stream)
    : model_(std::move(model)), stream_(stream), element_(model_->element) {
    const ModelConfig& config = model_->config;
    const std::int64_t rows = rows_of(config), size = rows * size_of(element_);
    tokens_ = DeviceBuffer(rows * 4);
    residual_ = DeviceBuffer(rows * config.d_model * 4);
    normed_ = DeviceBuffer(size * config.d_model);
    qkv_ = DeviceBuffer(size * (config.q_columns() + 2 * config.kv_columns()));
    z_ = DeviceBuffer(size * config.q_columns());
    gate_up_ = DeviceBuffer(size * 2 * config.d_ff);
    gated_ = DeviceBuffer(size * config.d_ff);
}

void Prefill::forward(DeviceRun& run, Rows rows, float* logits, std::stop_token stop,
                      const std::function<void(int)>& on_layer) {
    const ModelConfig& config = model_->config;
    const std::int64_t count = rows.count();
    std::vector<std::int32_t> tokens;
    for (std::int64_t at = rows.begin; at < rows.end; ++at) tokens.push_back(to_int(run.token(at)));
    try {
        check(cudaMemcpyAsync(tokens_.data(), tokens.data(), tokens.size() * 4,
                              cudaMemcpyHostToDevice, stream_),
              "tokens");
        kernels::cuda::embed(model_->embedding.data, element_, tokens_.as<std::int32_t>(), count,
                             config.d_model, 1, residual_.as<float>(), stream_);
        for (int layer = 0; layer < config.layers; ++layer) {
            Event& done = layer_done_[layer % 2];
            if (layer >= 2) done.wait();
            if (stop.stop_requested()) throw Cancelled{};
            if (on_layer) on_layer(layer);
            enqueue_layer(run, rows, static_cast<std::size_t>(layer));
            done.record(stream_);
        }
        kernels::cuda::norm_scale(residual_.as<float>(), config.norm_eps, count, config.d_model,
                                  run.final_scale() + rows.begin, stream_);
        if (logits != nullptr) {
            kernels::cuda::ProductArgs head;
            head.weights = model_->unembedding.data;
            head.element = element_;
            head.rows = model_->unembedding.rows;
            head.columns = config.d_model;
            head.x = residual_.as<float>() + (count - 1) * config.d_model;
            head.x_element = Element::F32;
            head.norm = model_->final_norm;
            head.norm_eps = config.norm_eps;
            head.y = logits;
            head.y_element = Element::F32;
            kernels::cuda::product(head, stream_);
        }
    } catch (...) {
        (void)cudaStreamSynchronize(stream_);
        throw;
    }
    stream_.wait();
}

void Prefill::enqueue_layer(DeviceRun& run, Rows rows, std::size_t index) {
    const ModelConfig& config = model_->config;
    const DeviceLayer& layer = model_->layers[index];
    const std::int64_t count = rows.count();
    const auto norm = [&](const float* weight) {
        kernels::cuda::rms_norm(residual_.as<float>(), weight, config.norm_eps, count,
                                config.d_model, normed_.data(), element_, nullptr, stream_);
    };
    norm(layer.attention_norm);
    linear({layer.qkv, layer.qkv_bias, normed_.data(), count, qkv_.data(), element_, false},
           stream_);

    kernels::cuda::AppendArgs append;
    append.trace = run.view(Layer{static_cast<std::int32_t>(index)});
    append.begin = rows.begin;
    append.rows = count;
    append.qkv = qkv_.data();
    append.qkv_element = element_;
    append.q_norm = layer.q_norm;
    append.k_norm = layer.k_norm;
    append.norm_eps = config.norm_eps;
    append.cosines = layer.rotary.cosines;
    append.sines = layer.rotary.sines;
    append.rotary_dim = layer.rotary_dim;
    std::unique_ptr<FastAttention> fast;
    if (has_fast_attention(append.trace, layer.rule, rows)) {
        fast = std::make_unique<FastAttention>(append.trace, rows, stream_);
        append.q_dense = fast->q();
        append.k_dense = fast->k();
        append.v_dense = fast->v();
    }
    kernels::cuda::append(append, stream_);

    const void* z = z_.data();
    if (fast) {
        fast->attend(layer.rule);
        z = fast->z();
    } else {
        kernels::cuda::AttendArgs attend;
        attend.trace = append.trace;
        attend.rule = layer.rule;
        attend.begin = rows.begin;
        attend.end = rows.end;
        attend.z_out = z_.data();
        kernels::cuda::attend(attend, stream_);
    }
    linear({layer.o, layer.o_bias, z, count, residual_.data(), Element::F32, true}, stream_);

    norm(layer.mlp_norm);
    linear({layer.mlp.gate_up, nullptr, normed_.data(), count, gate_up_.data(), element_, false},
           stream_);
    kernels::cuda::silu_mul(gate_up_.data(), count, config.d_ff, gated_.data(), element_, stream_);
    linear({layer.mlp.down, nullptr, gated_.data(), count, residual_.data(), Element::F32, true},
           stream_);
}

}  // namespace engine::cuda
