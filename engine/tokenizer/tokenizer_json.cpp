// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/tokenizer_json.h"

#include "engine/tokenizer/json_parts.h"
#include "engine/tokenizer/json_pre_tokenizer.h"

namespace engine::tokenizer {
namespace {

AddedToken read_added_token(const JsonFields& token) {
    return {token.at("id").id(),
            token.at("content").text(),
            token.flag_or("special", false),
            token.flag_or("normalized", false),
            token.flag_or("single_word", false),
            token.flag_or("lstrip", false),
            token.flag_or("rstrip", false)};
}

}  // namespace

TokenizerParts read_tokenizer_json(const nlohmann::json& file, const std::string& where) {
    const JsonFields root(file, where);
    TokenizerParts parts;
    parts.where = where;
    if (root.has("normalizer")) read_normalizer(root.at("normalizer"), parts.normalizer);
    PreTokenizerRules cut;
    if (root.has("pre_tokenizer")) cut = read_pre_tokenizer(root.at("pre_tokenizer"));
    parts.rules = std::move(cut.rules);
    AroundText around;
    if (root.has("post_processor")) read_post_processor(root.at("post_processor"), around);
    parts.before = std::move(around.before);
    parts.after = std::move(around.after);
    parts.token_bytes.byte_level = cut.byte_level;
    if (root.has("decoder")) read_decoder(root.at("decoder"), parts.token_bytes);
    parts.model = read_model(root.at("model"), cut.byte_level);
    if (root.has("added_tokens"))
        for (const JsonFields& token : root.at("added_tokens").items())
            parts.added.push_back(read_added_token(token));
    return parts;
}

}  // namespace engine::tokenizer
