// SPDX-License-Identifier: GPL-3.0-or-later
// The head table: every visible cell once, sums in fp64 over the rows.
#include "kernels/pattern.h"

#include "kernels/cpu/softmax_state.h"
#include "kernels/cpu/trace_rows.h"
#include "kernels/cpu/work.h"

namespace kernels::cpu::HEADSCOPE_ISA {

namespace {

constexpr int key_block = 48, strip_lanes = 128, panel_floats = 32768;
constexpr int width = 2 * lanes;

// Of the lanes of a strip.
struct Lanes {
    float q[panel_floats];
    float st[key_block * width];
    float lse[strip_lanes], entropy[strip_lanes], sink[strip_lanes];
    float highest[strip_lanes], lowest[strip_lanes];  // scores
    float highest_later[strip_lanes];                 // of keys behind the first
    std::int32_t dest[strip_lanes];
};

void start(const MetricsHead& head, std::int64_t begin, std::int64_t end, Lanes& memory) {
    const TraceView& trace = head.trace;
    for (std::int64_t first = begin; first < end; first += width) {
        const int count = static_cast<int>(least<std::int64_t>(width, end - first));
        const float* rows[width];
        row_pointers(trace, trace.q_offset, head.head, first, first + count, rows);
        pack_panel<2>(rows, count, trace.head_dim, head.rule.scale,
                      memory.q + (first - begin) * trace.head_dim);
        for (int i = 0; i < count; ++i) {
            const float value = *lse_pointer(trace, head.head, first + i);
            memory.lse[first - begin + i] = value == -infinity ? 0.0f : value;  // no cells
        }
        for (int i = count; i < width; ++i) memory.lse[first - begin + i] = 0;
    }
    for (int i = 0; i < strip_lanes; ++i) {
        memory.entropy[i] = memory.sink[i] = 0;
        memory.highest[i] = memory.highest_later[i] = -infinity;
        memory.lowest[i] = infinity;
        memory.dest[i] = i;
    }
}

// st holds −inf where a lane does not see a key; those add nothing.
void take_block(std::int64_t first_key, int keys, std::int64_t panel, Lanes& memory) {
    for (int v = 0; v < 2; ++v) {
        const std::int64_t at = panel * width + v * lanes;
        const f32v lse = load(memory.lse + at);
        f32v entropy{}, highest = load(memory.highest + at), lowest = load(memory.lowest + at);
        f32v later = load(memory.highest_later + at);
        for (int k = 0; k < keys; ++k) {
            const f32v s = load(memory.st + k * width + v * lanes);
            const f32v log_p = s - lse, p = exp(log_p);
            if (first_key + k == 0) store(memory.sink + at, p);
            entropy -= p > 0.0f ? p * log_p : f32v{};
            highest = max(highest, s);
            lowest = min(lowest, s == -infinity ? splat(infinity) : s);
            if (first_key + k > 0) later = max(later, s);
        }
        store(memory.entropy + at, load(memory.entropy + at) + entropy);
        store(memory.highest + at, highest);
        store(memory.lowest + at, lowest);
        store(memory.highest_later + at, later);
    }
}

void measure_strip(MetricsHead& head, std::int64_t begin, std::int64_t end, float& lowest,
                   float& highest, float& highest_log_p) {
    Lanes memory;
    start(head, begin, end, memory);
    const TraceView& trace = head.trace;
    const std::int32_t window = head.rule.window,
                       kv_head = head.head / (trace.query_heads / trace.kv_heads);
    const float* keys[key_block];
    for (std::int64_t block = window > 0 ? greatest<std::int64_t>(0, begin - window + 1) : 0;
         block < end; block += key_block) {
        const std::int64_t block_end = least(end, block + key_block);
        row_pointers(trace, trace.k_offset, kv_head, block, block_end, keys);
        for (std::int64_t panel = 0; begin + panel * width < end; ++panel) {
            const std::int64_t low = begin + panel * width, high = least(end, low + width) - 1;
            const std::int64_t first = window > 0 ? greatest(block, low - window + 1) : block;
            const std::int64_t last = least(block_end, high + 1);
            if (first >= last) continue;
            const int count = static_cast<int>(last - first);
            score_panel<2>(keys + (first - block), count, memory.q + panel * width * trace.head_dim,
                           trace.head_dim, memory.st);
            if (head.rule.soft_cap > 0) cap_block<2>(memory.st, count, head.rule.soft_cap);
            if (last > low + 1 || (window > 0 && first <= high - window))
                mask_block<2>(memory.st, static_cast<std::int32_t>(first - begin), count,
                              memory.dest + panel * width, window);
            if (head.rule.forbidden.count > 0)
                forbid_block<2>(head.rule.forbidden, memory.st, first, count,
                                static_cast<int>(high + 1 - low), [&](int i) {
                                    return LaneAt{head.head, low + i};
                                });
            take_block(first, count, panel, memory);
        }
    }
    for (std::int64_t i = 0; i < end - begin; ++i) {
        head.sink_sum += static_cast<double>(memory.sink[i]);
        head.entropy_sum += static_cast<double>(memory.entropy[i]);
        lowest = memory.lowest[i] < lowest ? memory.lowest[i] : lowest;
        highest = memory.highest[i] > highest ? memory.highest[i] : highest;
        const float log_p = memory.highest_later[i] - memory.lse[i];
        highest_log_p = log_p > highest_log_p ? log_p : highest_log_p;
    }
}

}  // namespace

void metrics(MetricsHead* heads, std::int64_t head_count, std::int64_t begin, std::int64_t end,
             const bool* stop, const Parallel& parallel) {
    parallel.for_each(head_count, [&](std::int64_t index) {
        MetricsHead& head = heads[index];
        head.sink_sum = head.entropy_sum = 0;
        head.max_pattern = head.min_score = head.max_score = 0;
        float lowest = infinity, highest = -infinity, highest_log_p = -infinity;
        const std::int64_t fit =
            least(strip_lanes, panel_floats / head.trace.head_dim) / width * width;
        for (std::int64_t row = begin; row < end; row += fit) {
            if (stop != nullptr && __atomic_load_n(stop, __ATOMIC_RELAXED)) return;
            measure_strip(head, row, least(end, row + fit), lowest, highest, highest_log_p);
        }
        if (begin >= end) return;
        head.min_score = lowest;
        head.max_score = highest;
        head.max_pattern = __builtin_expf(highest_log_p);
    });
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
