// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/compute_threads.h"

#include <ATen/Parallel.h>
#include <omp.h>

namespace engine {
namespace {

void run_on_openmp(const kernels::Parallel& parallel, std::int64_t tasks,
                   void (*body)(void*, std::int64_t), void* context) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(parallel.threads)
    for (std::int64_t task = 0; task < tasks; ++task) body(context, task);
}

}  // namespace

kernels::Parallel compute_threads(int threads) {
    at::set_num_threads(threads);
    omp_set_num_threads(threads);
    return {threads, run_on_openmp};
}

}  // namespace engine
