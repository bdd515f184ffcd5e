// SPDX-License-Identifier: GPL-3.0-or-later
// The way of a text: added tokens are cut out, the rest is normalized, cut into pieces and merged;
// every token keeps the bytes of the given text that it came from.
#include <algorithm>

#include "engine/formats/messages.h"
#include "engine/tokenizer/normalizer.h"
#include "engine/tokenizer/text_tokenizer.h"
#include "engine/tokenizer/utf8.h"
#include "engine/tokenizer/white_space.h"
#include "engine/values/failure.h"

namespace engine::tokenizer {
namespace {

constexpr std::size_t longest_input = 1u << 30;  // bytes; symbols count in 32 bits

// White space as Unicode has it or, with four separators of ASCII more, Python's strip().
bool is_blank(const Utf8Step& step, bool python) {
    if (step.kind != Utf8::Character) return false;
    return is_white_space(step.code_point) ||
           (python && step.code_point >= 0x1C && step.code_point <= 0x1F);
}
std::size_t blank_prefix(std::string_view text, bool python) {
    std::size_t bytes = 0;
    while (bytes < text.size()) {
        const Utf8Step step = next_utf8(text.substr(bytes));
        if (!is_blank(step, python)) break;
        bytes += step.length;
    }
    return bytes;
}
std::size_t blank_suffix(std::string_view text, bool python) {
    std::size_t end = text.size();
    while (end > 0) {
        const Utf8Step step = last_utf8(text.substr(0, end));
        if (!is_blank(step, python)) break;
        end -= step.length;
    }
    return text.size() - end;
}

}  // namespace

// A text to encode of which [given_begin, given_end) is the given text from `origin` on; the rest
// is scaffolding.
struct TextTokenizer::Stretch {
    std::string_view text;
    std::size_t given_begin = 0, given_end = 0, origin = 0;
    bool begins_prompt = true;  // nothing stands before it

