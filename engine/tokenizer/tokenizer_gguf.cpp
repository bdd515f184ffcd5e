// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/tokenizer_gguf.h"

#include "engine/formats/messages.h"
#include "engine/tokenizer/gguf_pre_tokenizers.h"
#include "engine/tokenizer/merge_text.h"
#include "engine/tokenizer/spm_vocabulary.h"
#include "engine/values/failure.h"

namespace engine::tokenizer {
namespace {

using formats::shown;

enum TokenType : std::int64_t {
    Normal = 1,
    Unknown = 2,
    Control = 3,
    UserDefined = 4,
    Unused = 5,
    Byte = 6
};

void add_pre_tokenizer(const formats::Metadata& metadata, TokenizerParts& parts) {
    const std::string name = metadata.text_or("tokenizer.ggml.pre", "");
    const GgufPreTokenizer rules = gguf_pre_tokenizer(name);
    for (const std::string_view pattern : rules.patterns)
        parts.rules.push_back(Split{Regex(pattern, parts.where), Matches::Isolated, false});
    if (rules.nfc) parts.normalizer.add(to_unicode_form(UnicodeForm::Nfc));
    parts.model.ignore_merges = rules.ignore_merges;
    if (rules.known) return;
    parts.warning = (name.empty() ? "The file names no pre-tokenizer"
                                  : "The pre-tokenizer \"" + shown(name) + "\" is not known here") +
                    ": text is cut as for GPT-2, so token ids may differ from the model's own";
}

const std::vector<std::int64_t>& token_types(const formats::Metadata& metadata, std::size_t tokens,
                                             const std::string& where) {
    const formats::MetaValue* const found = metadata.find("tokenizer.ggml.token_type");
    const auto* const types = found ? std::get_if<std::vector<std::int64_t>>(found) : nullptr;
    if (!types || types->size() != tokens)
        throw Error(Failure::Kind::BadFile,
                    "tokenizer.ggml.token_type has " +
                        (types ? std::to_string(types->size()) : "no") + " entries for " +
                        std::to_string(tokens) + " tokens",
                    where);
    if (tokens == 0 || tokens > largest_id)
        throw Error(Failure::Kind::BadFile,
                    std::to_string(tokens) + " tokens in tokenizer.ggml.tokens", where);
    return *types;
}

[[noreturn]] void refuse_type(std::size_t id, std::int64_t type, const std::string& where) {
    throw Error(Failure::Kind::BadFile,
                "token " + std::to_string(id) + " has type " + std::to_string(type) +
                    ", which a vocabulary of this kind does not have",
                where);
}

// As the metadata has them: normal tokens are the vocabulary, control and user-defined ones are
// matched in the text, unused ones only fill the table up.
void add_tokens(const formats::Metadata& metadata, TokenizerParts& parts) {
    const std::vector<std::string>& tokens = metadata.texts("tokenizer.ggml.tokens");
    const std::vector<std::int64_t>& types = token_types(metadata, tokens.size(), parts.where);
    for (std::uint32_t id = 0; id < tokens.size(); ++id) {
        switch (types[id]) {
            case Normal: parts.model.vocabulary.emplace_back(tokens[id], id); break;
            case Unknown:
            case Control: parts.added.push_back({id, tokens[id], true}); break;
            case UserDefined: parts.added.push_back({id, tokens[id], false}); break;
            case Unused: break;
            default: refuse_type(id, types[id], parts.where);
        }
    }
}

void add_spm(const formats::Metadata& metadata, TokenizerParts& parts) {
    const std::vector<std::string>& tokens = metadata.texts("tokenizer.ggml.tokens");
    const std::vector<std::int64_t>& types = token_types(metadata, tokens.size(), parts.where);
    const formats::MetaValue* const found = metadata.find("tokenizer.ggml.scores");
    const auto* const scores = found ? std::get_if<std::vector<double>>(found) : nullptr;
    if (!scores || scores->size() != tokens.size())
        throw Error(Failure::Kind::BadFile,
                    "tokenizer.ggml.scores has " +
                        (scores ? std::to_string(scores->size()) : "no") + " entries for " +
                        std::to_string(tokens.size()) + " tokens",
                    parts.where);
    SpmVocabulary vocabulary;
    vocabulary.prefix_space = metadata.flag_or("tokenizer.ggml.add_space_prefix", true);
    vocabulary.single_spaces = metadata.flag_or("tokenizer.ggml.remove_extra_whitespaces", false);
    for (std::size_t id = 0; id < tokens.size(); ++id) {
        if (types[id] < Normal || types[id] > Byte) refuse_type(id, types[id], parts.where);
        vocabulary.pieces.push_back(
            {tokens[id], (*scores)[id], static_cast<SpmVocabulary::Kind>(types[id])});
    }
    add_spm_vocabulary(vocabulary, parts);
}

std::uint32_t token_id(const formats::Metadata& metadata, const char* key,
                       const std::string& where) {
    const std::int64_t id = metadata.integer(key);
    const auto count = static_cast<std::int64_t>(metadata.texts("tokenizer.ggml.tokens").size());
    if (id < 0 || id >= count)
        throw Error(Failure::Kind::BadFile,
                    std::string(key) + " is " + std::to_string(id) + ", there are " +
                        std::to_string(count) + " tokens",
                    where);
    return static_cast<std::uint32_t>(id);
}

}  // namespace

TokenizerParts read_gguf_tokenizer(const formats::Metadata& metadata, const std::string& where) {
    TokenizerParts parts;
    parts.where = where;
    const std::string model = metadata.text_or("tokenizer.ggml.model", "(none)");
    bool adds_bos = true;
    if (model == "gpt2") {
        parts.token_bytes.byte_level = true;
        adds_bos = gguf_pre_tokenizer(metadata.text_or("tokenizer.ggml.pre", "")).adds_bos;
        add_pre_tokenizer(metadata, parts);
        add_tokens(metadata, parts);
        const MergeReader merges(parts.model, where);
        for (const std::string& merge : metadata.texts("tokenizer.ggml.merges"))
            parts.model.merges.push_back(merges.parts_of(merge));
    } else if (model == "llama") {
        add_spm(metadata, parts);
    } else {
        throw Error(
            Failure::Kind::Unsupported,
            "the tokenizer model \"" + shown(model) +
                "\" is not implemented; gpt2 (byte-level BPE) and llama (SentencePiece) are",
            where);
    }
    for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"})
        if (metadata.has(key)) parts.end_tokens.push_back(token_id(metadata, key, where));
    if (metadata.flag_or("tokenizer.ggml.add_bos_token",
                         adds_bos && metadata.has("tokenizer.ggml.bos_token_id")))
        parts.before.push_back(token_id(metadata, "tokenizer.ggml.bos_token_id", where));
    if (metadata.flag_or("tokenizer.ggml.add_eos_token", false))
        parts.after.push_back(token_id(metadata, "tokenizer.ggml.eos_token_id", where));
    parts.chat_template = metadata.text_or("tokenizer.chat_template", "");
    for (const char* name : {"bos", "eos"})
        if (const std::string key = std::string("tokenizer.ggml.") + name + "_token_id";
            metadata.has(key))
            parts.special_names[std::string(name) + "_token"] =
                metadata.texts("tokenizer.ggml.tokens")[token_id(metadata, key.c_str(), where)];
    return parts;
}

}  // namespace engine::tokenizer
