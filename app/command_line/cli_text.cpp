// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/cli_text.h"

#include <array>
#include <cstdio>

namespace app {
namespace {

// Length of the UTF-8 character at the front, 0 if these bytes are none (overlong and surrogates
// included).
std::size_t characterLength(std::string_view s) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead < 0xC2   ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    if (length == 0 || s.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;
    if (lead == 0xED && byte(1) > 0x9F) return 0;
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) > 0x8F) return 0;
    return length;
}

std::string format(const char* pattern, double value) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), pattern, value);
    return text.data();
}

}  // namespace

std::string oneLine(std::string_view bytes) {
    std::string out;
    while (!bytes.empty()) {
        const std::size_t length = characterLength(bytes);
        const auto first = static_cast<unsigned char>(bytes[0]);
        // C1 controls (U+0080 to U+009F) move a terminal as well as C0 does.
        const bool c1 = length == 2 && first == 0xC2 && static_cast<unsigned char>(bytes[1]) < 0xA0;
        if (length > 0 && !c1 && first >= 0x20 && first != 0x7F) {
            out += bytes.substr(0, length);
            bytes.remove_prefix(length);
            continue;
        }
        switch (first) {
            case '\n': out += "\\n"; break;
            case '\t': out += "\\t"; break;
            case '\r': out += "\\r"; break;
            default: {
                std::array<char, 8> hex{};
                std::snprintf(hex.data(), hex.size(), "\\x%02x", first);
                out += hex.data();
            }
        }
        bytes.remove_prefix(1);
    }
    return out;
}

std::string quote(std::string_view value) {
    constexpr std::size_t most = 60;
    if (value.size() <= most) return "'" + oneLine(value) + "'";
    std::size_t cut = most;
    while (cut > most - 4 && (static_cast<unsigned char>(value[cut]) & 0xC0) == 0x80) --cut;
    return "'" + oneLine(value.substr(0, cut)) + "…'";
}

std::string humanBytes(std::int64_t bytes) {
    constexpr std::array<const char*, 5> units = {"B", "kB", "MB", "GB", "TB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1000 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    const char* pattern = unit == 0     ? "%.0f "
                          : value < 10  ? "%.2f "
                          : value < 100 ? "%.1f "
                                        : "%.0f ";
    return format(pattern, value) + units[unit];
}

std::string thousands(std::int64_t value) {
    std::string digits = std::to_string(value);
    const std::size_t first = value < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

std::string counted(std::int64_t count, const std::string& noun) {
    return thousands(count) + ' ' + noun + (count == 1 ? "" : "s");
}

std::string seconds(double value) {
    return value < 1 ? format("%.2f ms", value * 1e3) : format("%.2f s", value);
}

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i)
        out += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
    return out;
}

std::string validUtf8(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size());
    while (!bytes.empty()) {
        const std::size_t length = characterLength(bytes);
        out += length > 0 ? bytes.substr(0, length) : std::string_view("\xEF\xBF\xBD");
        bytes.remove_prefix(length > 0 ? length : 1);
    }
    return out;
}

}  // namespace app
