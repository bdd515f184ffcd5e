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
    float lse[strip_lanes];
    float mass[strip_lanes], sink[strip_lanes], entropy[strip_lanes], distance[strip_lanes];
    float previous[strip_lanes], duplicate[strip_lanes], induction[strip_lanes];
    float lowest[strip_lanes];                               // scores
    float highest_first[strip_lanes], highest[strip_lanes];  // of the first key, of the others
    std::int32_t dest[strip_lanes], token[strip_lanes];
};

void start(const MetricsHead& head, const std::int32_t* tokens, std::int64_t begin,
           std::int64_t end, Lanes& memory) {
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
            memory.token[first - begin + i] = tokens[first + i];
        }
        for (int i = count; i < width; ++i) {
            memory.lse[first - begin + i] = 0;
            memory.token[first - begin + i] = -1;
        }
    }
    for (int i = 0; i < strip_lanes; ++i) {
        memory.mass[i] = memory.sink[i] = memory.entropy[i] = memory.distance[i] = 0;
        memory.previous[i] = memory.duplicate[i] = memory.induction[i] = 0;
        memory.highest_first[i] = memory.highest[i] = -infinity;
        memory.lowest[i] = infinity;
        memory.dest[i] = i;
    }
}

HEADSCOPE_INLINE void add(float* to, f32v by) {
    store(to, load(to) + by);
}

// Keys [first, first + count) of a strip at `begin`; st are their scores, −inf where a lane does
// not see a key, which only an `Edge` block has. One that is none lies before every lane's previous
// key, and none of it is hidden or forbidden.
template <bool Edge>
void take_block(const float* st, std::int64_t first, int count, std::int64_t begin,
                const std::int32_t* tokens, std::int64_t panel, float* highest_of, Lanes& memory) {
    for (int v = 0; v < 2; ++v) {
        const std::int64_t at = panel * width + v * lanes;
        const f32v lse = load(memory.lse + at);
        const i32v token = load_bytes<i32v>(memory.token + at),
                   dest = load_bytes<i32v>(memory.dest + at);
        const auto origin = static_cast<std::int32_t>(first - begin);
        f32v mass{}, masses{}, entropy{}, previous{}, duplicate{}, induction{};
        f32v highest = load(highest_of + at), lowest = load(memory.lowest + at);
        i32v before = token == splat(first > 0 ? tokens[first - 1] : -1);
        for (int k = 0; k < count; ++k) {
            const f32v s = load(st + k * width + v * lanes);
            const f32v log_p = s - lse, p = exp(log_p);
            i32v same = token == splat(tokens[first + k]);
            mass += p;
            masses += mass;  // Σ p · (count − k) in the end
            induction += before ? p : f32v{};
            before = same;
            highest = max(highest, s);
            if constexpr (Edge) {
                const i32v key = splat(origin + k);
                entropy -= p > 0.0f ? p * log_p : f32v{};
                lowest = min(lowest, s == -infinity ? splat(infinity) : s);
                same &= key < dest;
                previous += key == dest - 1 ? p : f32v{};
            } else {
                entropy -= p * log_p;
                lowest = min(lowest, s);
            }
            duplicate += same ? p : f32v{};
        }
        add(memory.mass + at, mass);
        add(memory.entropy + at, entropy);
        add(memory.distance + at, mass * to_float(dest - (origin + count)) + masses);
        add(memory.duplicate + at, duplicate);
        add(memory.induction + at, induction);
        if constexpr (Edge) add(memory.previous + at, previous);
        store(highest_of + at, highest);
        store(memory.lowest + at, lowest);
    }
}

// The scores of a panel and `count` keys, in memory.st.
void take_scores(std::int64_t first, int count, bool edge, std::int64_t begin,
                 const std::int32_t* tokens, std::int64_t panel, Lanes& memory) {
    const float* st = memory.st;
    if (first == 0) {
        take_block<true>(st, 0, 1, begin, tokens, panel, memory.highest_first, memory);
        for (std::int64_t i = panel * width; i < (panel + 1) * width; ++i)
            memory.sink[i] = memory.mass[i];
        st += width;
        ++first;
        --count;
    }
    if (edge)
        take_block<true>(st, first, count, begin, tokens, panel, memory.highest, memory);
    else
        take_block<false>(st, first, count, begin, tokens, panel, memory.highest, memory);
}

struct Extremes {
    float lowest = infinity, highest = -infinity;  // scores
    float highest_log_p = -infinity;               // of keys behind the first
};

void measure_strip(MetricsHead& head, const std::int32_t* tokens, std::int64_t begin,
                   std::int64_t end, Extremes& extremes) {
    Lanes memory;
    start(head, tokens, begin, end, memory);
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
            const bool hides = window > 0 && first <= high - window;
            if (last > low + 1 || hides)
                mask_block<2>(memory.st, static_cast<std::int32_t>(first - begin), count,
                              memory.dest + panel * width, window);
            const bool forbids = head.rule.forbidden.count > 0;
            if (forbids)
                forbid_block<2>(head.rule.forbidden, memory.st, first, count,
                                static_cast<int>(high + 1 - low), [&](int i) {
                                    return LaneAt{head.head, low + i};
                                });
            take_scores(first, count, last >= low || hides || forbids, begin, tokens, panel,
                        memory);
        }
    }
    for (std::int64_t i = 0; i < end - begin; ++i) {
        const auto sum = [i](double& to, const float* from) { to += static_cast<double>(from[i]); };
        sum(head.mass_sum, memory.mass);
        sum(head.sink_sum, memory.sink);
        sum(head.entropy_sum, memory.entropy);
        sum(head.distance_sum, memory.distance);
        sum(head.previous_sum, memory.previous);
        sum(head.duplicate_sum, memory.duplicate);
        sum(head.induction_sum, memory.induction);
        extremes.lowest = least(extremes.lowest, memory.lowest[i]);
        extremes.highest =
            greatest(extremes.highest, greatest(memory.highest_first[i], memory.highest[i]));
        extremes.highest_log_p =
            greatest(extremes.highest_log_p, memory.highest[i] - memory.lse[i]);
    }
}

}  // namespace

void metrics(const MetricsArgs& args, const Parallel& parallel) {
    parallel.for_each(args.head_count, [&](std::int64_t index) {
        MetricsHead& head = args.heads[index];
        head.mass_sum = head.sink_sum = head.entropy_sum = head.distance_sum = 0;
        head.previous_sum = head.duplicate_sum = head.induction_sum = 0;
        head.max_pattern = head.min_score = head.max_score = 0;
        Extremes extremes;
        const std::int64_t fit =
            least(strip_lanes, panel_floats / head.trace.head_dim) / width * width;
        for (std::int64_t row = args.begin; row < args.end; row += fit) {
            if (args.stop != nullptr && __atomic_load_n(args.stop, __ATOMIC_RELAXED)) return;
            measure_strip(head, args.tokens, row, least(args.end, row + fit), extremes);
        }
        if (args.begin >= args.end) return;
        head.min_score = extremes.lowest;
        head.max_score = extremes.highest;
        head.max_pattern = __builtin_expf(extremes.highest_log_p);
    });
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
