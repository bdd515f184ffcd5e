// SPDX-License-Identifier: GPL-3.0-or-later
// The changes that tokenizer files ask for. Where Hugging Face's differ from what their names say,
// these differ with them, as ids follow from it.
#include <unicode/bytestream.h>
#include <unicode/edits.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/uniset.h>

#include <optional>

#include "engine/tokenizer/normalizer.h"
#include "engine/tokenizer/regex.h"
#include "engine/tokenizer/utf8.h"
#include "engine/values/failure.h"

namespace engine::tokenizer {
namespace {

constexpr std::size_t longest_text = 1u << 30;  // ICU counts in int32

void check(UErrorCode status) {
    if (U_FAILURE(status))
        throw Error(Failure::Kind::Internal,
                    std::string("Unicode normalization failed: ") + u_errorName(status));
}

// Hugging Face's tables are Unicode 9's: to them later characters are unassigned and stay as they
// are, which models were trained with.
const icu::UnicodeSet& known_characters() {
    static const icu::UnicodeSet known = [] {
        UErrorCode status = U_ZERO_ERROR;
        icu::UnicodeSet set(UNICODE_STRING_SIMPLE("[:Age=9.0:]"), status);
        check(status);
        set.freeze();
        return set;
    }();
    return known;
}

const icu::Normalizer2& instance_of(UnicodeForm form) {
    const auto filtered = [](const icu::Normalizer2* (*instance)(UErrorCode&)) {
        UErrorCode status = U_ZERO_ERROR;
        const icu::Normalizer2* const whole = instance(status);
        check(status);
        return icu::FilteredNormalizer2(*whole, known_characters());
    };
    static const icu::FilteredNormalizer2 nfc = filtered(icu::Normalizer2::getNFCInstance),
                                          nfd = filtered(icu::Normalizer2::getNFDInstance),
                                          nfkc = filtered(icu::Normalizer2::getNFKCInstance),
                                          nfkd = filtered(icu::Normalizer2::getNFKDInstance);
    switch (form) {
        case UnicodeForm::Nfd: return nfd;
        case UnicodeForm::Nfkc: return nfkc;
        case UnicodeForm::Nfkd: return nfkd;
        case UnicodeForm::Nfc: break;
    }
    return nfc;
}

NormalizedText normalize(const icu::Normalizer2& form, std::string_view text) {
    if (text.size() > longest_text)
        throw Error(Failure::Kind::BadRequest, "a text of " + std::to_string(text.size()) +
                                                   " bytes; the limit is " +
                                                   std::to_string(longest_text));
    UErrorCode status = U_ZERO_ERROR;
    const icu::StringPiece source(text.data(), static_cast<std::int32_t>(text.size()));
    NormalizedText result;
    if (form.isNormalizedUTF8(source, status)) {
        result.text = text;
        return result;
    }
    check(status);
    icu::Edits edits;
    icu::StringByteSink<std::string> sink(&result.text);
    form.normalizeUTF8(0, source, sink, &edits, status);
    check(status);
    for (icu::Edits::Iterator at = edits.getFineIterator(); at.next(status);)
        result.stretches.push_back(
            {static_cast<std::size_t>(at.destinationIndex()),
             static_cast<std::size_t>(at.sourceIndex()), static_cast<std::size_t>(at.newLength()),
             static_cast<std::size_t>(at.oldLength()), static_cast<bool>(at.hasChange())});
    check(status);
    return result;
}

// Each character becomes what `change` says; nothing: it stays.
template <typename Change>
NormalizedText by_character(std::string_view text, const Change& change) {
    TextBuilder builder(text);
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Step step = next_utf8(text.substr(at));
        if (const std::optional<std::string> to = change(step.code_point))
            builder.replace(step.length, *to);
        else
            builder.keep(step.length);
        at += step.length;
    }
    return builder.finish();
}

bool is_space(char32_t c) {
    return u_isUWhiteSpace(static_cast<UChar32>(c));
}

std::size_t space_in_front(std::string_view text) {
    std::size_t bytes = 0;
    while (bytes < text.size()) {
        const Utf8Step step = next_utf8(text.substr(bytes));
        if (!is_space(step.code_point)) break;
        bytes += step.length;
    }
    return bytes;
}

std::size_t space_behind(std::string_view text) {
    std::size_t end = text.size();
    while (end > 0) {
        std::size_t begin = end - 1;
        while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
        if (!is_space(next_utf8(text.substr(begin)).code_point)) break;
        end = begin;
    }
    return text.size() - end;
}

}  // namespace

