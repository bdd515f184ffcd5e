// SPDX-License-Identifier: GPL-3.0-or-later
// How a CPU kernel spreads its work: the caller's thread pool behind one function, so that there is
// one pool a process.
#pragma once
#include <cstdint>

namespace kernels {

struct Parallel {
    int threads = 1;
    // Calls body(context, i) for every i in [0, tasks), each once, in any order, on up to `threads`
    // threads; returns when all are done. Tasks are handed out one at a time, so they may be
    // uneven. body must not throw.
    void (*run)(const Parallel&, std::int64_t tasks, void (*body)(void* context, std::int64_t task),
                void* context) = nullptr;

    template <typename Body>
    void for_each(std::int64_t tasks, Body&& body) const {
        if (run == nullptr || threads <= 1 || tasks <= 1) {
            for (std::int64_t task = 0; task < tasks; ++task) body(task);
            return;
        }
        run(
            *this, tasks,
            [](void* context, std::int64_t task) { (*static_cast<Body*>(context))(task); }, &body);
    }
};

}  // namespace kernels
