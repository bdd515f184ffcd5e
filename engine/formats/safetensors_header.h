// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace engine::formats {

// One entry of a safetensors header, as written: nothing but its form has been checked.
struct HeaderEntry {
    std::string name, dtype;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0, end = 0;
};

// Reads the header as a stream: memory follows the entries, and what is not a header stops at its
// first odd byte. Throws Error(BadFile).
std::vector<HeaderEntry> parse_safetensors_header(std::string_view text, const std::string& where);

}  // namespace engine::formats
