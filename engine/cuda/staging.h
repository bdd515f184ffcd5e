// SPDX-License-Identifier: GPL-3.0-or-later
// Copies mapped weights to the device with several threads, each with two pinned buffers: while one
// is on its way to the device, the other is filled. The file's pages are asked for some pieces
// ahead.
#pragma once
#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "kernels/gemv.h"
#include "kernels/views.h"

namespace engine::cuda {

// Rows of one matrix of the file and where they go.
struct WeightCopy {
    kernels::Weight from;
    kernels::Element element{};
    std::byte* to = nullptr;  // on the device: [from.rows, from.columns] of the element
};

// Returns when all is there; this thread runs `meanwhile`, then helps. done(bytes) is called with
// the file's bytes as they go, from any of the threads, one at a time. Throws Cancelled, or the
// first failure of a thread.
void copy_weights(const std::vector<WeightCopy>&, const std::function<void(std::int64_t)>& done,
                  std::stop_token, const std::function<void()>& meanwhile);

}  // namespace engine::cuda
