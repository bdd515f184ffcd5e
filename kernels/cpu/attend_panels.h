// SPDX-License-Identifier: GPL-3.0-or-later
// Many rows against a key range: panels, online softmax, one walk over k and v for all of them.
#pragma once
#include "kernels/cpu/attend_plan.h"
#include "kernels/cpu/softmax_state.h"

namespace kernels::cpu::HEADSCOPE_ISA {

// q: floats of the strip's panels; st [key_block][width].
inline void attend_panels(const AttendArgs& args, const Strip& strip, std::int64_t key_begin,
                          std::int64_t key_end, const State& state, float* q, float* st) {
    constexpr int Vectors = 2, width = panel_width<Vectors>;
    const TraceView& trace = args.trace;
    const int dim = trace.head_dim;
    const std::int32_t window = args.rule.window;
    const std::int64_t count = strip.count(), panels = divide_up(count, width);
    const float* rows[key_block];  // wider than any panel
    for (std::int64_t p = 0; p < panels; ++p) {
        const int used = static_cast<int>(least<std::int64_t>(width, count - p * width));
        for (int i = 0; i < used; ++i)
            rows[i] = row_pointer(trace, trace.q_offset, strip.head(p * width + i),
                                  strip.dest(p * width + i));
        pack_panel<Vectors>(rows, used, dim, args.rule.scale, q + p * width * dim);
    }
    start(state, panels * width, dim);

    const float* values[key_block];
    for (std::int64_t block = key_begin; block < key_end; block += key_block) {
        const std::int64_t block_end = least(key_end, block + key_block);
        row_pointers(trace, trace.k_offset, strip.kv_head, block, block_end, rows);
        row_pointers(trace, trace.v_offset, strip.kv_head, block, block_end, values);
        for (std::int64_t p = 0; p < panels; ++p) {
            const std::int64_t lowest = strip.dest(p * width);
            const std::int64_t highest = strip.dest(least(count, (p + 1) * width) - 1);
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
                mask_block<Vectors>(st, static_cast<std::int32_t>(first - strip.begin), keys, dest,
                                    window);
            }
            if (args.rule.forbidden.count > 0)
                forbid_block<Vectors>(
                    args.rule.forbidden, st, first, keys,
                    static_cast<int>(least<std::int64_t>(width, count - p * width)), [&](int i) {
                        const std::int64_t lane = p * width + i;
                        return LaneAt{strip.head(lane), strip.dest(lane)};
                    });
            f32v factor[Vectors];
            softmax_block<Vectors>(st, keys, state.m + p * width, state.l + p * width, factor);
            weigh_panel<Vectors>(values + (first - block), keys, st, dim, factor,
                                 state.zt + p * width * dim);
        }
    }
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
