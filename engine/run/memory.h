// SPDX-License-Identifier: GPL-3.0-or-later
// What memory there is, so that what does not fit is refused before it starts.
#pragma once
#include <cstdint>
#include <string>

namespace engine {

std::int64_t
memory_available();  // bytes that can be taken without swapping; a control group's limit counts
std::int64_t memory_total();
std::string format_bytes(std::int64_t bytes);  // "3.6 MB", decimal units
std::string format_count(std::int64_t count);  // "250,000"

}  // namespace engine
