// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens that are matched in the text as they are written, before any pre-tokenizing: control
// strings such as
// <|im_end|>, and plain additions such as <think>.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace engine::tokenizer {

struct AddedToken {
    std::uint32_t id = 0;
    std::string content;
    bool special = false;      // a control token: found in text only when asked for
    bool normalized = false;   // looked for in the normalized text instead of the text as given
    bool single_word = false;  // only where no word character touches it
    bool lstrip = false, rstrip = false;  // takes the white space on that side with it
};

// Finds the tokens of a set: at each place the longest, from left to right. Time is linear in the
// text times the longest token, which is bounded; nothing recurses.
class AddedTokens {
  public:
    struct Hit {
        std::uint32_t id = 0;
        std::size_t begin = 0, end = 0;
    };
    static constexpr std::size_t longest = 1024;  // bytes of one token

    // Throws Error(BadFile) for an empty or overlong token; `where` names the file.
    AddedTokens(std::vector<AddedToken> tokens, const std::string& where);

    // Appends the hits. Without `parse_special` control strings stay text, as Hugging Face's
    // encode_special_tokens has it; returns how many did.
    int find(std::string_view text, bool parse_special, std::vector<Hit>& out) const;
    bool empty() const { return tokens_.empty(); }

  private:
    const AddedToken* longest_at(std::string_view text) const;

    std::vector<AddedToken> tokens_;
    std::array<bool, 256> first_byte_{};
    std::unordered_map<std::uint64_t, std::uint32_t>
        children_;                              // node << 8 | byte to node; the root is 0
    std::vector<std::uint32_t> token_of_node_;  // index into tokens_, or none
    static constexpr std::uint32_t none = 0xFFFFFFFF;
};

}  // namespace engine::tokenizer
