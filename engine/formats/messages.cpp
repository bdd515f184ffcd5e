// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/messages.h"

#include <utility>

#include "engine/values/failure.h"

namespace engine::formats {
namespace {

// Bytes of the well-formed UTF-8 sequence at the front of `text`; 0 when there is none.
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
    const bool beyond = lead == 0xF4 && byte(1) >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

}  // namespace

std::string shown(std::string_view text, std::size_t limit) {
    constexpr char hex[] = "0123456789abcdef";
    std::string out;
    while (!text.empty()) {
        if (out.size() >= limit) return out + "…";
        const std::size_t length = sequence_length(text);
        const auto lead = static_cast<unsigned char>(text[0]);
        if (length == 0 || lead < 0x20 || lead == 0x7F) {
            out += "\\x";
            out += hex[lead >> 4];
            out += hex[lead & 15];
            text.remove_prefix(1);
        } else {
            out += text.substr(0, length);
            text.remove_prefix(length);
        }
    }
    return out;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string out = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        out += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return out + "]";
}

void refuse(const std::string& path, std::string what, std::string hint) {
    throw Error(Failure::Kind::BadFile, std::move(what), shown(path, 400), std::move(hint));
}

}  // namespace engine::formats
