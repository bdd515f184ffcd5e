// SPDX-License-Identifier: GPL-3.0-or-later
// A task is a strip of dest rows of one KV head, with all the query heads that share it: lane r of
// the strip is dest row r / group, head r % group, so that k and v are read once for all of them.
// Where the strips are too few for the threads (a decode step), keys are split into ranges whose
// states are merged.
#include "kernels/attention.h"

#include "kernels/cpu/attend_panels.h"
#include "kernels/cpu/attend_rows.h"

namespace kernels::cpu::HEADSCOPE_ISA {

namespace {

// Adds the state of another key range of the same strip.
void merge(const State& into, const State& from, std::int64_t lanes_of_strip, int width, int dim) {
    for (std::int64_t lane = 0; lane < lanes_of_strip; ++lane) {
        const float a = into.m[lane], b = from.m[lane];
        const float m = a > b ? a : b;
        if (b == -infinity) continue;
        const float keep = a == -infinity ? 0.0f : __builtin_expf(a - m),
                    take = __builtin_expf(b - m);
        into.m[lane] = m;
        into.l[lane] = into.l[lane] * keep + from.l[lane] * take;
        const std::int64_t at = lane / width * width * dim + lane % width;
        for (std::int64_t d = 0; d < dim; ++d)
            into.zt[at + d * width] =
                into.zt[at + d * width] * keep + from.zt[at + d * width] * take;
    }
}

// Sinks join, z and lse are written.
void finish(const AttendArgs& args, const Strip& strip, const Plan& plan, const State& state) {
    constexpr int most = 2 * lanes;
    const int width = plan.by_rows ? static_cast<int>(strip.count()) : most;
    const TraceView& trace = args.trace;
    const std::int64_t dim = trace.head_dim, count = strip.count();
    for (std::int64_t p = 0; p * width < count; ++p) {
        const int used = static_cast<int>(least<std::int64_t>(width, count - p * width));
        float factor[most] = {};
        float* rows[most];
        for (int i = 0; i < used; ++i) {
            const std::int64_t lane = p * width + i, dest = strip.dest(lane);
            const std::int32_t head = strip.head(lane);
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
        if (plan.by_rows)
            for (int i = 0; i < used; ++i)
                for (std::int64_t d = 0; d < dim; ++d)
                    rows[i][d] = state.zt[i * dim + d] * factor[i];
        else
            unpack_panel<2>(state.zt + p * width * dim, used, trace.head_dim, factor, rows);
        for (int i = 0; i < used; ++i) {
            const std::int64_t lane = p * width + i;
            std::memcpy(row_pointer(trace, trace.z_offset, strip.head(lane), strip.dest(lane)),
                        rows[i], static_cast<std::size_t>(dim) * sizeof(float));
        }
    }
}

}  // namespace

std::int64_t attend_scratch(const AttendArgs& args, int threads) {
    const Plan plan = plan_of(args, threads);
    const std::int64_t split_states =
        plan.splits > 1 ? plan.splits * args.trace.kv_heads * plan.state : 0;
    return plan.worker * greatest(threads, 1) + split_states;
}

void attend(const AttendArgs& args, const Parallel& parallel) {
    const Plan plan = plan_of(args, parallel.threads);
    if (plan.rows <= 0) return;
    const TraceView& trace = args.trace;
    const std::int64_t kv_heads = trace.kv_heads, tasks = plan.strips * kv_heads * plan.splits;
    float* states = args.scratch + plan.worker * greatest(parallel.threads, 1);
    const auto strip_at = [&](std::int64_t index, std::int32_t kv_head) {
        const std::int64_t begin = args.begin + index * plan.strip_rows;
        return Strip{begin, least(args.end, begin + plan.strip_rows), kv_head,
                     trace.query_heads / trace.kv_heads};
    };
    for_each_by_worker(parallel, tasks, [&](std::int64_t worker, std::int64_t task) {
        // The last strips see most keys: they go first.
        const std::int64_t split = task % plan.splits, pair = task / plan.splits;
        const Strip strip =
            strip_at(plan.strips - 1 - pair / kv_heads, static_cast<std::int32_t>(pair % kv_heads));
        float* q = args.scratch + worker * plan.worker;
        float* st = q + plan.q;
        const State state = state_at(
            plan.splits > 1 ? states + (pair * plan.splits + split) * plan.state : st + plan.scores,
            plan);
        const std::int64_t window = args.rule.window;
        const std::int64_t first =
            window > 0 ? greatest<std::int64_t>(0, strip.begin - window + 1) : 0;
        const std::int64_t keys = strip.end - first;
        const auto walk = plan.by_rows ? attend_rows : attend_panels;
        walk(args, strip, first + keys * split / plan.splits,
             first + keys * (split + 1) / plan.splits, state, q, st);
        if (plan.splits == 1) finish(args, strip, plan, state);
    });
    if (plan.splits == 1) return;
    for (std::int32_t head = 0; head < trace.kv_heads; ++head) {
        const Strip strip = strip_at(0, head);
        const State whole = state_at(states + head * plan.splits * plan.state, plan);
        for (std::int64_t split = 1; split < plan.splits; ++split)
            merge(whole, state_at(states + (head * plan.splits + split) * plan.state, plan),
                  strip.count(), plan.width, trace.head_dim);
        finish(args, strip, plan, whole);
    }
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
