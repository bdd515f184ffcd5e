// SPDX-License-Identifier: GPL-3.0-or-later
// Text from a file goes into messages, logs and tooltips only in a form that cannot break them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace engine::formats {

// At most `limit` bytes; control bytes and broken UTF-8 become \xNN; "…" marks a cut.
std::string shown(std::string_view text, std::size_t limit = 120);

std::string shape_text(const std::vector<std::int64_t>& shape);  // "[9, 64]"

// Throws Error of kind BadFile: what is wrong with the file at `path`, and what to do.
[[noreturn]] void refuse(const std::string& path, std::string what, std::string hint = {});

}  // namespace engine::formats
