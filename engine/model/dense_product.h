// SPDX-License-Identifier: GPL-3.0-or-later
// The matrix product of a prompt's rows with a layer's weights, fp32, on libtorch's compute
// threads.
#pragma once
#include <cstdint>

#include <ATen/core/Tensor.h>

namespace engine {

// x [rows, in] · w [out, in]ᵀ → [rows, out], all dense.
//
// libtorch's own at::mm calls MKL, which takes a slower path on processors that are not Intel's;
// oneDNN, which libtorch carries too, compiles its kernels for what the processor has. On an AMD
// EPYC (AVX2, two cores) the default model's products reach 175 to 190 GFLOP/s through it and 105
// to 150 through MKL. at::mm stands in where libtorch was built without oneDNN.
at::Tensor dense_product(const float* x, std::int64_t rows, std::int64_t in, const float* w,
                         std::int64_t out);

}  // namespace engine
