// SPDX-License-Identifier: GPL-3.0-or-later
// A task is a strip of dest rows of one KV head, with all the query heads that share it: lane r of the strip is dest row
// r / group, head r % group, so that k and v are read once for all of them. Where the strips are too few for the threads
// (a decode step), keys are split into ranges whose states are merged.
#include "kernels/attention.h"

#include "kernels/cpu/softmax_state.h"
#include "kernels/cpu/trace_rows.h"
#include "kernels/cpu/work.h"

namespace kernels::cpu::HEADSCOPE_ISA {

namespace {

constexpr int key_block = 48;     // a multiple of every tile_rows; k, v, panel and scores of a block fit the L1 cache
constexpr int strip_lanes = 192;  // rows that share one walk over the keys; their q and z fit the L2 cache
constexpr std::int64_t least_split = 256;  // keys; below, a split costs more than it saves

struct Plan {
    std::int64_t rows = 0;         // dest rows of the chunk
    std::int64_t strip_rows = 1;   // dest rows a strip
    std::int64_t strips = 0;
    std::int64_t splits = 1;       // key ranges a strip
    bool narrow = false;           // one vector a panel holds the strip
    int width = 0;
    std::int64_t panels = 0;       // a strip
    std::int64_t state = 0;        // floats of a strip's m, l and zt
    std::int64_t worker = 0;       // floats of a worker: q panels, scores, and where nothing is split the state
};

Plan plan_of(const AttendArgs& args, int threads) {
    const TraceView& trace = args.trace;
    const std::int64_t group = trace.query_heads / trace.kv_heads, dim = trace.head_dim;
    Plan plan;
    plan.rows = args.end - args.begin;
    if (plan.rows <= 0) return plan;
    const std::int64_t fit = least<std::int64_t>(strip_lanes, greatest<std::int64_t>(24576 / dim, 2 * lanes));
    const std::int64_t fair = divide_up(plan.rows * trace.kv_heads, 4 * static_cast<std::int64_t>(greatest(threads, 1)));
    const std::int64_t smallest = divide_up(2 * lanes, group);  // a full panel
    plan.strip_rows = greatest<std::int64_t>(1, least(fit / group, greatest(fair, smallest)));
    plan.strip_rows = least(plan.strip_rows, plan.rows);
    plan.strips = divide_up(plan.rows, plan.strip_rows);
    plan.narrow = plan.strip_rows * group <= lanes;
    plan.width = plan.narrow ? lanes : 2 * lanes;
    plan.panels = divide_up(plan.strip_rows * group, plan.width);
    if (plan.strips == 1 && threads > 1) {
        std::int64_t keys = args.end;
        if (args.rule.window > 0) keys = least<std::int64_t>(keys, args.rule.window + plan.rows);
        const std::int64_t wanted = divide_up(4 * static_cast<std::int64_t>(threads), trace.kv_heads);
        plan.splits = greatest<std::int64_t>(1, least(wanted, keys / least_split));
    }
    plan.state = plan.panels * plan.width * (dim + 2);
    plan.worker = plan.panels * plan.width * dim + key_block * plan.width;
    if (plan.splits == 1) plan.worker += plan.state;
    return plan;
}

struct Strip {
    std::int64_t begin = 0, end = 0;  // dest rows
    std::int32_t kv_head = 0, group = 1;
    std::int64_t count() const { return (end - begin) * group; }
};

// Float memory of a strip, panel by panel.
struct State {
    float* m;   // [panels · width]
    float* l;   // [panels · width]
    float* zt;  // [panels][dim][width]
};

State state_at(float* memory, const Plan& plan) {
    const std::int64_t all = plan.panels * plan.width;
    return {memory, memory + all, memory + 2 * all};
}

// Lanes [first, first + count) of the strip's rows of q, z: pointers.
void lane_rows(const TraceView& trace, std::int64_t offset, const Strip& strip, std::int64_t first, int count,
               const float** rows) {
    for (int i = 0; i < count; ++i) {
        const std::int64_t lane = first + i;
        rows[i] = row_pointer(trace, offset, strip.kv_head * strip.group + static_cast<std::int32_t>(lane % strip.group),
                              strip.begin + lane / strip.group);
    }
}

template <int Vectors>
void attend_keys(const AttendArgs& args, const Strip& strip, std::int64_t key_begin, std::int64_t key_end,
                 const State& state, float* q, float* st) {
    constexpr int width = panel_width<Vectors>;
    const TraceView& trace = args.trace;
    const int dim = trace.head_dim;
    const std::int32_t window = args.rule.window;
    const std::int64_t count = strip.count(), panels = divide_up(count, width);
    const float* rows[key_block];  // wider than any panel
    for (std::int64_t p = 0; p < panels; ++p) {
        const int used = static_cast<int>(least<std::int64_t>(width, count - p * width));
        lane_rows(trace, trace.q_offset, strip, p * width, used, rows);
        pack_panel<Vectors>(rows, used, dim, args.rule.scale, q + p * width * dim);
    }
    for (std::int64_t i = 0; i < panels * width; ++i) state.m[i] = -infinity;
    std::memset(state.l, 0, static_cast<std::size_t>(panels * width) * sizeof(float));
    std::memset(state.zt, 0, static_cast<std::size_t>(panels * width * dim) * sizeof(float));

    const float* values[key_block];
    for (std::int64_t block = key_begin; block < key_end; block += key_block) {
        const std::int64_t block_end = least(key_end, block + key_block);
        row_pointers(trace, trace.k_offset, strip.kv_head, block, block_end, rows);
        row_pointers(trace, trace.v_offset, strip.kv_head, block, block_end, values);
        for (std::int64_t p = 0; p < panels; ++p) {
            const std::int64_t lowest = strip.begin + p * width / strip.group;
            const std::int64_t highest = strip.begin + (least(count, (p + 1) * width) - 1) / strip.group;
            const std::int64_t first = window > 0 ? greatest(block, lowest - window + 1) : block;
            const std::int64_t last = least(block_end, highest + 1);
            if (first >= last) continue;
            const int keys = static_cast<int>(last - first);
            score_panel<Vectors>(rows + (first - block), keys, q + p * width * dim, dim, st);
            if (args.rule.soft_cap > 0) cap_block<Vectors>(st, keys, args.rule.soft_cap);
            if (last > lowest + 1 || (window > 0 && first <= highest - window)) {
                std::int32_t dest[width];
                for (int i = 0; i < width; ++i)
                    dest[i] = static_cast<std::int32_t>((p * width + i) / strip.group);
                mask_block<Vectors>(st, static_cast<std::int32_t>(first - strip.begin), keys, dest, window);
            }
            f32v factor[Vectors];
            softmax_block<Vectors>(st, keys, state.m + p * width, state.l + p * width, factor);
            weigh_panel<Vectors>(values + (first - block), keys, st, dim, factor, state.zt + p * width * dim);
        }
    }
}

// Adds the state of another key range of the same strip.
void merge(const State& into, const State& from, std::int64_t lanes_of_strip, int width, int dim) {
    for (std::int64_t lane = 0; lane < lanes_of_strip; ++lane) {
        const float a = into.m[lane], b = from.m[lane];
        const float m = a > b ? a : b;
        if (b == -infinity) continue;
        const float keep = a == -infinity ? 0.0f : __builtin_expf(a - m), take = __builtin_expf(b - m);
        into.m[lane] = m;
        into.l[lane] = into.l[lane] * keep + from.l[lane] * take;
        const std::int64_t at = lane / width * width * dim + lane % width;
        for (std::int64_t d = 0; d < dim; ++d)
            into.zt[at + d * width] = into.zt[at + d * width] * keep + from.zt[at + d * width] * take;
    }
}

// Sinks join, z and lse are written.
template <int Vectors>
void finish(const AttendArgs& args, const Strip& strip, const State& state) {
    constexpr int width = panel_width<Vectors>;
    const TraceView& trace = args.trace;
    const std::int64_t dim = trace.head_dim, count = strip.count();
    for (std::int64_t p = 0; p * width < count; ++p) {
        const int used = static_cast<int>(least<std::int64_t>(width, count - p * width));
        float factor[width] = {};
        float* rows[width];
        for (int i = 0; i < used; ++i) {
            const std::int64_t lane = p * width + i, dest = strip.begin + lane / strip.group;
            const std::int32_t head = strip.kv_head * strip.group + static_cast<std::int32_t>(lane % strip.group);
            const float m = state.m[lane], l = state.l[lane];
            float base = m, total = l, keep = 1;
            if (args.rule.sinks != nullptr && args.rule.sinks[head] > -infinity) {
                const float sink = args.rule.sinks[head];
                base = sink > m ? sink : m;
                keep = __builtin_expf(m - base);
                total = l * keep + __builtin_expf(sink - base);
            }
            // A row without a visible key: z is 0, lse −inf.
            factor[i] = total == 0 ? 0 : keep / total;
            *lse_pointer(trace, head, dest) = total == 0 ? -infinity : base + __builtin_logf(total);
            rows[i] = args.z_out + ((dest - args.begin) * trace.query_heads + head) * dim;
        }
        unpack_panel<Vectors>(state.zt + p * width * dim, used, trace.head_dim, factor, rows);
        for (int i = 0; i < used; ++i) {
            const std::int64_t lane = p * width + i;
            const std::int32_t head = strip.kv_head * strip.group + static_cast<std::int32_t>(lane % strip.group);
            std::memcpy(row_pointer(trace, trace.z_offset, head, strip.begin + lane / strip.group), rows[i],
                        static_cast<std::size_t>(dim) * sizeof(float));
        }
    }
}

template <int Vectors>
void attend_with(const AttendArgs& args, const Plan& plan, const Parallel& parallel) {
    const TraceView& trace = args.trace;
    const std::int64_t kv_heads = trace.kv_heads, tasks = plan.strips * kv_heads * plan.splits;
    float* states = args.scratch + plan.worker * greatest(parallel.threads, 1);
    const auto strip_at = [&](std::int64_t index, std::int32_t kv_head) {
        const std::int64_t begin = args.begin + index * plan.strip_rows;
        return Strip{begin, least(args.end, begin + plan.strip_rows), kv_head, trace.query_heads / trace.kv_heads};
    };
    for_each_by_worker(parallel, tasks, [&](std::int64_t worker, std::int64_t task) {
        // The last strips see most keys: they go first.
        const std::int64_t split = task % plan.splits, pair = task / plan.splits;
        const Strip strip = strip_at(plan.strips - 1 - pair / kv_heads, static_cast<std::int32_t>(pair % kv_heads));
        float* memory = args.scratch + worker * plan.worker;
        float* st = memory + plan.panels * plan.width * trace.head_dim;
        const State state = state_at(plan.splits > 1 ? states + (pair * plan.splits + split) * plan.state
                                                     : st + key_block * plan.width, plan);
        const std::int64_t window = args.rule.window;
        const std::int64_t first = window > 0 ? greatest<std::int64_t>(0, strip.begin - window + 1) : 0;
        const std::int64_t keys = strip.end - first;
        attend_keys<Vectors>(args, strip, first + keys * split / plan.splits,
                             first + keys * (split + 1) / plan.splits, state, memory, st);
        if (plan.splits == 1) finish<Vectors>(args, strip, state);
    });
    if (plan.splits == 1) return;
    for (std::int32_t head = 0; head < trace.kv_heads; ++head) {
        const Strip strip = strip_at(0, head);
        const State whole = state_at(states + head * plan.splits * plan.state, plan);
        for (std::int64_t split = 1; split < plan.splits; ++split)
            merge(whole, state_at(states + (head * plan.splits + split) * plan.state, plan), strip.count(),
                  plan.width, trace.head_dim);
        finish<Vectors>(args, strip, whole);
    }
}

}  // namespace

std::int64_t attend_scratch(const AttendArgs& args, int threads) {
    const Plan plan = plan_of(args, threads);
    const std::int64_t split_states = plan.splits > 1 ? plan.splits * args.trace.kv_heads * plan.state : 0;
    return plan.worker * greatest(threads, 1) + split_states;
}

void attend(const AttendArgs& args, const Parallel& parallel) {
    const Plan plan = plan_of(args, parallel.threads);
    if (plan.rows <= 0) return;
    if (plan.narrow)
        attend_with<1>(args, plan, parallel);
    else
        attend_with<2>(args, plan, parallel);
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
