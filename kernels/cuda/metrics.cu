// SPDX-License-Identifier: GPL-3.0-or-later
// The head table: every visible cell once. A block measures one head's strip of 64 rows; a second
// kernel adds a head's strips in fp64, always in the same order.
#include "kernels/cuda/hopper_tile.cuh"
#include "kernels/cuda/pattern.h"

namespace kernels::cuda {

namespace {

constexpr float infinity = __builtin_huge_valf();

// The sums of MetricsHead, in its order.
enum Sum { Mass, Sink, Entropy, Distance, Previous, Duplicate, Induction, sum_count };

struct Measured {
    double sums[sum_count] = {};
    float lowest = infinity, highest = -infinity;  // scores
    float highest_log_p = -infinity;               // of keys behind the first
    float unused = 0;
};

__host__ __device__ inline std::int64_t strips_of(const MetricsArgs& args) {
    return args.end <= args.begin ? 0 : (args.end - args.begin + strip_rows - 1) / strip_rows;
}

// What one lane has seen of its two rows, dest and dest + 8. The greatest probability of a row is
// that of its greatest score; entropies are in bits until the end.
struct Lane {
    float sums[sum_count][2] = {};
    float first[2] = {-infinity, -infinity};  // the scores of key 0
    float highest[2] = {-infinity, -infinity}, lowest = infinity;
    std::int32_t dest, limit, token[2];

    __device__ Lane(const std::int32_t* tokens, std::int32_t dest_, std::int32_t limit_)
        : dest(dest_), limit(limit_) {
#pragma unroll
        for (int half = 0; half < 2; ++half)
            token[half] = dest + 8 * half < limit ? tokens[dest + 8 * half] : -1;
    }

    // s: scores of the block at `key`. In an `Edge` block some cells may not be visible or belong
    // to no row, and some may be a row's own, the one before or key 0; in others none is. Forbids:
    // a score of −inf is one that the run forbids. offset: lse as a power of 2.
    template <bool Edge, bool Forbids>
    __device__ void take(const Cells& s, const float (&offset)[2], std::int32_t window,
                         std::int32_t key, const std::int32_t* tokens) {
        float mass[2] = {0, 0}, moment[2] = {0, 0};
        const std::int32_t from = key + lane_key();
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const std::int32_t at = from + 8 * j;
            if (Edge && at >= limit) continue;
            const std::int32_t behind[3] = {Edge && at == 0 ? -1 : tokens[at - 1], tokens[at],
                                            Edge && at + 1 >= limit ? -1 : tokens[at + 1]};
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int half = e / 2;
                const std::int32_t row = dest + half * 8, src = at + e % 2;
                if (Edge && (row >= limit || !visible(row, src, window))) continue;
                if (Forbids && s[j][e] == -infinity) continue;
                const float x = fmaf(s[j][e], log2_of_e, -offset[half]), p = power_of_2(x);
                mass[half] += p;
                moment[half] = fmaf(p, static_cast<float>(8 * j + e % 2), moment[half]);
                sums[Entropy][half] = fmaf(-p, x, sums[Entropy][half]);
                if (behind[e % 2] == token[half]) sums[Induction][half] += p;
                if (behind[e % 2 + 1] == token[half] && !(Edge && src == row))
                    sums[Duplicate][half] += p;
                if (Edge && src == row - 1) sums[Previous][half] = p;
                lowest = fminf(lowest, s[j][e]);
                if (Edge && src == 0)
                    sums[Sink][half] = p, first[half] = s[j][e];
                else
                    highest[half] = fmaxf(highest[half], s[j][e]);
            }
        }
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            sums[Mass][half] += mass[half];
            sums[Distance][half] +=
                fmaf(mass[half], static_cast<float>(dest + 8 * half - from), -moment[half]);
        }
    }
};