    std::int64_t original(std::size_t at) const {
        return static_cast<std::int64_t>(std::clamp(at, given_begin, given_end) - given_begin +
                                         origin);
    }
};

struct TextTokenizer::Output {
    Encoding encoding;
    std::int64_t left_plain = 0;  // control strings that stayed text
    std::int64_t left_out = 0;    // bytes without a token
    std::vector<Symbol> symbols;
};

Encoding TextTokenizer::encode(std::string_view text, const TokenizeOptions& options) const {
    if (text.size() > longest_input)
        throw Error(Failure::Kind::BadRequest, "the text has " + std::to_string(text.size()) +
                                                   " bytes; the limit is " +
                                                   std::to_string(longest_input));
    if (valid_prefix(text) < text.size()) return encode_mended(text, options);
    Output out;
    if (options.chat) {
        encode_chat(text, options.parse_special, out);
    } else {
        encode_stretch({text, 0, text.size(), 0}, options.parse_special, out);
        if (options.add_bos) add_around(text, out);
    }
    std::vector<std::string>& notes = out.encoding.notes;
    if (out.left_plain > 0)
        notes.push_back(std::to_string(out.left_plain) +
                        (out.left_plain == 1 ? " control string is" : " control strings are") +
                        " plain text here (special tokens are not parsed)");
    if (out.left_out > 0)
        notes.push_back(std::to_string(out.left_out) +
                        (out.left_out == 1 ? " byte has" : " bytes have") +
                        " no token in this vocabulary and " +
                        (out.left_out == 1 ? "was left out" : "were left out"));
    return std::move(out.encoding);
}

// A text that is no UTF-8, as Hugging Face's tokenizers would be given it. Spans are of the bytes
// as given.
Encoding TextTokenizer::encode_mended(std::string_view text, const TokenizeOptions& options) const {
    const NormalizedText mended = without_broken_utf8(text);
    Encoding encoding = encode(mended.text, options);
    for (Token& token : encoding.tokens) {
        const auto begin = static_cast<std::size_t>(token.start),
                   end = static_cast<std::size_t>(token.end);
        const NormalizedText::Range range = begin == mended.text.size()
                                                ? NormalizedText::Range{text.size(), text.size()}
                                                : mended.original(begin, end);
        token.start = static_cast<std::int64_t>(range.begin);
        token.end = static_cast<std::int64_t>(range.end);
    }
    const auto parts =
        std::count_if(mended.stretches.begin(), mended.stretches.end(),
                      [](const NormalizedText::Stretch& stretch) { return stretch.changed; });
    encoding.notes.push_back(std::to_string(parts) +
                             (parts == 1 ? " part of the text is" : " parts of the text are") +
                             " not valid UTF-8 and read as U+FFFD");
    return encoding;
}

void TextTokenizer::add_around(std::string_view text, Output& out) const {
    std::vector<Token>& tokens = out.encoding.tokens;
    std::vector<std::string>& notes = out.encoding.notes;
    const auto end = static_cast<std::int64_t>(text.size());
    for (const std::uint32_t id : after_) {
        const Entry& entry = entries_[id];
        tokens.push_back({static_cast<TokenId>(id), entry.bytes, end, end, true});
        notes.push_back(formats::shown(entry.bytes) +
                        " added after the text by the tokenizer's own rule");
    }
    std::vector<Token> front;
    for (const std::uint32_t id : before_) {
        const Entry& bos = entries_[id];
        const std::string name = formats::shown(bos.bytes);
        if (before_.size() == 1 && !tokens.empty() && tokens.front().id == TokenId(id)) {
            notes.push_back("The text begins with " + name + ", so no second BOS was added");
            return;
        }
        front.push_back({static_cast<TokenId>(id), bos.bytes, 0, 0, true});
        notes.push_back("BOS " + name + " added by the tokenizer's own rule");
        if (!bos.bytes.empty() && text.starts_with(bos.bytes))
            notes.push_back("The text begins with the characters " + name +
                            "; they are plain text after the BOS");
    }
    tokens.insert(tokens.begin(), front.begin(), front.end());
}

void TextTokenizer::encode_chat(std::string_view text, bool parse_special, Output& out) const {
    if (chat_.empty())
        throw Error(Failure::Kind::BadRequest, "this model has no chat template that is known here",
                    "chat", "give the prompt as raw text");
    std::string joined;  // text between two control tokens: what a user typed may merge with the
                         // scaffolding around it
    bool given_seen = false;
    std::size_t given_begin = 0, given_end = 0, given_from = 0;
    const auto flush = [&] {
        const std::size_t origin =
            given_seen && given_begin == given_end ? text.size() : given_from;
        const bool begins = out.encoding.tokens.empty();
        encode_stretch({joined, given_begin, given_end, origin, begins}, parse_special, out);
        joined.clear();
        given_begin = given_end = 0;
    };
    for (const ChatStep& step : chat_) {
        switch (step.kind) {
            case ChatStep::Kind::Control:
                flush();
                push({{}, 0, 0, given_seen ? text.size() : 0}, step.id, 0, 0, out);
                break;
            case ChatStep::Kind::Text: joined += step.text; break;
            case ChatStep::Kind::User: {
                const bool trimmed = step.trimmed;
                const std::size_t left =
                    trimmed || step.strip_left ? blank_prefix(text, trimmed) : 0;
                const std::size_t right =
                    trimmed || step.strip_right ? blank_suffix(text.substr(left), trimmed) : 0;
                given_begin = joined.size();
                joined += text.substr(left, text.size() - left - right);
                given_end = joined.size();
                given_from = left;
                given_seen = true;
                break;
            }
        }
    }
    flush();
}

void TextTokenizer::encode_stretch(const Stretch& stretch, bool parse_special, Output& out) const {
    std::vector<AddedTokens::Hit> hits;
    out.left_plain += as_given_.find(stretch.text, parse_special, hits);
    std::size_t at = 0;
    for (const AddedTokens::Hit& hit : hits) {
        encode_between(stretch, at, hit.begin, parse_special, out);
        push(stretch, hit.id, hit.begin, hit.end, out);
        at = hit.end;
    }
    encode_between(stretch, at, stretch.text.size(), parse_special, out);
}

// Text without added tokens: valid UTF-8 goes through normalizer and pre-tokenizer. Broken bytes,
// which only a file's own scaffolding or an added token inside a character can leave here, go
// straight to the model.
void TextTokenizer::encode_between(const Stretch& stretch, std::size_t begin, std::size_t end,
                                   bool parse_special, Output& out) const {
    const std::size_t start = begin;
    while (begin < end) {
        const std::string_view rest = stretch.text.substr(begin, end - begin);
        if (const std::size_t valid = valid_prefix(rest); valid > 0) {
            encode_valid(stretch, begin, begin + valid, begin == start, parse_special, out);
            begin += valid;
            continue;
        }
        const std::size_t broken = broken_prefix(rest);
        encode_broken(stretch, begin, begin + broken, out);
        begin += broken;
    }
}

void TextTokenizer::encode_broken(const Stretch& stretch, std::size_t begin, std::size_t end,
                                  Output& out) const {
    out.symbols.clear();
    model_->encode(stretch.text.substr(begin, end - begin), out.symbols);
    std::size_t at = 0;
    for (const Symbol& symbol : out.symbols) {
        out.left_out += static_cast<std::int64_t>(symbol.begin - at);
        at = symbol.end;
        push(stretch, symbol.id, begin + symbol.begin, begin + symbol.end, out);
    }
    out.left_out += static_cast<std::int64_t>(end - begin - at);
}

void TextTokenizer::encode_valid(const Stretch& stretch, std::size_t begin, std::size_t end,
                                 bool at_start, bool parse_special, Output& out) const {
    ChangedText changed(stretch.text.substr(begin, end - begin));
    normalizer_.run(changed, at_start);
    const std::string_view text = changed.text();
    const auto push_range = [&](std::uint32_t id, std::size_t from, std::size_t to) {
        const NormalizedText::Range range = changed.original(from, to);
        push(stretch, id, begin + range.begin, begin + range.end, out);
    };
    const auto encode_part = [&](std::size_t from, std::size_t to) {
        const bool first =
            stretch.begins_prompt && begin == 0 && changed.original(from, from + 1).begin == 0;
        const CutText cut = pre_tokenizer_.split(text.substr(from, to - from), first);
        std::string spaced;
        for (const Piece& piece : cut.pieces) {
            std::string_view bytes = cut.text.text().substr(piece.begin, piece.end - piece.begin);
            if (piece.space_before) bytes = spaced = ' ' + std::string(bytes);
            const std::size_t shift = piece.space_before ? 1 : 0;
            const auto place = [&](std::size_t in_piece) {  // the added space takes no place
                return piece.begin + (in_piece > shift ? in_piece - shift : 0);
            };
            out.symbols.clear();
            model_->encode(bytes, out.symbols);
            std::size_t at = 0;
            for (const Symbol& symbol : out.symbols) {
                out.left_out += static_cast<std::int64_t>(symbol.begin - at);
                at = symbol.end;
                const NormalizedText::Range range =
                    cut.text.original(place(symbol.begin), place(symbol.end));
                push_range(symbol.id, from + range.begin, from + range.end);
            }
            out.left_out += static_cast<std::int64_t>(bytes.size() - at);
        }
    };
    std::vector<AddedTokens::Hit> hits;
    if (!normalized_.empty()) out.left_plain += normalized_.find(text, parse_special, hits);
    std::size_t at = 0;
    for (const AddedTokens::Hit& hit : hits) {
        if (hit.begin > at) encode_part(at, hit.begin);
        push_range(hit.id, hit.begin, hit.end);
        at = hit.end;
    }
    if (at < text.size()) encode_part(at, text.size());
}

void TextTokenizer::push(const Stretch& stretch, std::uint32_t id, std::size_t begin,
                         std::size_t end, Output& out) const {
    const Entry& entry = entries_[id];
    out.encoding.tokens.push_back({static_cast<TokenId>(id), entry.bytes, stretch.original(begin),
                                   stretch.original(end), entry.control});
}

}  // namespace engine::tokenizer
