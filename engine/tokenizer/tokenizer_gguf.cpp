// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/tokenizer_gguf.h"

#include "engine/formats/messages.h"
#include "engine/tokenizer/merge_text.h"
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

constexpr std::string_view qwen2_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";

Split isolate(std::string_view pattern, const std::string& where) {
    return {Regex(pattern, where), Matches::Isolated, false};
}

void add_pre_tokenizer(const formats::Metadata& metadata, TokenizerParts& parts) {
    const std::string name = metadata.text_or("tokenizer.ggml.pre", "default");
    if (name == "smollm") {
        parts.rules.push_back(isolate(R"(\p{N})", parts.where));
        parts.rules.push_back(isolate(byte_level_pattern, parts.where));
    } else if (name == "qwen2") {
        parts.rules.push_back(isolate(qwen2_pattern, parts.where));
        // The metadata does not say so, the tokenizer.json that it stands for does.
        parts.normalizer.add(to_unicode_form(UnicodeForm::Nfc));
    } else {
        throw Error(
            Failure::Kind::Unsupported,
            "the pre-tokenizer \"" + shown(name) + "\" is not implemented; smollm and qwen2 are",
            parts.where, "use the model's folder with tokenizer.json");
    }
}

// As the metadata has them: normal tokens are the vocabulary, control and user-defined ones are
// matched in the text, unused ones only fill the table up.
void add_tokens(const formats::Metadata& metadata, TokenizerParts& parts) {
    const std::vector<std::string>& tokens = metadata.texts("tokenizer.ggml.tokens");
    const formats::MetaValue* const found = metadata.find("tokenizer.ggml.token_type");
    const auto* const types = found ? std::get_if<std::vector<std::int64_t>>(found) : nullptr;
    if (!types || types->size() != tokens.size())
        throw Error(Failure::Kind::BadFile,
                    "tokenizer.ggml.token_type has " +
                        (types ? std::to_string(types->size()) : "no") + " entries for " +
                        std::to_string(tokens.size()) + " tokens",
                    parts.where);
    if (tokens.empty() || tokens.size() > largest_id)
        throw Error(Failure::Kind::BadFile,
                    std::to_string(tokens.size()) + " tokens in tokenizer.ggml.tokens",
                    parts.where);
    for (std::uint32_t id = 0; id < tokens.size(); ++id) {
        switch ((*types)[id]) {
            case Normal: parts.model.vocabulary.emplace_back(tokens[id], id); break;
            case Unknown:
            case Control: parts.added.push_back({id, tokens[id], true}); break;
            case UserDefined: parts.added.push_back({id, tokens[id], false}); break;
            case Unused: break;
            default:
                throw Error(Failure::Kind::BadFile,
                            "token " + std::to_string(id) + " has type " +
                                std::to_string((*types)[id]) +
                                "; a byte-level vocabulary has types 1 to 5",
                            parts.where);
        }
    }
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
    parts.token_bytes.byte_level = true;
    const std::string model = metadata.text_or("tokenizer.ggml.model", "(none)");
    if (model != "gpt2")
        throw Error(Failure::Kind::Unsupported,
                    "the tokenizer model \"" + shown(model) +
                        "\" is not implemented; gpt2 (byte-level BPE) is",
                    where);
    if (metadata.flag_or("tokenizer.ggml.add_eos_token", false))
        throw Error(Failure::Kind::Unsupported,
                    "a tokenizer that adds EOS to every text is not implemented", where);
    add_pre_tokenizer(metadata, parts);
    add_tokens(metadata, parts);
    const MergeReader merges(parts.model, where);
    for (const std::string& merge : metadata.texts("tokenizer.ggml.merges"))
        parts.model.merges.push_back(merges.parts_of(merge));
    for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"})
        if (metadata.has(key)) parts.end_tokens.push_back(token_id(metadata, key, where));
    if (metadata.flag_or("tokenizer.ggml.add_bos_token", false))
        parts.before.push_back(token_id(metadata, "tokenizer.ggml.bos_token_id", where));
    parts.chat_template = metadata.text_or("tokenizer.chat_template", "");
    return parts;
}

}  // namespace engine::tokenizer
