// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/tokenizer_json.h"

#include "engine/tokenizer/json_fields.h"
#include "engine/tokenizer/json_pre_tokenizer.h"
#include "engine/tokenizer/merge_text.h"

namespace engine::tokenizer {
namespace {

bool is_set(const JsonFields& object, const char* key) {
    return object.has(key) &&
           !(object.at(key).value().is_string() && object.at(key).text().empty());
}

void read_vocabulary(const JsonFields& model, BpeModel& out) {
    const JsonFields vocabulary = model.at("vocab");
    if (!vocabulary.value().is_object() || vocabulary.value().empty())
        vocabulary.bad("holds no tokens");
    std::vector<bool> taken;
    for (const auto& [spelled, id] : vocabulary.value().items()) {
        const std::uint32_t number =
            JsonFields(id, model.where(), "the id of token " + in_quotes(spelled)).id();
        if (number >= taken.size()) taken.resize(number + 1);
        if (taken[number]) vocabulary.bad("gives the id " + std::to_string(number) + " twice");
        taken[number] = true;
        out.vocabulary.emplace_back(spelled, number);
    }
}

// Both forms: "a b", and ["a", "b"] of later files.
void read_merges(const JsonFields& model, BpeModel& out) {
    const MergeReader reader(out, model.where());
    for (const JsonFields& merge : model.at("merges").items()) {
        if (merge.value().is_string()) {
            out.merges.push_back(reader.parts_of(merge.text()));
            continue;
        }
        const std::vector<JsonFields> parts = merge.items();
        if (parts.size() != 2)
            merge.bad("has " + std::to_string(parts.size()) + " parts instead of 2");
        out.merges.emplace_back(parts[0].text(), parts[1].text());
    }
}

BpeModel read_model(const JsonFields& model) {
    const std::string type =
        model.has("type") ? model.type() : "BPE";  // the oldest files do not say
    if (type != "BPE") model.unsupported("the tokenizer model " + in_quotes(type));
    if (model.flag_or("byte_fallback", false)) model.unsupported("byte_fallback");
    if (is_set(model, "continuing_subword_prefix")) model.unsupported("continuing_subword_prefix");
    if (is_set(model, "end_of_word_suffix")) model.unsupported("end_of_word_suffix");
    if (model.has("dropout") && model.at("dropout").value() != 0) model.unsupported("dropout");
    BpeModel out;
    out.ignore_merges = model.flag_or("ignore_merges", false);
    out.fuse_unknown = model.flag_or("fuse_unk", false);
    if (model.has("unk_token")) out.unknown = model.at("unk_token").text();
    read_vocabulary(model, out);
    read_merges(model, out);
    return out;
}

AddedToken read_added_token(const JsonFields& token) {
    return {token.at("id").id(),
            token.at("content").text(),
            token.flag_or("special", false),
            token.flag_or("normalized", false),
            token.flag_or("single_word", false),
            token.flag_or("lstrip", false),
            token.flag_or("rstrip", false)};
}

bool read_normalizer(const JsonFields& normalizer) {
    const std::string type = normalizer.type();
    if (type == "NFC") return true;
    if (type != "Sequence") normalizer.unsupported("the normalizer " + in_quotes(type));
    bool nfc = false;
    for (const JsonFields& one : normalizer.at("normalizers").items()) nfc |= read_normalizer(one);
    return nfc;
}

// The token that a template puts before the text; nothing else may be added.
std::uint32_t read_template_token(const JsonFields& processor, const std::string& name) {
    const std::vector<JsonFields> ids =
        processor.at("special_tokens").at(name.c_str()).at("ids").items();
    if (ids.size() != 1)
        processor.unsupported("a special token of " + std::to_string(ids.size()) + " ids");
    return ids.front().id();
}

void read_post_processor(const JsonFields& processor, TokenizerParts& parts) {
    const std::string type = processor.type();
    if (type == "ByteLevel") return;  // moves offsets only
    if (type == "Sequence") {
        for (const JsonFields& one : processor.at("processors").items())
            read_post_processor(one, parts);
        return;
    }
    if (type != "TemplateProcessing")
        processor.unsupported("the post-processor " + in_quotes(type));
    bool text_seen = false;
    for (const JsonFields& piece : processor.at("single").items()) {
        if (piece.has("Sequence")) {
            if (text_seen) piece.unsupported("a template that repeats the text");
            text_seen = true;
            continue;
        }
        const std::string name = piece.at("SpecialToken").at("id").text();
        if (text_seen) piece.unsupported(in_quotes(name) + " after every text");
        if (parts.bos) piece.unsupported("a second token before every text");
        parts.bos = read_template_token(processor, name);
    }
    if (!text_seen) processor.bad("is a template without the text");
}

// Only says how tokens turn back into bytes, which a byte-level vocabulary does in one way.
void check_decoder(const JsonFields& decoder) {
    const std::string type = decoder.type();
    if (type != "ByteLevel") decoder.unsupported("the decoder " + in_quotes(type));
}

}  // namespace

TokenizerParts read_tokenizer_json(const nlohmann::json& file, const std::string& where) {
    const JsonFields root(file, where);
    TokenizerParts parts;
    parts.where = where;
    if (root.has("normalizer")) parts.nfc = read_normalizer(root.at("normalizer"));
    if (!root.has("pre_tokenizer")) root.unsupported("BPE without a byte-level pre-tokenizer");
    parts.rules = read_pre_tokenizer(root.at("pre_tokenizer"));
    if (root.has("post_processor")) read_post_processor(root.at("post_processor"), parts);
    if (root.has("decoder")) check_decoder(root.at("decoder"));
    parts.model = read_model(root.at("model"));
    if (root.has("added_tokens"))
        for (const JsonFields& token : root.at("added_tokens").items())
            parts.added.push_back(read_added_token(token));
    return parts;
}

}  // namespace engine::tokenizer
