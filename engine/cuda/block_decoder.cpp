// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/block_decoder.h"

#include <ATen/ops/empty.h>

#include <algorithm>

#include "kernels/cuda/attention.h"

namespace engine::cuda {

std::int64_t BlockDecoder::device_bytes(const ModelConfig& config) {
    const std::int64_t d_ff = std::max(config.d_ff, config.experts.d_ff);
    return most_rows * 4 *
           (12 * std::int64_t{config.d_model} +
            4 * (std::int64_t{config.q_columns()} + 2 * config.kv_columns()) + 6 * d_ff);
}

BlockDecoder::BlockDecoder(std::shared_ptr<const DeviceModel> model, const Stream& stream)
    : model_(std::move(model)), stream_(stream), dest_(8) {}

void BlockDecoder::attend_one(const kernels::TraceView& trace, const kernels::ScoreRule& rule,
                              void* z) {
    if (splits_ == 0) {
        splits_ = kernels::cuda::step_splits(trace);
        step_scratch_ = DeviceBuffer(kernels::cuda::step_scratch(trace, splits_));
        check(cudaMemsetAsync(step_scratch_.data(), 0,
                              static_cast<std::size_t>(step_scratch_.bytes()), stream_),
              "scratch");
    }
    kernels::cuda::StepArgs args;
    args.trace = trace;
    args.rule = rule;
    args.dest = dest_.as<std::int64_t>();
    args.z_out = z;
    args.scratch = step_scratch_.data();
    args.splits = splits_;
    kernels::cuda::attend_step(args, stream_);
}

at::Tensor BlockDecoder::attend(const Blocks& blocks, DeviceRun& run, Rows rows, int index,
                                const at::Tensor& stream) {
    const ModelConfig& config = model_->config;
    const DeviceLayer& layer = model_->layers[static_cast<std::size_t>(index)];
    const at::Tensor qkv = blocks.qkv(layer, stream, true);
    const RotaryTable& rotary =
        config.long_frequencies(run.trace().prompt_length()) ? layer.long_rotary : layer.rotary;
    kernels::cuda::AppendArgs append;
    append.trace = run.view(Layer{index});
    append.begin = rows.begin;
    append.rows = rows.count();
    append.qkv = qkv.const_data_ptr();
    append.q_norm = layer.q_norm;
    append.k_norm = layer.k_norm;
    append.norm_eps = config.norm_eps;
    append.cosines = rotary.cosines;
    append.sines = rotary.sines;
    append.rotary_dim = layer.rotary_dim;
    kernels::cuda::append(append, stream_);

    at::Tensor z =
        at::empty({rows.count(), config.q_columns()}, blocks.on().options(model_->element));
    const kernels::ScoreRule rule = run.rule(*model_, Layer{index});
    // The kernel of single rows knows no forbidden keys.
    if (rows.count() == 1 && rule.forbidden.count == 0) {
        attend_one(append.trace, rule, z.data_ptr());
    } else {
        kernels::cuda::AttendArgs attend;
        attend.trace = append.trace;
        attend.rule = rule;
        attend.begin = rows.begin;
        attend.end = rows.end;
        attend.z_out = z.data_ptr();
        kernels::cuda::attend(attend, stream_);
    }
    run.edit_rows(Layer{index}, rows, z.data_ptr(), stream_);
    return z;
}

void BlockDecoder::forward(DeviceRun& run, Rows rows, float* logits, std::stop_token stop,
                           const std::function<void(int)>& on_layer) {
    const ModelConfig& config = model_->config;
    std::vector<std::int32_t> tokens;
    for (std::int64_t at = rows.begin; at < rows.end; ++at) tokens.push_back(to_int(run.token(at)));
    try {
        const Blocks blocks(*model_, stream_);
        check(cudaMemcpyAsync(dest_.data(), &rows.begin, 8, cudaMemcpyHostToDevice, stream_),
              "position");
        at::Tensor stream = blocks.embed(tokens, rows.begin);
        for (int index = 0; index < config.layers; ++index) {
            Event& done = layer_done_[index % 2];
            if (index >= 2) done.wait();
            if (stop.stop_requested()) throw Cancelled{};
            if (on_layer) on_layer(index);
            const DeviceLayer& layer = model_->layers[static_cast<std::size_t>(index)];
            const at::Tensor out =
                blocks.attention_out(layer, attend(blocks, run, rows, index, stream));
            float* scales = run.attention_scales(Layer{index});
            stream = blocks
                         .finish_layer(layer, stream, out,
                                       scales == nullptr ? nullptr : scales + rows.begin)
                         .after;
            done.record(stream_);
        }
        blocks.final_scales(stream, run.final_scale() + rows.begin);
        if (logits != nullptr)
            blocks.on()
                .view(logits, {1, config.vocab}, kernels::Element::F32)
                .copy_(blocks.logits(stream.narrow(0, rows.count() - 1, 1), true));
    } catch (...) {
        (void)cudaStreamSynchronize(stream_);
        throw;
    }
    stream_.wait();
}

}  // namespace engine::cuda
