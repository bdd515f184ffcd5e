// SPDX-License-Identifier: GPL-3.0-or-later
// The same model on the CPU and on a GPU, for tests that hold one to the other.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"

inline std::unique_ptr<engine::Engine> open_on(const char* device, const std::string& path,
                                               std::optional<engine::DType> dtype,
                                               std::int64_t page_tokens = 64,
                                               std::int64_t limit = 1 << 30) {
    engine::OpenRequest request;
    request.path = path;
    request.device = device;
    request.dtype = dtype;
    request.threads = 2;
    request.page_tokens = page_tokens;
    request.memory_limit = limit;
    return engine::open_engine(request, {}, {});
}

// Tokens of a vocabulary of 320 without order.
inline std::vector<engine::TokenId> mixed_tokens(std::int64_t length, int step, int seed) {
    std::vector<engine::TokenId> tokens;
    for (std::int64_t i = 0; i < length; ++i)
        tokens.push_back(engine::TokenId{static_cast<std::int32_t>((i * step + seed) % 317 + 3)});
    return tokens;
}
