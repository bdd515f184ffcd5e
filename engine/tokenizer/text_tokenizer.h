// SPDX-License-Identifier: GPL-3.0-or-later
// The one Tokenizer there is: added tokens, normalizer, pre-tokenizer and model, put together from
// what a file says.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/tokenizer/added_tokens.h"
#include "engine/tokenizer/chat_template.h"
#include "engine/tokenizer/model.h"
#include "engine/tokenizer/normalizer.h"
#include "engine/tokenizer/pre_tokenizer.h"
#include "engine/tokenizer/token_bytes.h"
#include "engine/tokenizer/tokenizer.h"

namespace engine::tokenizer {

// What a reader of tokenizer files finds out.
struct TokenizerParts {
    std::string where;  // the file, for messages
    ModelParts model;
    std::vector<AddedToken> added;
    // Added tokens that are looked for in the normalized text are spelled as they are there.
    bool added_as_spelled = false;
    Normalizer normalizer;
    std::vector<PreTokenizer::Rule> rules;
    TokenBytes token_bytes;
    std::vector<std::uint32_t> before, after;  // put around a text by the tokenizer's own rule
    std::string warning;                       // of every text; may be empty
    std::vector<std::uint32_t> end_tokens;     // what the files name as end of text
    std::string chat_template;                 // "" where there is none
    SpecialNames special_names;                // "bos_token" and others, for the template
};

constexpr std::uint32_t largest_id =
    (1u << 24) - 1;  // of a token: bounds what a lying file makes us allocate

class TextTokenizer final : public Tokenizer {
  public:
    explicit TextTokenizer(TokenizerParts parts);

    Encoding encode(std::string_view text, const TokenizeOptions&) const override;
    int vocab() const override { return static_cast<int>(entries_.size()); }
    const std::string& bytes(TokenId) const override;
    bool is_control(TokenId) const override;
    bool ends_text(TokenId) const override;
    bool has_chat_template() const override { return !chat_.empty(); }
    bool has_unknown_template() const override { return states_template_ && chat_.empty(); }
    const std::string& warning() const override { return warning_; }

  private:
    struct Entry {
        std::string bytes;
        bool control = false, ends_text = false;
    };
    struct ChatStep {  // of a rendered chat: a control token, scaffolding text, or the user's text
        enum class Kind { Control, Text, User };
        Kind kind = Kind::Text;
        std::uint32_t id = 0;
        std::string text;
        // Of the user's text: the template trims it, or a control token beside it takes the white
        // space there.
        bool trimmed = false, strip_left = false, strip_right = false;
    };
    struct Stretch;
    struct Output;
    const Entry* find(TokenId) const;
    void name_tokens(const TokenizerParts&);
    void plan_chat(const TokenizerParts&);
    Encoding encode_mended(std::string_view text, const TokenizeOptions&) const;
    void encode_chat(std::string_view text, bool parse_special, Output&) const;
    void encode_stretch(const Stretch&, bool parse_special, Output&) const;
    void encode_between(const Stretch&, std::size_t begin, std::size_t end, bool parse_special,
                        Output&) const;
    void encode_valid(const Stretch&, std::size_t begin, std::size_t end, bool at_start,
                      bool parse_special, Output&) const;
    void encode_broken(const Stretch&, std::size_t begin, std::size_t end, Output&) const;
    void add_around(std::string_view text, Output&) const;
    void push(const Stretch&, std::uint32_t id, std::size_t begin, std::size_t end, Output&) const;

    std::vector<Entry> entries_;  // by id
    std::unique_ptr<const Model> model_;
    Normalizer normalizer_;
    AddedTokens as_given_, normalized_;
    PreTokenizer pre_tokenizer_;
    std::vector<std::uint32_t> before_, after_;
    std::string warning_;
    bool states_template_ = false;
    std::vector<ChatStep> chat_;  // empty: no template that is known
    std::unordered_map<std::string, std::uint32_t>
        controls_;  // control tokens by content, for scaffolding
};

}  // namespace engine::tokenizer
