// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/characters_map.h"

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "engine/tokenizer/utf8.h"
#include "engine/values/failure.h"

namespace engine::tokenizer {
namespace {

class CharactersMap {
  public:
    CharactersMap(std::string_view map, const std::string& where) {
        std::uint32_t bytes = 0;
        if (map.size() >= sizeof bytes) std::memcpy(&bytes, map.data(), sizeof bytes);
        if (map.size() < sizeof bytes || bytes % 4 != 0 || bytes > map.size() - sizeof bytes)
            throw Error(Failure::Kind::BadFile,
                        "precompiled_charsmap announces " + std::to_string(bytes) +
                            " bytes of trie, it has " + std::to_string(map.size()) + " in all",
                        where);
        units_.resize(bytes / 4);
        std::memcpy(units_.data(), map.data() + sizeof bytes, bytes);
        texts_ = map.substr(sizeof bytes + bytes);
    }

    struct Found {
        std::size_t length = 0;  // of the string in the text; 0: none
        std::string_view by;
    };
    // The shortest or longest string of the map that the text begins with.
    Found find(std::string_view text, bool longest) const {
        Found found;
        if (units_.empty()) return found;
        std::size_t at = offset(units_[0]);
        for (std::size_t i = 0; i < text.size(); ++i) {
            const auto byte = static_cast<unsigned char>(text[i]);
            at ^= byte;
            if (byte == 0 || at >= units_.size() || label(units_[at]) != byte) break;
            const std::uint32_t unit = units_[at];
            at ^= offset(unit);
            if ((unit >> 8 & 1) == 0 || at >= units_.size()) continue;  // no string ends here
            const std::size_t place = units_[at] & 0x7FFFFFFFu;
            if (place >= texts_.size()) continue;
            const std::string_view rest = std::string_view(texts_).substr(place);
            found = {i + 1, rest.substr(0, rest.find('\0'))};
            if (!longest) break;
        }
        return found;
    }

  private:
    static std::size_t offset(std::uint32_t unit) { return (unit >> 10) << ((unit & 0x200) >> 6); }
    static std::uint32_t label(std::uint32_t unit) { return unit & 0x800000FFu; }

    std::vector<std::uint32_t> units_;
    std::string texts_;
};

NormalizedText by_longest(const CharactersMap& map, std::string_view text) {
    TextBuilder builder(text);
    for (std::size_t at = 0; at < text.size();) {
        const CharactersMap::Found found = map.find(text.substr(at), true);
        const std::size_t length = found.length ? found.length : next_utf8(text.substr(at)).length;
        const bool same = found.length == 0 || found.by == text.substr(at, length);
        if (same)
            builder.keep(length);
        else
            builder.replace(length, found.by);
        at += length;
    }
    return builder.finish();
}

// Ends of the grapheme clusters of a text, by ICU.
class Clusters {
  public:
    explicit Clusters(std::string_view text) {
        UErrorCode status = U_ZERO_ERROR;
        iterator_.reset(
            icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
        text_ =
            utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status);
        if (U_SUCCESS(status)) iterator_->setText(text_, status);
        if (U_FAILURE(status))
            throw Error(Failure::Kind::Internal,
                        std::string("cannot find characters: ") + u_errorName(status));
        iterator_->first();
    }
    ~Clusters() { utext_close(text_); }
    Clusters(const Clusters&) = delete;
    Clusters& operator=(const Clusters&) = delete;
    std::size_t next() { return static_cast<std::size_t>(iterator_->next()); }

  private:
    std::unique_ptr<icu::BreakIterator> iterator_;
    UText* text_ = nullptr;
};

NormalizedText by_cluster(const CharactersMap& map, std::string_view text) {
    constexpr std::size_t longest_cluster = 5;  // bytes; longer ones go character by character
    TextBuilder builder(text);
    bool begun = false;
    std::size_t dropped = 0;  // in front of all else: it belongs to what comes first
    const auto put = [&](std::string_view part) {
        const CharactersMap::Found found = map.find(part, false);
        const std::string_view by = found.length > 0 ? found.by : part;
        if (!begun && by.empty()) {
            dropped += part.size();
            return;
        }
        if (by != part || (!begun && dropped > 0))
            builder.replace(part.size() + (begun ? 0 : dropped), by);
        else
            builder.keep(part.size());
        begun = true;
    };
    const auto put_cluster = [&](std::string_view cluster) {
        if (cluster.size() <= longest_cluster && map.find(cluster, false).length > 0) {
            put(cluster);
            return;
        }
        while (!cluster.empty()) {
            const std::size_t length = next_utf8(cluster).length;
            put(cluster.substr(0, length));
            cluster.remove_prefix(length);
        }
    };
    const bool ascii = std::all_of(text.begin(), text.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (ascii) {
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t length = text.substr(at).starts_with("\r\n") ? 2 : 1;
            put_cluster(text.substr(at, length));
            at += length;
        }
        if (!begun && dropped > 0) builder.replace(dropped, "");
        return builder.finish();
    }
    Clusters clusters(text);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(clusters.next(), text.size());
        put_cluster(text.substr(at, end - at));
        at = end;
    }
    if (!begun && dropped > 0) builder.replace(dropped, "");
    return builder.finish();
}

}  // namespace

NormalizerStep mapping_characters(std::string_view map, CharactersMapStyle style,
                                  const std::string& where) {
    if (map.empty())
        return [](std::string_view text, bool) { return NormalizedText{std::string(text), {}}; };
    const auto shared = std::make_shared<const CharactersMap>(map, where);
    if (style == CharactersMapStyle::SentencePiece)
        return [shared](std::string_view text, bool) { return by_longest(*shared, text); };
    return [shared](std::string_view text, bool) { return by_cluster(*shared, text); };
}

std::string from_base64(std::string_view text, const std::string& where) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    while (text.ends_with('=')) text.remove_suffix(1);
    std::string out;
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : text) {
        const std::size_t digit = digits.find(c);
        if (digit == std::string_view::npos)
            throw Error(Failure::Kind::BadFile, "precompiled_charsmap is not base64", where);
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        held += 6;
        if (held >= 8) {
            held -= 8;
            out += static_cast<char>(bits >> held & 0xFF);
        }
    }
    return out;
}

}  // namespace engine::tokenizer
