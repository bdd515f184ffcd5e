// SPDX-License-Identifier: GPL-3.0-or-later
// The process's one pool of compute threads: OpenMP's, which libtorch's own products use too.
#pragma once
#include "kernels/parallel.h"

namespace engine {

// Sets libtorch's thread count as well. threads ≥ 1.
kernels::Parallel compute_threads(int threads);

// Lowers the priority of the calling thread and of the compute threads it will start, below the window's (Linux nice is
// a thread's own). Called once by a thread that is about to compute.
void yield_to_the_window();

}  // namespace engine
