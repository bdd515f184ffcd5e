// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/normalizer.h"

#include <unicode/bytestream.h>
#include <unicode/edits.h>
#include <unicode/normalizer2.h>

#include <algorithm>

#include "engine/values/failure.h"

namespace engine::tokenizer {
namespace {

constexpr std::size_t longest_text = 1u << 30;  // ICU counts in int32

void check(UErrorCode status) {
    if (U_FAILURE(status))
        throw Error(Failure::Kind::Internal,
                    std::string("Unicode normalization failed: ") + u_errorName(status));
}

}  // namespace

NormalizedText to_nfc(std::string_view text) {
    if (text.size() > longest_text)
        throw Error(Failure::Kind::BadRequest, "a text of " + std::to_string(text.size()) +
                                                   " bytes; the limit is " +
                                                   std::to_string(longest_text));
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* const nfc = icu::Normalizer2::getNFCInstance(status);
    check(status);
    const icu::StringPiece source(text.data(), static_cast<std::int32_t>(text.size()));
    NormalizedText result;
    if (nfc->isNormalizedUTF8(source, status)) {
        result.text = text;
        return result;
    }
    check(status);
    icu::Edits edits;
    icu::StringByteSink<std::string> sink(&result.text);
    nfc->normalizeUTF8(0, source, sink, &edits, status);
    check(status);
    for (icu::Edits::Iterator at = edits.getFineIterator(); at.next(status);)
        result.stretches.push_back(
            {static_cast<std::size_t>(at.destinationIndex()),
             static_cast<std::size_t>(at.sourceIndex()), static_cast<std::size_t>(at.newLength()),
             static_cast<std::size_t>(at.oldLength()), static_cast<bool>(at.hasChange())});
    check(status);
    return result;
}

NormalizedText::Range NormalizedText::original(std::size_t begin, std::size_t end) const {
    if (stretches.empty()) return {begin, end};
    // The last stretch that begins at or before a place.
    const auto stretch_at = [&](std::size_t place) -> const Stretch& {
        const auto after =
            std::upper_bound(stretches.begin(), stretches.end(), place,
                             [](std::size_t p, const Stretch& s) { return p < s.normalized; });
        return *std::prev(after);
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

}  // namespace engine::tokenizer
