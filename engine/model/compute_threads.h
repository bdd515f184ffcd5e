// SPDX-License-Identifier: GPL-3.0-or-later
// The process's one pool of compute threads: OpenMP's, which libtorch's own products use too.
#pragma once
#include "kernels/parallel.h"

namespace engine {

// Sets libtorch's thread count as well. threads ≥ 1.
kernels::Parallel compute_threads(int threads);

}  // namespace engine
