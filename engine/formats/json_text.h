// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace engine::formats {

// Parses JSON that nobody vouches for. Throws Error(BadFile): not JSON, not UTF-8, nested deeper
// than 64, longer than `limit` bytes, or a key given twice (readers disagree on which one counts).
nlohmann::json parse_json(std::string_view text, const std::string& where,
                          std::size_t limit = 32'000'000);

}  // namespace engine::formats
