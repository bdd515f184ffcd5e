// SPDX-License-Identifier: GPL-3.0-or-later
// What this machine can do at best, measured in the same run as the figures that are held against
// it, and what the model's work costs at least.
#pragma once
#include <cstdint>
#include <optional>

#include "engine/values/model_info.h"

namespace app {

struct MachineLimits {
    double readBytesPerSecond = 0;  // streaming sum over a buffer that no cache holds, all threads
    std::optional<double> flopsPerSecond;  // fp32 multiply-adds in registers, all threads; none
                                           // where the CPU lacks FMA
};
MachineLimits measureMachine(int threads);  // about half a second

// Seconds that `bytes` and `flops` take at least, whichever is longer.
std::optional<double> leastSeconds(const MachineLimits&, double bytes, double flops);

// fp32 operations of products alone: projections and MLP of every token, the head of the last,
// causal attention.
double prefillFlops(const engine::ModelInfo&, std::int64_t tokens);
// q·k on the causal half of one head's map.
double patternFlops(const engine::ModelInfo&, std::int64_t tokens);
// Weights once, and k and v of every earlier token.
double decodeBytes(const engine::ModelInfo&, std::int64_t context);

}  // namespace app
