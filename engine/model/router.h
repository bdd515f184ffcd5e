// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/model_config.h"

namespace engine {

struct RoutedRow {
    std::int64_t row;
    float weight;
};

// Which rows each expert takes, by rising row, from the router's ratings [rows, experts].
std::vector<std::vector<RoutedRow>> route(const Experts&, const float* ratings, std::int64_t rows);

}  // namespace engine
