// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/text_tokenizer.h"

#include <algorithm>
#include <array>

#include "engine/tokenizer/bpe.h"
#include "engine/tokenizer/character_bpe.h"
#include "engine/tokenizer/unigram.h"
#include "engine/tokenizer/utf8.h"
#include "engine/values/failure.h"

namespace engine::tokenizer {
namespace {

// Control tokens at which generation may stop though no file names them.
constexpr std::array known_ends{"<|im_end|>", "<|endoftext|>", "<|end_of_text|>", "<|eot_id|>"};

std::vector<AddedToken> select(const std::vector<AddedToken>& all, bool normalized) {
    std::vector<AddedToken> chosen;
    for (const AddedToken& token : all)
        if (token.normalized == normalized) chosen.push_back(token);
    return chosen;
}

// As Hugging Face: what is looked for in normalized text is normalized too.
std::vector<AddedToken> normalized_tokens(const TokenizerParts& parts) {
    std::vector<AddedToken> tokens = select(parts.added, true);
    if (parts.added_as_spelled) return tokens;
    for (AddedToken& token : tokens)
        if (valid_prefix(token.content) == token.content.size()) {
            ChangedText content(token.content);
            parts.normalizer.run(content, true);
            token.content = std::string(content.text());
        }
    return tokens;
}

std::unique_ptr<const Model> make_model(const ModelParts& model, const std::string& where) {
    switch (model.kind) {
        case ModelParts::Kind::CharacterBpe: return std::make_unique<CharacterBpe>(model, where);
        case ModelParts::Kind::Unigram: return std::make_unique<Unigram>(model, where);
        case ModelParts::Kind::ByteLevelBpe: break;
    }
    return std::make_unique<Bpe>(model, where);
}

}  // namespace

TextTokenizer::TextTokenizer(TokenizerParts parts)
    : model_(make_model(parts.model, parts.where)),
      normalizer_(parts.normalizer),
      as_given_(select(parts.added, false), parts.where),
      normalized_(normalized_tokens(parts), parts.where),
      pre_tokenizer_(std::move(parts.rules)),
      before_(parts.before),
      after_(parts.after),
      warning_(parts.warning),
      states_template_(!parts.chat_template.empty()) {
    name_tokens(parts);
    plan_chat(parts);
}

void TextTokenizer::name_tokens(const TokenizerParts& parts) {
    const auto entry = [&](std::uint32_t id) -> Entry& {
        if (id > largest_id)
            throw Error(Failure::Kind::BadFile,
                        "token id " + std::to_string(id) + " is beyond the limit of " +
                            std::to_string(largest_id),
                        parts.where);
        if (id >= entries_.size()) entries_.resize(id + 1);
        return entries_[id];
    };
    for (const auto& [spelled, id] : parts.model.vocabulary) {
        entry(id).bytes = parts.token_bytes.of(spelled);
    }
    for (const AddedToken& token : parts.added) {
        Entry& named = entry(token.id);
        named.bytes = parts.added_as_spelled ? parts.token_bytes.of(token.content) : token.content;
        named.control = token.special;
        const bool known_end =
            std::find(known_ends.begin(), known_ends.end(), token.content) != known_ends.end();
        named.ends_text = token.special && known_end;
    }
    for (const std::uint32_t id : parts.end_tokens)
        if (id < entries_.size()) entries_[id].ends_text = true;
    for (const std::vector<std::uint32_t>* around : {&before_, &after_})
        for (const std::uint32_t id : *around)
            if (id >= entries_.size())
                throw Error(Failure::Kind::BadFile,
                            "token " + std::to_string(id) +
                                " is put around every text, the vocabulary has " +
                                std::to_string(entries_.size()),
                            parts.where);
}

// Finds the control tokens of the scaffolding once, here, so that none is ever looked for in what a
// user typed.
void TextTokenizer::plan_chat(const TokenizerParts& parts) {
    const std::optional<ChatParts> rendered =
        render_chat_template(parts.chat_template, parts.special_names);
    if (!rendered) return;
    const auto add_text = [&](std::string_view text) {
        if (!text.empty()) chat_.push_back({ChatStep::Kind::Text, 0, std::string(text)});
    };
    bool strip_next = false;  // a control token takes the white space behind it
    for (const ChatPart& part : *rendered) {
        if (part.user) {
            chat_.push_back({ChatStep::Kind::User, 0, {}, part.trimmed, strip_next});
            strip_next = false;
            continue;
        }
        std::vector<AddedTokens::Hit> hits;
        as_given_.find(part.text, true, hits);
        const std::string_view text = part.text;
        std::size_t at = 0;
        for (const AddedTokens::Hit& hit : hits) {
            if (!entries_[hit.id].control) continue;
            add_text(text.substr(at, hit.begin - at));
            const auto token = std::find_if(parts.added.begin(), parts.added.end(),
                                            [&](const AddedToken& t) { return t.id == hit.id; });
            if (token->lstrip && hit.begin == 0 && !chat_.empty()) chat_.back().strip_right = true;
            strip_next = token->rstrip && hit.end == text.size();
            chat_.push_back({ChatStep::Kind::Control, hit.id});
            at = hit.end;
        }
        add_text(text.substr(at));
        strip_next = strip_next && at == text.size();
    }
    // Turns are marked by control tokens; a vocabulary without them is not the template's.
    const auto is_control = [](const ChatStep& step) {
        return step.kind == ChatStep::Kind::Control;
    };
    if (std::none_of(chat_.begin(), chat_.end(), is_control)) chat_.clear();
}

const TextTokenizer::Entry* TextTokenizer::find(TokenId id) const {
    const auto index = static_cast<std::size_t>(to_int(id));
    return to_int(id) >= 0 && index < entries_.size() ? &entries_[index] : nullptr;
}

const std::string& TextTokenizer::bytes(TokenId id) const {
    static const std::string
        nothing;  // an embedding may have more rows than the vocabulary has tokens
    const Entry* const entry = find(id);
    return entry ? entry->bytes : nothing;
}
bool TextTokenizer::is_control(TokenId id) const {
    const Entry* const entry = find(id);
    return entry != nullptr && entry->control;
}
bool TextTokenizer::ends_text(TokenId id) const {
    const Entry* const entry = find(id);
    return entry != nullptr && entry->ends_text;
}

}  // namespace engine::tokenizer