template <typename Tile, bool Forbids>
__global__ void __launch_bounds__(tile_threads) measure_kernel(MetricsArgs args) {
    using T = typename Tile::Element;
    extern __shared__ __align__(16) std::byte shared[];
    __shared__ float sums[sum_count][strip_rows], extremes[strip_rows][3];
    __shared__ double totals[sum_count];
    const MetricsHead& head = args.heads[blockIdx.y];
    const TraceView trace = head.trace;
    const ScoreRule rule = head.rule;
    const std::int32_t kv_head = head.head / (trace.query_heads / trace.kv_heads);
    const std::int64_t strip = gridDim.x - 1 - blockIdx.x;  // those that see most go first
    const auto begin = static_cast<std::int32_t>(args.begin + strip * strip_rows);
    const std::int32_t limit = min(static_cast<std::int32_t>(args.end), begin + strip_rows);
    const std::int32_t window = rule.window, dest = begin + lane_row();
    Tile tile(shared, args.head_dim);
    const Rows<T> keys(trace, trace.k_offset, kv_head);
    const std::int32_t first = window > 0 ? max(0, begin - window + 1) : 0;
    tile.queries(Rows<T>(trace, trace.q_offset, head.head), begin, limit);
    tile.keys(keys, first, limit);
    float lse[2], offset[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        lse[half] = dest + 8 * half < limit ? *lse_at(trace, head.head, dest + 8 * half) : 0;
        offset[half] = lse[half] * log2_of_e;
    }
    Lane lane(args.tokens, dest, limit);
    for (std::int32_t key = first; key < limit; key += block_keys) {
        Cells s;
        tile.next(s, keys, key + block_keys, limit);
        scores_of(s, rule);
        if constexpr (Forbids) {
            forbid(s, rule.forbidden, head.head, dest, key, -infinity);
            lane.template take<true, true>(s, offset, window, key, args.tokens);
        } else {
            const bool edge = key == 0 || key + block_keys >= begin || limit - begin < strip_rows ||
                              (window > 0 && key <= limit - 1 - window);
            if (edge)
                lane.template take<true, false>(s, offset, window, key, args.tokens);
            else
                lane.template take<false, false>(s, offset, window, key, args.tokens);
        }
    }
    await_copies<0>();
    const float lowest = quad_min(lane.lowest);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int row = lane_row() + 8 * half;
        const float later = quad_max(lane.highest[half]), first = quad_max(lane.first[half]);
#pragma unroll
        for (int sum = 0; sum < sum_count; ++sum) {
            const float of_row = quad_sum(lane.sums[sum][half]);
            if (lane_key() == 0) sums[sum][row] = sum == Entropy ? of_row / log2_of_e : of_row;
        }
        if (lane_key() != 0) continue;
        extremes[row][0] = lowest, extremes[row][1] = fmaxf(later, first);
        extremes[row][2] = later - lse[half];
    }
    __syncthreads();
    if (threadIdx.x < sum_count) {
        double total = 0;
        for (int row = 0; row < strip_rows; ++row)
            total += static_cast<double>(sums[threadIdx.x][row]);
        totals[threadIdx.x] = total;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    Measured all;
    for (int sum = 0; sum < sum_count; ++sum) all.sums[sum] = totals[sum];
    for (int row = 0; row < strip_rows; ++row) {
        all.lowest = fminf(all.lowest, extremes[row][0]);
        all.highest = fmaxf(all.highest, extremes[row][1]);
        all.highest_log_p = fmaxf(all.highest_log_p, extremes[row][2]);
    }
    static_cast<Measured*>(
        args.scratch)[blockIdx.y * static_cast<std::int64_t>(gridDim.x) + strip] = all;
}

// A warp a head.
__global__ void __launch_bounds__(32) add_kernel(MetricsArgs args) {
    const std::int64_t strips = strips_of(args);
    const auto* from = static_cast<const Measured*>(args.scratch) + blockIdx.x * strips;
    Measured all;
    for (std::int64_t i = threadIdx.x; i < strips; i += 32) {
#pragma unroll
        for (int sum = 0; sum < sum_count; ++sum) all.sums[sum] += from[i].sums[sum];
        all.lowest = fminf(all.lowest, from[i].lowest);
        all.highest = fmaxf(all.highest, from[i].highest);
        all.highest_log_p = fmaxf(all.highest_log_p, from[i].highest_log_p);
    }
    for (int step = 16; step > 0; step /= 2) {
#pragma unroll
        for (int sum = 0; sum < sum_count; ++sum)
            all.sums[sum] += __shfl_down_sync(0xffffffffu, all.sums[sum], step);
        all.lowest = fminf(all.lowest, __shfl_down_sync(0xffffffffu, all.lowest, step));
        all.highest = fmaxf(all.highest, __shfl_down_sync(0xffffffffu, all.highest, step));
        all.highest_log_p =
            fmaxf(all.highest_log_p, __shfl_down_sync(0xffffffffu, all.highest_log_p, step));
    }
    if (threadIdx.x != 0) return;
    MetricsHead& head = args.heads[blockIdx.x];
    head.mass_sum = all.sums[Mass];
    head.sink_sum = all.sums[Sink];
    head.entropy_sum = all.sums[Entropy];
    head.distance_sum = all.sums[Distance];
    head.previous_sum = all.sums[Previous];
    head.duplicate_sum = all.sums[Duplicate];
    head.induction_sum = all.sums[Induction];
    head.max_pattern = strips == 0 ? 0 : power_of_e(all.highest_log_p);
    head.min_score = strips == 0 ? 0 : all.lowest;
    head.max_score = strips == 0 ? 0 : all.highest;
}

}  // namespace

std::int64_t metrics_scratch(const MetricsArgs& args) {
    return args.head_count * strips_of(args) * static_cast<std::int64_t>(sizeof(Measured));
}

void metrics(const MetricsArgs& args, cudaStream_t stream) {
    if (args.head_count <= 0) return;
    const auto heads = static_cast<unsigned>(args.head_count);
    const std::int64_t strips = strips_of(args);
    const auto run = [&](auto kernel, std::int64_t bytes) {
        allow_shared(kernel, bytes, "metrics");
        kernel<<<dim3(static_cast<unsigned>(strips), heads), tile_threads,
                 static_cast<std::size_t>(bytes), stream>>>(args);
        check_launch("metrics");
    };
    if (strips > 0)
        with_element(args.element, [&](auto t) {
            using T = decltype(t);
            const std::int64_t bytes = ScoreTile<T>::bytes(args.head_dim);
            if (args.forbids) return run(measure_kernel<ScoreTile<T>, true>, bytes);
            if constexpr (sizeof(T) == 2) {
                using Wide = HopperTile<T, 128>;
                if (args.head_dim == 128 && has_hopper_code(measure_kernel<Wide, false>))
                    return run(measure_kernel<Wide, false>, Wide::bytes(128));
            }
            run(measure_kernel<ScoreTile<T>, false>, bytes);
        });
    add_kernel<<<heads, 32, 0, stream>>>(args);
    check_launch("metrics");
}

}  // namespace kernels::cuda
