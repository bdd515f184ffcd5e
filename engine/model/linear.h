// SPDX-License-Identifier: GPL-3.0-or-later
// y = W x for weights as they lie in the file, several matrices that share an input as one product
// (q | k | v, gate | up). Few rows read the blocks themselves; many rows decode a panel to fp32 and
// use libtorch's matrix product. Immutable after loading; any thread, each with its own scratch.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/formats/checkpoint.h"
#include "kernels/gemv.h"
#include "kernels/parallel.h"

namespace engine {

// Grows to the largest panel asked of it; one a thread.
class PanelScratch {
  public:
    float* at_least(std::int64_t floats);

  private:
    std::unique_ptr<float[]> data_;
    std::int64_t size_ = 0;
};

class Linear {
  public:
    Linear() = default;
    // bias: null or a plain tensor [out]. All weights have the same number of columns.
    void add(const formats::StoredTensor& weight, const formats::StoredTensor* bias);

    std::int64_t in() const { return in_; }
    std::int64_t out() const { return out_; }      // of all matrices together
    std::int64_t bytes() const { return bytes_; }  // of the weights as they lie in the file
    const std::vector<kernels::Weight>& weights() const { return weights_; }
    const float* bias() const { return has_bias_ ? bias_.data() : nullptr; }  // [out]

    // x [rows, in] dense → y [rows, out] dense; accumulate: y += (no bias is allowed to be applied
    // twice: it is added once either way).
    void forward(const float* x, std::int64_t rows, float* y, bool accumulate, PanelScratch&,
                 const kernels::Parallel&) const;
    // All weights as fp32 [out, in].
    void decode(float* to, const kernels::Parallel&) const;

  private:
    void add_scales(const formats::BlockScales&);  // of the last weight
    void forward_few(const float* x, std::int64_t rows, float* y, bool accumulate,
                     const kernels::Parallel&) const;

    std::vector<kernels::Weight> weights_;
    std::vector<std::shared_ptr<const void>> owners_;
    std::vector<float> bias_;
    bool has_bias_ = false;
    std::int64_t in_ = 0, out_ = 0, bytes_ = 0;
};

}  // namespace engine
