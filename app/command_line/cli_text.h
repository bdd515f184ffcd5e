// SPDX-License-Identifier: GPL-3.0-or-later
// How the command line writes: one line an error, numbers that people read, bytes that cannot break
// a terminal.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace app {

// Control characters and broken UTF-8 as \n, \t, \x1b; what is left is one line of valid UTF-8.
std::string oneLine(std::string_view bytes);

// A user's value for a message: 'text', on one line, cut after 60 bytes.
std::string quote(std::string_view value);

// "742 B", "1.50 GB" (10^9); "8,192".
std::string humanBytes(std::int64_t bytes);
std::string counted(std::int64_t, const std::string& noun);  // "1 token", "9,000 tokens"
std::string thousands(std::int64_t value);
std::string seconds(double value);  // "3.21 ms", "1.40 s"

// "a, b and c".
std::string joined(const std::vector<std::string>& words);

// Valid UTF-8 as it is; each broken byte becomes U+FFFD. For JSON, which has no other bytes.
std::string validUtf8(std::string_view bytes);

}  // namespace app
