// SPDX-License-Identifier: GPL-3.0-or-later
// Products with weights as they lie in the file: y = W x for a few rows of x, and the decoding of a
// panel of W to fp32 for a matrix product. Block layouts: engine/formats/gguf_quants.h has the
// readable reference. fp32 activations and accumulation: the numbers are those of the decoded
// weights, from a fifth of the bytes.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/parallel.h"

namespace kernels {

// From Q5_0 on a row is decoded a stretch at a time (kernels/block_codecs.h) and multiplied as
// fp32; the types before it have products of their own.
enum class WeightType : std::uint8_t {
    F32,
    F16,
    BF16,
    Q4_0,
    Q4_1,
    Q8_0,
    Q5_0,
    Q5_1,
    Q2_K,
    Q3_K,
    Q4_K,
    Q5_K,
    Q6_K,
    IQ4_NL,
    IQ4_XS,
    MXFP4,
    F64,
    F8_E4M3,
    F8_E5M2,
    MXFP4_PAIRS
};
constexpr bool is_decoded_first(WeightType type) {
    return type >= WeightType::Q5_0;
}

struct Weight {
    const std::byte* data = nullptr;  // row-major, rows of whole blocks, possibly unaligned
    WeightType type = WeightType::F32;
    std::int64_t rows = 0, columns = 0;  // [out, in]
    std::int64_t row_bytes = 0;          // from row to row
    // Of 8-bit floats with a factor for each rectangle of scale_rows × scale_columns weights:
    // [⌈rows / scale_rows⌉, ⌈columns / scale_columns⌉], else null.
    const float* scales = nullptr;
    std::int64_t scale_rows = 0, scale_columns = 0;
    // Of MXFP4_PAIRS: [rows, columns / 32] powers of two (E8M0, bias 127).
    const std::byte* exponents = nullptr;
    std::int64_t exponent_row_bytes = 0;  // from row to row
};

// Several weights that share an input (q, k, v; gate, up) are one call, so that the threads are
// started once.
struct GemvArgs {
    const Weight* weights = nullptr;
    // [weight_count] pointers to [rows] or null, or null altogether.
    const float* const* bias = nullptr;
    // [weight_count]: row i of x gives y[w][i · y_stride[w] …]; y_stride may be null for batch 1.
    float* const* y = nullptr;
    const std::int64_t* y_stride = nullptr;
    std::int64_t weight_count = 0;
    const float* x = nullptr;  // [batch, columns], rows x_stride apart
    std::int64_t x_stride = 0;
    std::int64_t batch = 1;   // 1 … 8; the weights are read once
    bool accumulate = false;  // y += (residual stream) instead of y =
};

namespace cpu {
void gemv(const GemvArgs&, const Parallel&);
// Rows [begin, end) of the weight to fp32 [end − begin, columns].
void decode_rows(const Weight&, std::int64_t begin, std::int64_t end, float* to, const Parallel&);
}  // namespace cpu

}  // namespace kernels
