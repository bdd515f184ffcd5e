// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/added_tokens.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "engine/tokenizer/utf8.h"
#include "engine/tokenizer/white_space.h"
#include "engine/values/failure.h"

namespace engine::tokenizer {
namespace {

// \w and \s of Unicode's regular expressions (UTS 18, annex C), which is what Hugging Face asks
// here.
bool is_word(char32_t c) {
    const auto point = static_cast<UChar32>(c);
    const std::uint32_t mask = U_GET_GC_MASK(point);
    return u_hasBinaryProperty(point, UCHAR_ALPHABETIC) ||
           u_hasBinaryProperty(point, UCHAR_JOIN_CONTROL) ||
           (mask & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0;
}
bool touches_word(const Utf8Step& step) {
    return step.kind == Utf8::Character && is_word(step.code_point);
}
bool is_space(const Utf8Step& step) {
    return step.kind == Utf8::Character && is_white_space(step.code_point);
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const std::string& where)
    : tokens_(std::move(tokens)) {
    token_of_node_.push_back(none);
    for (std::uint32_t i = 0; i < tokens_.size(); ++i) {
        const std::string& content = tokens_[i].content;
        if (content.empty() || content.size() > longest)
            throw Error(Failure::Kind::BadFile,
                        "added token " + std::to_string(tokens_[i].id) + " has " +
                            std::to_string(content.size()) + " bytes; 1 to " +
                            std::to_string(longest) + " are allowed",
                        where);
        first_byte_[static_cast<unsigned char>(content.front())] = true;
        std::uint64_t node = 0;
        for (const char c : content) {
            const auto fresh = static_cast<std::uint32_t>(token_of_node_.size());
            const auto [child, added] =
                children_.try_emplace(node << 8 | static_cast<unsigned char>(c), fresh);
            if (added) token_of_node_.push_back(none);
            node = child->second;
        }
        token_of_node_[node] = i;
    }
}

const AddedToken* AddedTokens::longest_at(std::string_view text) const {
    if (!first_byte_[static_cast<unsigned char>(text.front())]) return nullptr;
    const AddedToken* best = nullptr;
    std::uint64_t node = 0;
    for (const char c : text) {
        const auto child = children_.find(node << 8 | static_cast<unsigned char>(c));
        if (child == children_.end()) break;
        node = child->second;
        if (token_of_node_[node] != none) best = &tokens_[token_of_node_[node]];
    }
    return best;
}

int AddedTokens::find(std::string_view text, bool parse_special, std::vector<Hit>& out) const {
    int left_plain = 0;
    std::size_t taken = 0;  // up to here the text belongs to hits
    for (std::size_t at = 0; at < text.size();) {
        const AddedToken* const token = longest_at(text.substr(at));
        if (!token) {
            ++at;
            continue;
        }
        std::size_t begin = at, end = at + token->content.size();
        at = end;
        if (token->special && !parse_special) {
            ++left_plain;
            continue;
        }
        const std::string_view before = text.substr(0, begin), after = text.substr(end);
        if (token->single_word && ((!before.empty() && touches_word(last_utf8(before))) ||
                                   (!after.empty() && touches_word(next_utf8(after)))))
            continue;
        if (token->lstrip)
            while (begin > taken) {
                const Utf8Step step = last_utf8(text.substr(0, begin));
                if (!is_space(step) || step.length > begin - taken) break;
                begin -= step.length;
            }
        if (token->rstrip)
            while (end < text.size()) {
                const Utf8Step step = next_utf8(text.substr(end));
                if (!is_space(step)) break;
                end += step.length;
            }
        out.push_back({token->id, begin, end});
        taken = at = end;
    }
    return left_plain;
}

}  // namespace engine::tokenizer
