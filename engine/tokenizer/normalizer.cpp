// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/normalizer.h"

#include <algorithm>

#include "engine/tokenizer/utf8.h"

namespace engine::tokenizer {

NormalizedText::Range NormalizedText::original(std::size_t begin, std::size_t end) const {
    if (stretches.empty()) return {begin, end};
    // The last stretch that begins at or before a place.
    const auto stretch_at = [&](std::size_t place) -> const Stretch& {
        const auto after =
            std::upper_bound(stretches.begin(), stretches.end(), place,
                             [](std::size_t p, const Stretch& s) { return p < s.normalized; });
        return after == stretches.begin() ? stretches.front() : *std::prev(after);
    };
    const Stretch& first = stretch_at(begin);
    const std::size_t from =
        first.changed ? first.original : first.original + (begin - first.normalized);
    if (end == begin) return {from, from};
    const Stretch& last = stretch_at(end - 1);
    const std::size_t to =
        last.changed ? last.original + last.original_size : last.original + (end - last.normalized);
    return {from, to};
}

void TextBuilder::keep(std::size_t bytes) {
    if (bytes == 0) return;
    if (out_.stretches.empty() || out_.stretches.back().changed)
        out_.stretches.push_back({out_.text.size(), at_, 0, 0, false});
    out_.stretches.back().normalized_size += bytes;
    out_.stretches.back().original_size += bytes;
    out_.text += from_.substr(at_, bytes);
    at_ += bytes;
}

void TextBuilder::replace(std::size_t bytes, std::string_view by) {
    out_.stretches.push_back({out_.text.size(), at_, by.size(), bytes, true});
    out_.text += by;
    at_ += bytes;
    changed_ = true;
}

NormalizedText TextBuilder::finish() {
    keep(from_.size() - at_);
    if (!changed_) out_.stretches.clear();
    return std::move(out_);
}

NormalizedText without_broken_utf8(std::string_view text) {
    TextBuilder builder(text);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t valid = valid_prefix(text.substr(at));
        builder.keep(valid);
        at += valid;
        if (at == text.size()) break;
        const std::size_t broken = next_utf8(text.substr(at)).length;
        builder.replace(broken, "\uFFFD");
        at += broken;
    }
    return builder.finish();
}

void ChangedText::add(NormalizedText change) {
    if (!change.stretches.empty()) changes_.push_back(std::move(change));
}

NormalizedText::Range ChangedText::original(std::size_t begin, std::size_t end) const {
    NormalizedText::Range range{begin, end};
    for (auto change = changes_.rbegin(); change != changes_.rend(); ++change)
        range = change->original(range.begin, range.end);
    return range;
}

void Normalizer::run(ChangedText& text, bool at_start) const {
    for (const NormalizerStep& step : steps_) text.add(step(text.text(), at_start));
}

}  // namespace engine::tokenizer
