// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/utf8.h"

#include <cstring>

namespace engine::tokenizer {
namespace {

// How many bytes a lead byte asks for and what its second byte may be; the rest are always 80..BF.
struct Lead {
    std::uint32_t length = 0;  // 0: not a lead byte
    unsigned char low = 0x80, high = 0xBF;
};

Lead lead_of(unsigned char byte) {
    if (byte >= 0xC2 && byte <= 0xDF) return {2};
    if (byte == 0xE0) return {3, 0xA0, 0xBF};
    if (byte == 0xED) return {3, 0x80, 0x9F};  // no surrogates
    if (byte >= 0xE1 && byte <= 0xEF) return {3};
    if (byte == 0xF0) return {4, 0x90, 0xBF};
    if (byte >= 0xF1 && byte <= 0xF3) return {4};
    if (byte == 0xF4) return {4, 0x80, 0x8F};  // up to U+10FFFF
    return {};
}

std::size_t ascii_prefix(std::string_view text) {
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t eight;
        std::memcpy(&eight, text.data() + at, 8);
        if (eight & 0x8080808080808080ULL) break;
    }
    while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
    return at;
}

}  // namespace

Utf8Step next_utf8(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) return {Utf8::Character, 1, byte(0)};
    const Lead lead = lead_of(byte(0));
    if (lead.length == 0) return {Utf8::Broken, 1};
    char32_t code_point = byte(0) & (0xFFu >> (lead.length + 1));
    for (std::uint32_t i = 1; i < lead.length; ++i) {
        if (i == text.size()) return {Utf8::Incomplete, i};
        const unsigned char low = i == 1 ? lead.low : 0x80, high = i == 1 ? lead.high : 0xBF;
        if (byte(i) < low || byte(i) > high) return {Utf8::Broken, i};
        code_point = code_point << 6 | (byte(i) & 0x3Fu);
    }
    return {Utf8::Character, lead.length, code_point};
}

std::size_t valid_prefix(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        at += ascii_prefix(text.substr(at));
        if (at == text.size()) break;
        const Utf8Step step = next_utf8(text.substr(at));
        if (step.kind != Utf8::Character) break;
        at += step.length;
    }
    return at;
}

std::size_t broken_prefix(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const Utf8Step step = next_utf8(text.substr(at));
        if (step.kind == Utf8::Character) break;
        at += step.length;
    }
    return at;
}

void append_utf8(std::string& out, char32_t code_point) {
    const auto put = [&](char32_t bits) { out += static_cast<char>(bits); };
    if (code_point < 0x80) {
        put(code_point);
    } else if (code_point < 0x800) {
        put(0xC0 | code_point >> 6);
        put(0x80 | (code_point & 0x3F));
    } else if (code_point < 0x10000) {
        put(0xE0 | code_point >> 12);
        put(0x80 | (code_point >> 6 & 0x3F));
        put(0x80 | (code_point & 0x3F));
    } else {
        put(0xF0 | code_point >> 18);
        put(0x80 | (code_point >> 12 & 0x3F));
        put(0x80 | (code_point >> 6 & 0x3F));
        put(0x80 | (code_point & 0x3F));
    }
}

}  // namespace engine::tokenizer
