// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "engine/formats/checkpoint.h"

namespace engine::formats {

// An element type of ggml, known by number. Also the ones that are not decoded here are known by
// name and size, so that a file of them is checked and refused in its own words.
struct GgmlType {
    std::string name;
    std::int64_t block = 0;  // elements a block; 0: the type is not known
    std::int64_t bytes = 0;  // bytes a block
    bool supported = false;
    Storage storage = Storage::F32;
};

GgmlType ggml_type(std::uint32_t id);

}  // namespace engine::formats
