// SPDX-License-Identifier: GPL-3.0-or-later
// Products of a strip to what its src pixels pool, row by row and then over the rows of a slab.
#pragma once
#include "kernels/cuda/hopper_wide.cuh"
#include "kernels/cuda/tile_item.cuh"

namespace kernels::cuda::strips {

enum class Way { Max, Sum };

constexpr int slab_rows = 8, slabs = wide_rows / slab_rows;

// Values of `Count` pixels, each over all lanes: every step halves what a lane still has to
// combine. Lane p · 32 / Count ends with pixel p.
template <Way way>
__device__ inline float combined(float a, float b) {
    return way == Way::Sum ? a + b : fmaxf(a, b);
}
// Not a loop over what is left: of 16 values the compiler would keep them in memory.
template <Way way, int Left = 0, int Step = 16, int Count>
__device__ inline float over_lanes(float (&x)[Count]) {
    constexpr int left = Left > 0 ? Left : Count;  // values that a lane still has
    if constexpr (Step == 0) return x[0];
    if constexpr (left > 1) {
        const bool upper = (threadIdx.x & Step) != 0;
#pragma unroll
        for (int i = 0; i < left / 2; ++i) {
            // By value: a choice between the places themselves would put x into memory.
            const float low = x[i], high = x[i + left / 2];
            const float kept = upper ? high : low, given = upper ? low : high;
            x[i] = combined<way>(kept, __shfl_xor_sync(0xffffffffu, given, Step));
        }
        return over_lanes<way, left / 2, Step / 2>(x);
    } else if constexpr (Step > 0) {
        x[0] = combined<way>(x[0], __shfl_xor_sync(0xffffffffu, x[0], Step));
        return over_lanes<way, 1, Step / 2>(x);
    }
}

// 64 of a strip's query rows. Eights: of keys, of a src pixel in a tile; with 16 of them a
// pixel goes over one tile or several, and what it has so far stays in registers.
template <Way way, int Eights>
struct Half {
    static constexpr int count = 16 / Eights;
    static constexpr float nothing = way == Way::Sum ? 0 : no_score;
    float best[2], lse[2];   // of a sum as an exponent of 2
    std::int32_t row, edge;  // of this lane, the other at + 8; end of the pixel at hand
    int pixel, slab;         // slab of this warp's first eight rows
    bool there[2];

    __device__ void start(const TileArgs& args, const TileHead& head, const WideShape& shape,
                          std::int32_t begin, std::int32_t base, std::int32_t limit,
                          std::int32_t first) {
        const int warp = static_cast<int>(threadIdx.x / 32 % 4),
                  lane = static_cast<int>(threadIdx.x % 32);
        row = base + warp * 16 + lane / 4;
        slab = (base - begin) / slab_rows + warp * 2;
        pixel = (first - shape.first) / shape.step;
        edge = shape.first + (pixel + 1) * shape.step;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            there[half] = row + 8 * half < limit;
            lse[half] =
                there[half] && !args.raw ? *lse_at(head.trace, head.head, row + 8 * half) : 0;
            // A row that is not there adds 2^−∞.
            if (way == Way::Sum) lse[half] = there[half] ? lse[half] * log2_of_e : -no_score;
            best[half] = nothing;
        }
    }

    // s is only read: the unit is not to see it change while products are under way.
    __device__ void pool(const WideCells& s, const ScoreRule& rule, const WideShape& shape,
                         std::int32_t base, std::int32_t key, std::int32_t last, int pixels,
                         float* pooled, int stride) {
        if (key + wide_keys - 1 > base || key + wide_keys > last ||
            (shape.window > 0 && key <= base + 63 - shape.window))
            take<true>(s, rule, shape, key, last, pixels, pooled, stride);
        else
            take<false>(s, rule, shape, key, last, pixels, pooled, stride);
    }
    // The pixel at hand is done, if it is one.
    __device__ void end(const ScoreRule& rule, int pixels, float* pooled, int stride) {
        float x[1][2] = {{best[0], best[1]}};
        write<1>(x, rule, pixels, pooled, stride);
        best[0] = best[1] = nothing;
        ++pixel;
    }

  private:
    template <bool Masked>
    __device__ void take(const WideCells& s, const ScoreRule& rule, const WideShape& shape,
                         std::int32_t key, std::int32_t last, int pixels, float* pooled,
                         int stride) {
        const std::int32_t low = key + static_cast<std::int32_t>(threadIdx.x % 4 * 2);
        const float slope = rule.scale * log2_of_e;
        float x[count][2];
#pragma unroll
        for (int j = 0; j < 16; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                float value =
                    way == Way::Max ? s[j][e] : power_of_2(fmaf(s[j][e], slope, -lse[e / 2]));
                const std::int32_t src = low + 8 * j + e % 2;
                if (Masked && (src >= last || !visible(row + e / 2 * 8, src, shape.window)))
                    value = nothing;
                float& to = x[j / Eights][e / 2];
                to = j % Eights == 0 && e % 2 == 0 ? value : combined<way>(to, value);
            }
        if constexpr (count == 1) {
            best[0] = combined<way>(best[0], x[0][0]);
            best[1] = combined<way>(best[1], x[0][1]);
            if (edge != key + wide_keys) return;
            edge += shape.step;
            end(rule, pixels, pooled, stride);
        } else {
            write<count>(x, rule, pixels, pooled, stride);
            pixel += count;
        }
    }
    template <int Count>
    __device__ void write(const float (&values)[Count][2], const ScoreRule& rule, int pixels,
                          float* pooled, int stride) const {
        constexpr int lanes = 32 / Count;
        const int lane = static_cast<int>(threadIdx.x % 32), at = pixel + lane / lanes;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float x[Count];
#pragma unroll
            for (int i = 0; i < Count; ++i) {
                x[i] = way == Way::Max ? fmaf(values[i][half], rule.scale, -lse[half])
                                       : values[i][half];
                if (!there[half]) x[i] = nothing;  // its queries may be anything
            }
            const float all = over_lanes<way>(x);
            if (lane % lanes == 0 && at < pixels) pooled[(slab + half) * stride + at] = all;
        }
    }
};

}  // namespace kernels::cuda::strips
