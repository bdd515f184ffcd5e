// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/json_number.h"
#include "engine/tokenizer/json_parts.h"
#include "engine/tokenizer/merge_text.h"

namespace engine::tokenizer {
namespace {

bool is_set(const JsonFields& object, const char* key) {
    return object.has(key) &&
           !(object.at(key).value().is_string() && object.at(key).text().empty());
}

void read_vocabulary(const JsonFields& model, ModelParts& out) {
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
void read_merges(const JsonFields& model, ModelParts& out) {
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

ModelParts read_bpe(const JsonFields& model, bool byte_level) {
    if (is_set(model, "continuing_subword_prefix")) model.unsupported("continuing_subword_prefix");
    if (is_set(model, "end_of_word_suffix")) model.unsupported("end_of_word_suffix");
    if (model.has("dropout") && model.at("dropout").value() != 0) model.unsupported("dropout");
    ModelParts out;
    out.kind = byte_level ? ModelParts::Kind::ByteLevelBpe : ModelParts::Kind::CharacterBpe;
    out.ignore_merges = model.flag_or("ignore_merges", false);
    out.fuse_unknown = model.flag_or("fuse_unk", false);
    // To a byte-level vocabulary every text is known characters already.
    out.byte_fallback = model.flag_or("byte_fallback", false);
    if (model.has("unk_token")) out.unknown = model.at("unk_token").text();
    read_vocabulary(model, out);
    read_merges(model, out);
    return out;
}

// A list of [token, score], the place being the id.
ModelParts read_unigram(const JsonFields& model, bool byte_level) {
    if (byte_level) model.unsupported("Unigram over byte-level characters");
    ModelParts out;
    out.kind = ModelParts::Kind::Unigram;
    out.byte_fallback = model.flag_or("byte_fallback", false);
    for (const JsonFields& entry : model.at("vocab").items()) {
        const std::vector<JsonFields> pair = entry.items();
        if (pair.size() != 2 || !pair[1].value().is_number())
            entry.bad("is not a token with its score");
        out.vocabulary.emplace_back(pair[0].text(),
                                    static_cast<std::uint32_t>(out.vocabulary.size()));
        out.scores.push_back(as_tokenizers_reads(pair[1].value().get<double>()));
    }
    if (out.vocabulary.empty()) model.at("vocab").bad("holds no tokens");
    if (model.has("unk_id")) {
        const std::uint32_t unknown = model.at("unk_id").id();
        if (unknown >= out.vocabulary.size()) model.at("unk_id").bad("is not in the vocabulary");
        out.unknown = out.vocabulary[unknown].first;
    }
    return out;
}

}  // namespace

ModelParts read_model(const JsonFields& model, bool byte_level) {
    // The oldest files do not say.
    const std::string type = model.has("type") ? model.type()
                             : model.has("vocab") && model.at("vocab").value().is_array()
                                 ? "Unigram"
                                 : "BPE";
    if (type == "BPE") return read_bpe(model, byte_level);
    if (type == "Unigram") return read_unigram(model, byte_level);
    model.unsupported("the tokenizer model " + in_quotes(type));
}

}  // namespace engine::tokenizer
