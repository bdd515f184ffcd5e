// SPDX-License-Identifier: GPL-3.0-or-later
// y = W x. For one row of x a block of a quantized row gives d · Σ n·x + m · Σ x: the sums of x are
// made once a call and shared by all rows, and a block's scale costs one multiplication instead of
// one a weight. Several rows of W go together, so that x is loaded once for them. For more rows of
// x a block is decoded once for all of them.
#include "kernels/cpu/decoded_rows.h"
#include "kernels/cpu/weight_block.h"
#include "kernels/cpu/work.h"

namespace kernels::cpu::HEADSCOPE_ISA {

namespace {

constexpr int rows_together = 4;
constexpr std::int64_t bytes_ahead = 4096;  // some 400 ns of work
constexpr std::int64_t most_sums = 4096;    // blocks of a row whose sums of x fit the stack

constexpr bool quantized(WeightType type) {
    return type == WeightType::Q4_0 || type == WeightType::Q4_1 || type == WeightType::Q8_0;
}

// d and m of a block; m of Q4_0 is −8 d, so its lane is left alone and d used instead.
struct Offsets {
#if defined(__AVX2__)
    __m128 sums = _mm_setzero_ps();  // Σ d·Σx, Σ m·Σx, unused, unused
    template <WeightType type>
    HEADSCOPE_INLINE f32v add(const std::byte* block, float sum_x) {
        __m128 scales;
        if constexpr (type == WeightType::Q4_1) {
            std::int32_t both;
            std::memcpy(&both, block, sizeof both);
            scales = _mm_cvtph_ps(_mm_cvtsi32_si128(both));
        } else {
            std::uint16_t d;
            std::memcpy(&d, block, sizeof d);
            scales = _mm_cvtph_ps(_mm_cvtsi32_si128(d));
        }
        if constexpr (type != WeightType::Q8_0)
            sums = _mm_fmadd_ps(scales, _mm_set1_ps(sum_x), sums);
#if defined(__AVX512F__)
        return _mm512_broadcastss_ps(scales);
#else
        return _mm256_broadcastss_ps(scales);
#endif
    }
    template <WeightType type>
    HEADSCOPE_INLINE float total() const {
        return type == WeightType::Q4_1 ? sums[1] : type == WeightType::Q4_0 ? -8 * sums[0] : 0;
    }
#else
    float sums = 0;
    template <WeightType type>
    HEADSCOPE_INLINE f32v add(const std::byte* block, float sum_x) {
        const float d = half(block);
        if constexpr (type == WeightType::Q4_1) sums += half(block + 2) * sum_x;
        if constexpr (type == WeightType::Q4_0) sums += -8 * d * sum_x;
        return splat(d);
    }
    template <WeightType type>
    HEADSCOPE_INLINE float total() const {
        return sums;
    }
#endif
};

// Dot products of `Rows` rows of W with one row of x. sums_x: a sum a block, of quantized types
// only.
template <WeightType type, int Rows>
HEADSCOPE_INLINE void dot_rows(const std::byte* w, std::int64_t row_bytes, const float* x,
                               const float* sums_x, std::int64_t columns, float* y) {
    f32v sums[Rows] = {};
    Offsets offsets[Rows];
    const std::int64_t blocks = columns / block_elements;
    for (std::int64_t b = 0; b < blocks; ++b) {
        // The rows interleave, which hides from the hardware that all of W is one stream.
        const std::uintptr_t ahead =
            reinterpret_cast<std::uintptr_t>(w) + b * Rows * block_bytes(type) + bytes_ahead;
        for (std::uintptr_t i = 0; i < Rows * block_bytes(type); i += 64)
            __builtin_prefetch(reinterpret_cast<const void*>(ahead + i));
        f32v in[block_vectors];
#pragma GCC unroll 8
        for (int i = 0; i < block_vectors; ++i) in[i] = load(x + b * block_elements + i * lanes);
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
            const std::byte* block = w + r * row_bytes + b * block_bytes(type);
            f32v n[block_vectors];
            load_numbers<type>(block, n);
            f32v part = n[0] * in[0];  // a chain of its own a block: blocks overlap
#pragma GCC unroll 8
            for (int i = 1; i < block_vectors; ++i) part = n[i] * in[i] + part;
            if constexpr (quantized(type))
                sums[r] = part * offsets[r].template add<type>(block, sums_x[b]) + sums[r];
            else
                sums[r] += part;
        }
    }
    for (int r = 0; r < Rows; ++r) {
        float total = sum(sums[r]);
        if constexpr (quantized(type)) total += offsets[r].template total<type>();
        for (std::int64_t c = blocks * block_elements; c < columns; ++c)
            total += decode_element<type>(w + r * row_bytes, c) * x[c];
        y[r] = total;
    }
}

// One row of W with `Batch` rows of x.
template <WeightType type, int Batch>
HEADSCOPE_INLINE void dot_batch(const std::byte* w, const float* x, std::int64_t x_stride,
                                std::int64_t columns, float* y) {
    f32v sums[Batch] = {};
    const std::int64_t blocks = columns / block_elements;
    for (std::int64_t b = 0; b < blocks; ++b) {
        f32v n[block_vectors];
        decode_block<type>(w + b * block_bytes(type), n);
#pragma GCC unroll 8
        for (int row = 0; row < Batch; ++row) {
            const float* in = x + row * x_stride + b * block_elements;
            f32v part = n[0] * load(in);
#pragma GCC unroll 8
            for (int i = 1; i < block_vectors; ++i) part = n[i] * load(in + i * lanes) + part;
            sums[row] += part;
        }
    }
    for (int row = 0; row < Batch; ++row) {
        y[row] = sum(sums[row]);
        for (std::int64_t c = blocks * block_elements; c < columns; ++c)
            y[row] += decode_element<type>(w, c) * x[row * x_stride + c];
    }
}

// Rows [begin, end) of weight `index`.
struct Piece {
    std::int64_t index, begin, end;
};

HEADSCOPE_INLINE void put(const GemvArgs& args, std::int64_t index, std::int64_t row,
                          std::int64_t batch, float value) {
    float* y = args.y[index] + batch * (args.y_stride == nullptr ? 0 : args.y_stride[index]) + row;
    if (args.bias != nullptr && args.bias[index] != nullptr) value += args.bias[index][row];
    *y = args.accumulate ? *y + value : value;
}

template <WeightType type>
void one_row_of_x(const GemvArgs& args, const Piece& piece, const float* sums_x) {
    const Weight& weight = args.weights[piece.index];
    std::int64_t r = piece.begin;
    float y[rows_together];
    for (; r + rows_together <= piece.end; r += rows_together) {
        dot_rows<type, rows_together>(weight.data + r * weight.row_bytes, weight.row_bytes, args.x,
                                      sums_x, weight.columns, y);
        for (int i = 0; i < rows_together; ++i) put(args, piece.index, r + i, 0, y[i]);
    }
    for (; r < piece.end; ++r) {
        dot_rows<type, 1>(weight.data + r * weight.row_bytes, weight.row_bytes, args.x, sums_x,
                          weight.columns, y);
        put(args, piece.index, r, 0, y[0]);
    }
}

template <WeightType type, int Batch>
void rows_of_x(const GemvArgs& args, const Piece& piece) {
    if constexpr (Batch > 1) {
        if (args.batch < Batch) return rows_of_x<type, Batch - 1>(args, piece);
    }
    const Weight& weight = args.weights[piece.index];
    for (std::int64_t r = piece.begin; r < piece.end; ++r) {
        float y[Batch];
        dot_batch<type, Batch>(weight.data + r * weight.row_bytes, args.x, args.x_stride,
                               weight.columns, y);
        for (int i = 0; i < Batch; ++i) put(args, piece.index, r, i, y[i]);
    }
}

// Rows of a type without a product of its own: each stretch of a row is decoded once for all rows
// of x.
void decoded_rows(const GemvArgs& args, const Piece& piece) {
    constexpr int most = 8;
    const Weight& weight = args.weights[piece.index];
    alignas(64) float stretch[stretch_elements];
    for (std::int64_t r = piece.begin; r < piece.end; ++r) {
        float y[most] = {};
        for (std::int64_t c = 0; c < weight.columns; c += stretch_elements) {
            const std::int64_t count = least(stretch_elements, weight.columns - c);
            decode_stretch(weight, r, c, count, stretch);
            for (std::int64_t row = 0; row < args.batch; ++row) {
                float part;
                dot_batch<WeightType::F32, 1>(reinterpret_cast<const std::byte*>(stretch),
                                              args.x + row * args.x_stride + c, 0, count, &part);
                y[row] += part;
            }
        }
        for (std::int64_t row = 0; row < args.batch; ++row) put(args, piece.index, r, row, y[row]);
    }
}

}  // namespace