NormalizedText to_nfc(std::string_view text) {
    return normalize(instance_of(UnicodeForm::Nfc), text);
}

NormalizerStep to_unicode_form(UnicodeForm form) {
    return [&instance = instance_of(form)](std::string_view text, bool) {
        return normalize(instance, text);
    };
}

NormalizerStep lower_case() {
    return [](std::string_view text, bool) {
        return by_character(text, [](char32_t c) -> std::optional<std::string> {
            const auto lower = static_cast<char32_t>(u_tolower(static_cast<UChar32>(c)));
            if (lower == c) return std::nullopt;
            if (c == 0x130) return "i\u0307";  // the only one that becomes two characters
            std::string to;
            append_utf8(to, lower);
            return to;
        });
    };
}

NormalizerStep without_accents() {
    return [](std::string_view text, bool) {
        return by_character(text, [](char32_t c) -> std::optional<std::string> {
            const auto point = static_cast<UChar32>(c);
            if ((U_GET_GC_MASK(point) & U_GC_M_MASK) == 0 || !known_characters().contains(point))
                return std::nullopt;
            return "";
        });
    };
}

NormalizerStep without_space_around(bool left, bool right) {
    return [left, right](std::string_view text, bool) {
        const std::size_t front = left ? space_in_front(text) : 0;
        const std::size_t behind = right && front < text.size() ? space_behind(text) : 0;
        TextBuilder builder(text);
        if (front > 0) builder.replace(front, "");
        builder.keep(text.size() - front - behind);
        if (behind > 0) builder.replace(behind, "");
        return builder.finish();
    };
}

NormalizerStep replacing(std::string what, std::string by) {
    return [what = std::move(what), by = std::move(by)](std::string_view text, bool) {
        TextBuilder builder(text);
        std::size_t at = 0;
        for (std::size_t found = what.empty() ? std::string_view::npos : text.find(what);
             found != std::string_view::npos; found = text.find(what, at)) {
            builder.keep(found - at);
            builder.replace(what.size(), by);
            at = found + what.size();
        }
        return builder.finish();
    };
}

NormalizerStep replacing(Regex what, std::string by) {
    return [what = std::move(what), by = std::move(by)](std::string_view text, bool) {
        std::vector<Match> matches;
        what.find_all(text, matches);
        TextBuilder builder(text);
        std::size_t at = 0;
        for (const Match& match : matches) {
            builder.keep(match.begin - at);
            builder.replace(match.end - match.begin, by);
            at = match.end;
        }
        return builder.finish();
    };
}

NormalizerStep starting_with(std::string prefix) {
    return [prefix = std::move(prefix)](std::string_view text, bool at_start) {
        TextBuilder builder(text);
        if (at_start && !text.empty()) builder.replace(0, prefix);
        return builder.finish();
    };
}

NormalizerStep plain_spaces_and_no_controls() {
    return [](std::string_view text, bool) {
        return by_character(text, [](char32_t c) -> std::optional<std::string> {
            const bool dropped = (c >= 0x01 && c <= 0x08) || c == 0x0B ||
                                 (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F;
            if (dropped) return "";
            const bool space = c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
                               (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 ||
                               c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
            return space ? std::optional<std::string>(" ") : std::nullopt;
        });
    };
}

NormalizerStep single_spaces() {
    return [](std::string_view text, bool at_start) {
        TextBuilder builder(text);
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t space = text.find(' ', at);
            if (space == std::string_view::npos) break;
            std::size_t end = space;
            while (end < text.size() && text[end] == ' ') ++end;
            const bool around = (space == 0 && at_start) || end == text.size();
            builder.keep(space - at + (around ? 0 : 1));
            const std::size_t dropped = end - space - (around ? 0 : 1);
            if (dropped > 0) builder.replace(dropped, "");
            at = end;
        }
        return builder.finish();
    };
}

}  // namespace engine::tokenizer
