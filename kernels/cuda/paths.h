// SPDX-License-Identifier: GPL-3.0-or-later
// Which build of a kernel runs: the portable one, or, on Hopper, the one for its own instructions.
#pragma once

namespace kernels::cuda {

// For tests, which go through both. Not while kernels are being enqueued elsewhere.
void force_portable(bool);
bool portable_forced();

}  // namespace kernels::cuda
