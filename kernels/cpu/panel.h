// SPDX-License-Identifier: GPL-3.0-or-later
// The one product that attention, tiles and contributions share. Query rows are packed into panels
// [dim][width], so that the lanes of a vector are dest rows. Then
//   scores       st[key][lane] = Σ_d k[key][d] · panel[d][lane]     outer products: one broadcast
//   of k, Vectors loads weighted sum zt[d][lane]  += Σ_key v[key][d] · p[key][lane]     the same
//   shape, with k and v read where they lie
// so neither k nor v is ever transposed or copied, maxima and sums over keys are plain vector
// operations, and a mask is a comparison with the lane's position. What a register holds:
// `tile_rows` × `Vectors` sums.
#pragma once
#include "kernels/cpu/simd.h"

namespace kernels::cpu::HEADSCOPE_ISA {

#if defined(__AVX512F__)
template <int Vectors>
constexpr int tile_rows = Vectors == 2 ? 12 : 16;
#elif defined(__aarch64__)
template <int Vectors>
constexpr int tile_rows = Vectors == 2 ? 12 : 16;
#else
template <int Vectors>
constexpr int tile_rows = Vectors == 2 ? 6 : 12;
#endif

template <int Vectors>
constexpr int panel_width = Vectors* lanes;

// `count` ≤ width rows of `dim` elements, times scale, to [dim][width]; lanes without a row are
// zero.
template <int Vectors>
inline void pack_panel(const float* const* rows, int count, int dim, float scale, float* panel) {
    constexpr int width = panel_width<Vectors>;
    for (int first = 0; first < width; first += lanes) {
        int d = 0;
        for (; d + lanes <= dim; d += lanes) {
            f32v block[lanes];
            for (int i = 0; i < lanes; ++i)
                block[i] = first + i < count ? load(rows[first + i] + d) * scale : f32v{};
            transpose(block);
            for (int i = 0; i < lanes; ++i) store(panel + (d + i) * width + first, block[i]);
        }
        for (; d < dim; ++d)
            for (int i = 0; i < lanes; ++i)
                panel[d * width + first + i] =
                    first + i < count ? rows[first + i][d] * scale : 0.0f;
    }
}

// The way back: lane `lane` of [dim][width], times factor[lane], to rows[lane].
template <int Vectors>
inline void unpack_panel(const float* panel, int count, int dim, const float* factor,
                         float* const* rows) {
    constexpr int width = panel_width<Vectors>;
    for (int first = 0; first < count; first += lanes) {
        const f32v factors = load(factor + first);
        const int valid = least(lanes, count - first);
        int d = 0;
        for (; d + lanes <= dim; d += lanes) {
            f32v block[lanes];
            for (int i = 0; i < lanes; ++i)
                block[i] = load(panel + (d + i) * width + first) * factors;
            transpose(block);
            for (int i = 0; i < valid; ++i) store(rows[first + i] + d, block[i]);
        }
        for (; d < dim; ++d)
            for (int i = 0; i < valid; ++i)
                rows[first + i][d] = panel[d * width + first + i] * factor[first + i];
    }
}

template <int Rows, int Vectors>
HEADSCOPE_INLINE void score_tile(const float* const* keys, const float* panel, int dim, float* st) {
    constexpr int width = panel_width<Vectors>;
    const float* key[Rows];
    f32v sums[Rows][Vectors];
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
        key[r] = keys[r];
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) sums[r][v] = f32v{};
    }
    for (std::int64_t d = 0; d < dim; ++d, panel += width) {
        f32v q[Vectors];
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) q[v] = load(panel + v * lanes);
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
            const f32v k = splat(key[r][d]);
#pragma GCC unroll 2
            for (int v = 0; v < Vectors; ++v) sums[r][v] = fused(k, q[v], sums[r][v]);
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) store(st + r * width + v * lanes, sums[r][v]);
}

template <int Rows, int Vectors>
HEADSCOPE_INLINE void score_rest(int rows, const float* const* keys, const float* panel, int dim,
                                 float* st) {
    if constexpr (Rows > 0) {
        if (rows == Rows) return score_tile<Rows, Vectors>(keys, panel, dim, st);
        score_rest<Rows - 1, Vectors>(rows, keys, panel, dim, st);
    }
}

// st [count][width] of `count` keys.
template <int Vectors>
inline void score_panel(const float* const* keys, int count, const float* panel, int dim,
                        float* st) {
    constexpr int rows = tile_rows<Vectors>;
    int k = 0;
    for (; k + rows <= count; k += rows)
        score_tile<rows, Vectors>(keys + k, panel, dim, st + k * panel_width<Vectors>);
    score_rest<rows - 1, Vectors>(count - k, keys + k, panel, dim, st + k * panel_width<Vectors>);
}

template <int Rows, int Vectors>
HEADSCOPE_INLINE void weigh_tile(const float* const* values, std::int64_t d, int count,
                                 const float* p, const f32v (&factor)[Vectors], float* zt) {
    constexpr int width = panel_width<Vectors>;
    f32v sums[Rows][Vectors];
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) sums[r][v] = load(zt + r * width + v * lanes) * factor[v];
    for (int k = 0; k < count; ++k, p += width) {
        const float* value = values[k] + d;
        f32v weight[Vectors];
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) weight[v] = load(p + v * lanes);
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
            const f32v x = splat(value[r]);
#pragma GCC unroll 2
            for (int v = 0; v < Vectors; ++v) sums[r][v] = fused(x, weight[v], sums[r][v]);
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) store(zt + r * width + v * lanes, sums[r][v]);
}

template <int Rows, int Vectors>
HEADSCOPE_INLINE void weigh_rest(int rows, const float* const* values, std::int64_t d, int count,
                                 const float* p, const f32v (&factor)[Vectors], float* zt) {
    if constexpr (Rows > 0) {
        if (rows == Rows) return weigh_tile<Rows, Vectors>(values, d, count, p, factor, zt);
        weigh_rest<Rows - 1, Vectors>(rows, values, d, count, p, factor, zt);
    }
}

// zt [dim][width] = zt · factor + Σ over `count` keys of v · p, p [count][width].
template <int Vectors>
inline void weigh_panel(const float* const* values, int count, const float* p, int dim,
                        const f32v (&factor)[Vectors], float* zt) {
    constexpr int rows = tile_rows<Vectors>, width = panel_width<Vectors>;
    int d = 0;
    for (; d + rows <= dim; d += rows)
        weigh_tile<rows, Vectors>(values, d, count, p, factor, zt + d * width);
    weigh_rest<rows - 1, Vectors>(dim - d, values, d, count, p, factor, zt + d * width);
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
