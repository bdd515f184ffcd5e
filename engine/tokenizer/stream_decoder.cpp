// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/utf8.h"

namespace engine::tokenizer {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

std::string StreamDecoder::push(std::string_view bytes) {
    held_ += bytes;
    std::string out;
    std::string_view rest = held_;
    while (!rest.empty()) {
        const std::size_t valid = valid_prefix(rest);
        out += rest.substr(0, valid);
        rest.remove_prefix(valid);
        if (rest.empty()) break;
        const Utf8Step step = next_utf8(rest);
        if (step.kind == Utf8::Incomplete) break;
        out += replacement;
        rest.remove_prefix(step.length);
    }
    held_ = std::string(rest);
    return out;
}

std::string StreamDecoder::flush() {
    std::string out = held_.empty() ? std::string() : std::string(replacement);
    held_.clear();
    return out;
}

}  // namespace engine::tokenizer