void gemv(const GemvArgs& args, const Parallel& parallel) {
    std::int64_t bytes = 0, columns = 0;
    bool any_quantized = false;
    for (std::int64_t w = 0; w < args.weight_count; ++w) {
        bytes += args.weights[w].rows * args.weights[w].row_bytes;
        columns = args.weights[w].columns;
        any_quantized = any_quantized || quantized(args.weights[w].type);
    }
    const std::int64_t blocks = columns / block_elements;
    float sums_x[most_sums];
    const bool by_sums = args.batch == 1 && blocks <= most_sums;
    if (by_sums && any_quantized) {
        for (std::int64_t b = 0; b < blocks; ++b) {
            f32v total{};
            for (int i = 0; i < block_vectors; ++i)
                total += load(args.x + b * block_elements + i * lanes);
            sums_x[b] = sum(total);
        }
    }
    // Pieces of equal size in bytes, whole groups of rows, four a thread so that a late thread
    // costs little.
    const std::int64_t piece_bytes = greatest<std::int64_t>(
        16384, bytes / (4 * static_cast<std::int64_t>(greatest(parallel.threads, 1))));
    const auto rows_a_piece = [&](const Weight& weight) {
        const std::int64_t rows = piece_bytes / greatest<std::int64_t>(weight.row_bytes, 1);
        return greatest<std::int64_t>(rows_together,
                                      divide_up(rows, rows_together) * rows_together);
    };
    std::int64_t pieces = 0;
    for (std::int64_t w = 0; w < args.weight_count; ++w)
        pieces += divide_up(args.weights[w].rows, rows_a_piece(args.weights[w]));
    parallel.for_each(pieces, [&](std::int64_t task) {
        Piece piece{0, 0, 0};
        for (;; ++piece.index) {
            const std::int64_t own =
                divide_up(args.weights[piece.index].rows, rows_a_piece(args.weights[piece.index]));
            if (task < own) break;
            task -= own;
        }
        const Weight& weight = args.weights[piece.index];
        piece.begin = task * rows_a_piece(weight);
        piece.end = least(weight.rows, piece.begin + rows_a_piece(weight));
        if (is_decoded_first(weight.type)) return decoded_rows(args, piece);
        with_type(weight.type, [&](auto tag) {
            constexpr WeightType type = decltype(tag)::value;
            if (by_sums)
                one_row_of_x<type>(args, piece, sums_x);
            else
                rows_of_x<type, 8>(args, piece);
        });
    });
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
