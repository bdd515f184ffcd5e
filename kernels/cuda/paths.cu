// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cuda/paths.h"

namespace kernels::cuda {

namespace {
bool forced = false;
}

void force_portable(bool portable) {
    forced = portable;
}
bool portable_forced() {
    return forced;
}

}  // namespace kernels::cuda
