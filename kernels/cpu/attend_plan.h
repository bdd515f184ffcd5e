// SPDX-License-Identifier: GPL-3.0-or-later
// How attention is cut into tasks, and where a task's numbers lie in the caller's scratch.
#pragma once
#include "kernels/attention.h"
#include "kernels/cpu/trace_rows.h"
#include "kernels/cpu/work.h"

namespace kernels::cpu::HEADSCOPE_ISA {

constexpr int key_block =
    48;  // a multiple of every tile_rows and of lanes; a block of k, v fits the L1 cache
constexpr int strip_lanes =
    192;  // rows that share one walk over the keys; their q and z fit the L2 cache
constexpr std::int64_t least_split = 256;  // keys; below, a split costs more than it saves

struct Plan {
    std::int64_t rows = 0;        // dest rows of the chunk
    std::int64_t strip_rows = 1;  // dest rows a strip
    std::int64_t strips = 0;
    std::int64_t splits = 1;  // key ranges a strip
    bool by_rows =
        false;      // so few lanes that each is a row of its own (attend_rows.h), else panels
    int width = 0;  // lanes a panel; 1: rows
    std::int64_t lanes_padded = 0;              // of a strip, whole panels
    std::int64_t q = 0, scores = 0, state = 0;  // floats of a strip
    std::int64_t worker = 0;  // floats of a worker: q, scores, and where nothing is split the state
};

inline Plan plan_of(const AttendArgs& args, int threads) {
    const TraceView& trace = args.trace;
    const std::int64_t group = trace.query_heads / trace.kv_heads, dim = trace.head_dim;
    Plan plan;
    plan.rows = args.end - args.begin;
    if (plan.rows <= 0) return plan;
    const std::int64_t fit =
        least<std::int64_t>(strip_lanes, greatest<std::int64_t>(24576 / dim, 2 * lanes));
    const std::int64_t fair =
        divide_up(plan.rows * trace.kv_heads, 4 * static_cast<std::int64_t>(greatest(threads, 1)));
    const std::int64_t smallest = divide_up(2 * lanes, group);  // a full panel
    plan.strip_rows = greatest<std::int64_t>(1, least(fit / group, greatest(fair, smallest)));
    plan.strip_rows = least(plan.strip_rows, plan.rows);
    plan.strips = divide_up(plan.rows, plan.strip_rows);
    const std::int64_t count = plan.strip_rows * group;
    plan.by_rows = count <= lanes;
    plan.width = plan.by_rows ? 1 : 2 * lanes;
    plan.lanes_padded = divide_up(count, plan.width) * plan.width;
    if (plan.strips == 1 && threads > 1) {
        std::int64_t keys = args.end;
        if (args.rule.window > 0) keys = least<std::int64_t>(keys, args.rule.window + plan.rows);
        const std::int64_t wanted =
            divide_up(4 * static_cast<std::int64_t>(threads), trace.kv_heads);
        plan.splits = greatest<std::int64_t>(1, least(wanted, keys / least_split));
    }
    plan.q = plan.lanes_padded * dim;
    plan.scores = key_block * plan.width;
    plan.state = plan.lanes_padded * (dim + 2);
    plan.worker = plan.q + plan.scores + (plan.splits == 1 ? plan.state : 0);
    return plan;
}

struct Strip {
    std::int64_t begin = 0, end = 0;  // dest rows
    std::int32_t kv_head = 0, group = 1;
    std::int64_t count() const { return (end - begin) * group; }
    std::int64_t dest(std::int64_t lane) const { return begin + lane / group; }
    std::int32_t head(std::int64_t lane) const {
        return kv_head * group + static_cast<std::int32_t>(lane % group);
    }
};

struct State {
    float* m;   // [lanes]
    float* l;   // [lanes]
    float* zt;  // [panels][dim][width]; of rows: [lanes][dim]
};

inline State state_at(float* memory, const Plan& plan) {
    return {memory, memory + plan.lanes_padded, memory + 2 * plan.lanes_padded};
}

inline void start(const State& state, std::int64_t all_lanes, std::int64_t dim) {
    for (std::int64_t i = 0; i < all_lanes; ++i) state.m[i] = -__builtin_inff();
    std::memset(state.l, 0, static_cast<std::size_t>(all_lanes) * sizeof(float));
    std::memset(state.zt, 0, static_cast<std::size_t>(all_lanes * dim) * sizeof(float));
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
