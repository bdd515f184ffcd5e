// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/device_replay.h"

#include <utility>

#include "engine/cuda/linear.h"
#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/product.h"
#include "kernels/cuda/writes.h"

namespace engine::cuda {
namespace {

// As a decode step takes its products; y fp32.
kernels::cuda::ProductArgs one_row(const DeviceMatrix& weight, const void* x,
                                   kernels::Element x_element, void* y) {
    kernels::cuda::ProductArgs args;
    args.weights = weight.data;
    args.element = weight.element;
    args.rows = weight.rows;
    args.columns = weight.columns;
    args.x = x;
    args.x_element = x_element;
    args.y = y;
    args.y_element = kernels::Element::F32;
    return args;
}

}  // namespace

DeviceReplay::DeviceReplay(const DeviceModel& model, ViewLane& lane, std::int64_t rows)
    : model_(model), lane_(lane), rows_(rows) {
    const ModelConfig& config = model.config;
    const std::int64_t element = model.element == kernels::Element::F32 ? 4 : 2;
    Scratch& scratch = lane.scratch();
    for (float** buffer : {&before_, &after_, &attention_, &mlp_})
        *buffer = scratch.take<float>(rows * config.d_model);
    z_ = scratch.take<std::byte>(rows * config.q_columns() * element);
    if (by_blocks()) return;
    normed_ = scratch.take<std::byte>(rows * config.d_model * element);
    gate_up_ = scratch.take<std::byte>(rows * 2 * config.d_ff * element);
    hidden_ = scratch.take<std::byte>(rows * config.d_ff * element);
    tokens_ = scratch.take<std::int32_t>(rows);
}

void DeviceReplay::normed_product(const DeviceMatrix& weight, const float* bias, const float* x,
                                  const float* norm, std::int64_t rows, float* to) {
    if (rows == 1) {
        kernels::cuda::ProductArgs args = one_row(weight, x, kernels::Element::F32, to);
        args.norm = norm;
        args.norm_eps = model_.config.norm_eps;
        args.bias = bias;
        kernels::cuda::product(args, lane_.stream());
        return;
    }
    kernels::cuda::rms_norm(x, norm, model_.config.norm_eps, rows, weight.columns, normed_,
                            model_.element, nullptr, lane_.stream());
    linear({weight, bias, normed_, rows, to, kernels::Element::F32}, lane_.stream());
}

void DeviceReplay::attention_out(const DeviceRun& run, int index, Rows rows, float* to) {
    const DeviceLayer& layer = model_.layers[static_cast<std::size_t>(index)];
    kernels::cuda::gather_rows(run.view(Layer{index}), kernels::cuda::Section::Z, rows.begin,
                               rows.end, z_, lane_.stream());
    if (by_blocks()) return attention_out_blocks(layer, rows.count(), to);
    if (rows.count() > 1)
        return linear({layer.o, layer.o_bias, z_, rows.count(), to, kernels::Element::F32},
                      lane_.stream());
    kernels::cuda::ProductArgs args = one_row(layer.o, z_, model_.element, to);
    args.bias = layer.o_bias;
    kernels::cuda::product(args, lane_.stream());
}

void DeviceReplay::mlp(const DeviceLayer& layer, const float* x, std::int64_t rows, float* to) {
    const ModelConfig& config = model_.config;
    if (rows == 1) {
        kernels::cuda::ProductArgs args =
            one_row(layer.mlp.gate_up, x, kernels::Element::F32, hidden_);
        args.rows = config.d_ff;
        args.norm = layer.mlp_norm;
        args.norm_eps = config.norm_eps;
        args.finish = kernels::cuda::Finish::SiluMul;
        args.y_element = model_.element;
        kernels::cuda::product(args, lane_.stream());
        kernels::cuda::product(one_row(layer.mlp.down, hidden_, model_.element, to),
                               lane_.stream());
        return;
    }
    kernels::cuda::rms_norm(x, layer.mlp_norm, config.norm_eps, rows, config.d_model, normed_,
                            model_.element, nullptr, lane_.stream());
    linear({layer.mlp.gate_up, nullptr, normed_, rows, gate_up_, model_.element}, lane_.stream());
    kernels::cuda::silu_mul(gate_up_, rows, config.d_ff, hidden_, model_.element, lane_.stream());
    linear({layer.mlp.down, nullptr, hidden_, rows, to, kernels::Element::F32}, lane_.stream());
}

const float* DeviceReplay::replay(const DeviceRun& run, Rows rows,
                                  const std::function<void(const Writes&)>& visit,
                                  const std::stop_token& stop) {
    if (by_blocks()) return replay_blocks(run, rows, visit, stop);
    const ModelConfig& config = model_.config;
    const std::int64_t count = rows.count(), size = count * config.d_model;
    cudaStream_t stream = lane_.stream();
    std::vector<std::int32_t> tokens;
    for (std::int64_t at = rows.begin; at < rows.end; ++at) tokens.push_back(to_int(run.token(at)));
    lane_.copy_in(tokens_, tokens.data(), count * 4);
    kernels::cuda::embed(model_.embedding.data, model_.embedding.element, tokens_, count,
                         config.d_model, 1, after_, stream);
    for (int index = 0; index < config.layers; ++index) {
        const DeviceLayer& layer = model_.layers[static_cast<std::size_t>(index)];
        std::swap(before_, after_);
        lane_.slice(stop, [&] {
            attention_out(run, index, rows, attention_);
            check(cudaMemcpyAsync(after_, before_, static_cast<std::size_t>(size) * 4,
                                  cudaMemcpyDeviceToDevice, stream),
                  "residual stream");
            kernels::cuda::add(after_, attention_, size, stream);
            mlp(layer, after_, count, mlp_);
            kernels::cuda::add(after_, mlp_, size, stream);
            if (visit) visit({index, before_, attention_, mlp_, attention_, mlp_, after_});
        });
    }
    lane_.await_slices();
    return after_;
}

const float* DeviceReplay::logits(const float* residual, std::int64_t rows, bool capped) {
    if (logits_ == nullptr) logits_ = lane_.scratch().take<float>(rows_ * model_.config.vocab);
    if (by_blocks())
        logits_blocks(residual, rows, capped);
    else
        normed_product(model_.unembedding, nullptr, residual, model_.final_norm, rows, logits_);
    return logits_;
}

std::vector<float> DeviceReplay::logits_of(const DeviceRun& run, std::int64_t position) {
    const float* residual = replay(run, {position, position + 1}, {});
    return lane_.download(logits(residual, 1), model_.config.vocab);
}

const float* DeviceReplay::qkv(int index, const float* before, std::int64_t rows) {
    const DeviceLayer& layer = model_.layers[static_cast<std::size_t>(index)];
    if (qkv_ == nullptr) qkv_ = lane_.scratch().take<float>(rows_ * layer.qkv.rows);
    if (by_blocks())
        qkv_blocks(layer, before, rows);
    else
        normed_product(layer.qkv, layer.qkv_bias, before, layer.attention_norm, rows, qkv_);
    return qkv_;
}

}  // namespace engine::cuda
