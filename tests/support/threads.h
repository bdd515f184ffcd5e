// SPDX-License-Identifier: GPL-3.0-or-later
// A Parallel for tests: threads are started for each call, so that a data race between tasks is as
// likely as it gets.
#pragma once
#include <atomic>
#include <thread>
#include <vector>

#include "kernels/parallel.h"

namespace support {

inline void run_on_threads(const kernels::Parallel& parallel, std::int64_t tasks,
                           void (*body)(void*, std::int64_t), void* context) {
    std::atomic<std::int64_t> next{0};
    const auto work = [&] {
        for (std::int64_t task; (task = next.fetch_add(1)) < tasks;) body(context, task);
    };
    std::vector<std::jthread> others;
    for (int i = 1; i < parallel.threads; ++i) others.emplace_back(work);
    work();
}

inline kernels::Parallel on_threads(int threads) {
    return {threads, &run_on_threads};
}

}  // namespace support
