// SPDX-License-Identifier: GPL-3.0-or-later
// A decoder's blocks as libtorch's operations, one by one, for every family: the device's twin of
// engine/model/blocks.h and mlp.h. What the chain of fused kernels does not know is computed with
// these, by the decoder and by the recomputed stream alike.
#pragma once
#include <ATen/core/Tensor.h>

#include <span>

#include "engine/cuda/device_model.h"
#include "engine/cuda/tensor_views.h"

namespace engine::cuda {

// While it lives, libtorch's operations go to its stream, in one thread. Tensors are contiguous on
// the device: those of the stream fp32 [rows, d_model], what products read of the model's element,
// rounded once.
class Blocks {
  public:
    Blocks(const DeviceModel&, cudaStream_t);

    const OnStream& on() const { return on_; }

    // Where the residual stream starts, for tokens at positions begin, begin + 1, …
    at::Tensor embed(std::span<const std::int32_t> tokens, std::int64_t begin) const;
    // q | k | v [rows, (Hq + 2·Hkv) · D] fp32 of the stream before the layer; whole: after the norm
    // over all of q and of k, if there is one.
    at::Tensor qkv(const DeviceLayer&, const at::Tensor& stream, bool whole) const;
    // Of z [rows, Hq · D] of the element: what the heads' writes sum to.
    at::Tensor attention_out(const DeviceLayer&, const at::Tensor& z) const;

    struct Writes {
        at::Tensor mlp_out;                     // before any post-norm
        at::Tensor attention_write, mlp_write;  // what the stream gets of either
        at::Tensor after;
    };
    // The rest of a layer, in the model's own order of norms and sums. scales [rows], if not null:
    // gets what the norm behind attention multiplies by beside its weight.
    Writes finish_layer(const DeviceLayer&, const at::Tensor& before,
                        const at::Tensor& attention_out, float* scales) const;

    // What the final norm multiplies by, frozen for attributions, to [rows].
    void final_scales(const at::Tensor& stream, float* to) const;
    // [rows, vocab] fp32 of the stream after the last layer; capped: through the final soft cap.
    at::Tensor logits(const at::Tensor& stream, bool capped) const;

  private:
    at::Tensor small(const float* values, std::int64_t count) const;
    at::Tensor typed(const at::Tensor& x) const { return x.to(scalar_type(model_.element)); }
    // The model's norm of x [rows, d_model], fp32 or of the model's element, by the model's kind.
    // scales [rows], if not null: gets what it multiplies by beside its weight.
    at::Tensor norm(const at::Tensor& x, const float* weight, const float* bias,
                    kernels::Element to, float* scales) const;
    at::Tensor block_input(const at::Tensor& stream, const float* weight, const float* bias) const;
    at::Tensor written(const at::Tensor& out, const float* post_norm, float* scales) const;
    at::Tensor product(const DeviceMatrix&, const float* bias, const at::Tensor& x) const;
    at::Tensor activated(const at::Tensor& gate_up, std::int64_t d_ff) const;
    at::Tensor dense(const DeviceMlp&, const at::Tensor& x) const;
    at::Tensor mixture(const DeviceLayer&, const at::Tensor& x) const;
    at::Tensor mlp(const DeviceLayer&, const at::Tensor& x) const;

    const DeviceModel& model_;
    cudaStream_t stream_;
    OnStream on_;
};

}  // namespace engine::cuda
