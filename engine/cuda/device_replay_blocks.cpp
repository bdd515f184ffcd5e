// SPDX-License-Identifier: GPL-3.0-or-later
// The residual stream computed again by the very operations that the decoder computed it with.
#include "engine/cuda/blocks.h"
#include "engine/cuda/device_replay.h"

namespace engine::cuda {
namespace {

using kernels::Element;

void keep(const Blocks& blocks, const at::Tensor& from, float* to) {
    blocks.on().view(to, from.sizes(), Element::F32).copy_(from);
}

}  // namespace

void DeviceReplay::attention_out_blocks(const DeviceLayer& layer, std::int64_t rows, float* to) {
    const Blocks blocks(model_, lane_.stream());
    const at::Tensor z = blocks.on().view(z_, {rows, model_.config.q_columns()}, model_.element);
    keep(blocks, blocks.attention_out(layer, z), to);
}

const float* DeviceReplay::replay_blocks(const DeviceRun& run, Rows rows,
                                         const std::function<void(const Writes&)>& visit,
                                         const std::stop_token& stop) {
    const ModelConfig& config = model_.config;
    std::vector<std::int32_t> tokens;
    for (std::int64_t at = rows.begin; at < rows.end; ++at) tokens.push_back(to_int(run.token(at)));
    {
        const Blocks blocks(model_, lane_.stream());
        keep(blocks, blocks.embed(tokens, rows.begin), after_);
    }
    for (int index = 0; index < config.layers; ++index) {
        const DeviceLayer& layer = model_.layers[static_cast<std::size_t>(index)];
        std::swap(before_, after_);
        lane_.slice(stop, [&] {
            attention_out(run, index, rows, attention_);
            const Blocks blocks(model_, lane_.stream());
            const auto of_rows = [&](const float* at) {
                return blocks.on().view(at, {rows.count(), config.d_model}, Element::F32);
            };
            const Blocks::Writes writes =
                blocks.finish_layer(layer, of_rows(before_), of_rows(attention_), nullptr);
            keep(blocks, writes.after, after_);
            if (visit)
                visit({index, before_, attention_, writes.mlp_out.const_data_ptr<float>(),
                       writes.attention_write.const_data_ptr<float>(),
                       writes.mlp_write.const_data_ptr<float>(), after_});
        });
    }
    lane_.await_slices();
    return after_;
}

void DeviceReplay::logits_blocks(const float* residual, std::int64_t rows, bool capped) {
    const Blocks blocks(model_, lane_.stream());
    const at::Tensor stream =
        blocks.on().view(residual, {rows, model_.config.d_model}, Element::F32);
    keep(blocks, blocks.logits(stream, capped), logits_);
}

void DeviceReplay::qkv_blocks(const DeviceLayer& layer, const float* before, std::int64_t rows) {
    const Blocks blocks(model_, lane_.stream());
    const at::Tensor stream = blocks.on().view(before, {rows, model_.config.d_model}, Element::F32);
    keep(blocks, blocks.qkv(layer, stream, false), qkv_);
}

}  // namespace engine::cuda
