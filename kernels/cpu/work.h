// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks with a worker's own memory: as many workers as threads, each drawing the next task from one
// counter.
#pragma once
#include "kernels/cpu/simd.h"
#include "kernels/parallel.h"

namespace kernels::cpu::HEADSCOPE_ISA {

HEADSCOPE_INLINE std::int64_t divide_up(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

// body(worker, task), worker in [0, min(threads, tasks)). Tasks start in ascending order.
template <typename Body>
void for_each_by_worker(const Parallel& parallel, std::int64_t tasks, const Body& body) {
    if (tasks <= 0) return;
    std::int64_t next = 0;
    const std::int64_t workers = least<std::int64_t>(greatest(parallel.threads, 1), tasks);
    parallel.for_each(workers, [&](std::int64_t worker) {
        for (;;) {
            const std::int64_t task = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
            if (task >= tasks) return;
            body(worker, task);
        }
    });
}

// Element-wise work in pieces large enough to be worth a thread.
template <typename Body>
void for_each_range(const Parallel& parallel, std::int64_t n, std::int64_t grain,
                    const Body& body) {
    const std::int64_t threads = greatest(parallel.threads, 1);
    const std::int64_t pieces =
        greatest<std::int64_t>(1, least(n / greatest<std::int64_t>(grain, 1), threads * 4));
    parallel.for_each(
        pieces, [&](std::int64_t piece) { body(n * piece / pieces, n * (piece + 1) / pieces); });
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
