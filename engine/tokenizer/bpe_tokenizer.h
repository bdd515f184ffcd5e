// SPDX-License-Identifier: GPL-3.0-or-later
// The one Tokenizer there is: added tokens, NFC, pre-tokenizer and byte-level BPE, put together
// from what a file says.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/tokenizer/added_tokens.h"
#include "engine/tokenizer/bpe.h"
#include "engine/tokenizer/chat_template.h"
#include "engine/tokenizer/pre_tokenizer.h"
#include "engine/tokenizer/tokenizer.h"

namespace engine::tokenizer {

// What a reader of tokenizer files finds out.
struct TokenizerParts {
    std::string where;  // the file, for messages
    BpeModel model;
    std::vector<AddedToken> added;
    bool nfc = false;
    std::vector<PreTokenizer::Rule> rules;
    std::optional<std::uint32_t> bos;       // put before a text by the tokenizer's own rule
    std::vector<std::uint32_t> end_tokens;  // what the files name as end of text
    std::string chat_template;              // "" where there is none
};

constexpr std::uint32_t largest_id =
    (1u << 24) - 1;  // of a token: bounds what a lying file makes us allocate

class BpeTokenizer final : public Tokenizer {
  public:
    explicit BpeTokenizer(TokenizerParts parts);

    Encoding encode(std::string_view text, const TokenizeOptions&) const override;
    int vocab() const override { return static_cast<int>(entries_.size()); }
    const std::string& bytes(TokenId) const override;
    bool is_control(TokenId) const override;
    bool ends_text(TokenId) const override;
    bool has_chat_template() const override { return !chat_.empty(); }

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
    };
    struct Stretch;
    struct Output;
    const Entry* find(TokenId) const;
    void name_tokens(const TokenizerParts&);
    void plan_chat(const TokenizerParts&);
    void encode_chat(std::string_view text, bool parse_special, Output&) const;
    void encode_stretch(const Stretch&, bool parse_special, Output&) const;
    void encode_between(const Stretch&, std::size_t begin, std::size_t end, bool parse_special,
                        Output&) const;
    void encode_valid(const Stretch&, std::size_t begin, std::size_t end, bool parse_special,
                      Output&) const;
    void add_bos(std::string_view text, Output&) const;
    void push(const Stretch&, std::uint32_t id, std::size_t begin, std::size_t end, Output&) const;

    std::vector<Entry> entries_;  // by id
    Bpe bpe_;
    AddedTokens as_given_, normalized_;
    PreTokenizer pre_tokenizer_;
    bool nfc_ = false;
    std::optional<std::uint32_t> bos_;
    std::vector<ChatStep> chat_;  // empty: no template that is known
    std::unordered_map<std::string, std::uint32_t>
        controls_;  // control tokens by content, for scaffolding
};

}  // namespace engine::tokenizer
