// SPDX-License-Identifier: GPL-3.0-or-later
// tokenizer.json, or tokenizer.model where there is none, and what stands beside it:
// tokenizer_config.json (names of BOS and EOS, chat template),
// chat_template.jinja (where newer files keep the template), generation_config.json and config.json
// (ids that end a text).
#include <charconv>
#include <filesystem>
#include <set>

#include "engine/formats/json_text.h"
#include "engine/formats/mapped_file.h"
#include "engine/tokenizer/json_fields.h"
#include "engine/tokenizer/spm_vocabulary.h"
#include "engine/tokenizer/tokenizer_json.h"
#include "engine/values/failure.h"

namespace engine::tokenizer {
namespace {

constexpr std::size_t largest_tokenizer =
    128'000'000;  // bytes; the largest published ones have a quarter of it
constexpr std::size_t largest_other = 16'000'000;

namespace fs = std::filesystem;

// Null where there is no such file.
nlohmann::json read_json(const fs::path& path, std::size_t limit) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return nullptr;
    const auto file = formats::MappedFile::open(path.string());
    return formats::parse_json(file->text(), path.string(), limit);
}

// An eos_token_id: one id, a list of them, or null.
void add_end_ids(const nlohmann::json& file, const std::string& where,
                 std::vector<std::uint32_t>& out) {
    if (!file.is_object()) return;
    const JsonFields root(file, where);
    if (!root.has("eos_token_id")) return;
    const JsonFields ids = root.at("eos_token_id");
    if (!ids.value().is_array()) return out.push_back(ids.id());
    for (const JsonFields& id : ids.items()) out.push_back(id.id());
}

// A special token is a text or an object with its content.
std::string token_text(const JsonFields& root, const char* key) {
    if (!root.has(key)) return {};
    const JsonFields token = root.at(key);
    return token.value().is_string() ? token.text() : token.at("content").text();
}

// One text, or several with names of which "default" is the one for chat.
std::string template_text(const JsonFields& root) {
    if (!root.has("chat_template")) return {};
    const JsonFields templates = root.at("chat_template");
    if (templates.value().is_string()) return templates.text();
    for (const JsonFields& one : templates.items())
        if (one.at("name").text() == "default") return one.at("template").text();
    return {};
}

void add_config(const JsonFields& root, TokenizerParts& parts) {
    parts.chat_template = template_text(root);
    for (const char* name : {"bos_token", "eos_token", "unk_token", "pad_token"})
        if (const std::string text = token_text(root, name); !text.empty())
            parts.special_names[name] = text;
    const std::string eos = token_text(root, "eos_token");
    if (eos.empty()) return;
    for (const AddedToken& token : parts.added)
        if (token.content == eos) parts.end_tokens.push_back(token.id);
    for (const auto& [spelled, id] : parts.model.vocabulary)
        if (spelled == eos) parts.end_tokens.push_back(id);
}

// Tokens that stand beside a tokenizer.model: {"32000": {"content": …}} of tokenizer_config.json.
void add_tokens_beside(const JsonFields& config, TokenizerParts& parts) {
    std::set<std::uint32_t> taken;
    for (const auto& entry : parts.model.vocabulary) taken.insert(entry.second);
    for (const AddedToken& token : parts.added) taken.insert(token.id);
    const auto add = [&](AddedToken token) {
        if (taken.insert(token.id).second) parts.added.push_back(std::move(token));
    };
    if (config.has("added_tokens_decoder")) {
        const JsonFields tokens = config.at("added_tokens_decoder");
        if (!tokens.value().is_object()) tokens.bad("is not an object");
        for (const auto& [id, value] : tokens.value().items()) {
            const JsonFields token = tokens.at(id.c_str());
            std::uint32_t number = 0;
            const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
            if (error != std::errc() || end != id.data() + id.size() || number > largest_id)
                token.bad("is no token id");
            add({number, token.at("content").text(), token.flag_or("special", false), false,
                 token.flag_or("single_word", false), token.flag_or("lstrip", false),
                 token.flag_or("rstrip", false)});
        }
    }
}

TokenizerParts read_spm_folder(const fs::path& path, const nlohmann::json& config) {
    const auto file = formats::MappedFile::open(path.string());
    if (file->size() > largest_tokenizer)
        throw Error(Failure::Kind::BadFile,
                    "the file has " + std::to_string(file->size()) + " bytes, at most " +
                        std::to_string(largest_tokenizer) + " are read",
                    path.string());
    const SpmFile spm = read_spm_file(file->text(), path.string());
    TokenizerParts parts;
    parts.where = path.string();
    add_spm_vocabulary(spm.vocabulary, parts);
    const std::string where = (path.parent_path() / "tokenizer_config.json").string();
    bool adds_bos = true, adds_eos = false;  // as the families that come without a tokenizer.json
    if (config.is_object()) {
        const JsonFields root(config, where);
        adds_bos = root.flag_or("add_bos_token", true);
        adds_eos = root.flag_or("add_eos_token", false);
        add_tokens_beside(root, parts);
    }
    if (adds_bos && spm.bos) parts.before.push_back(*spm.bos);
    if (adds_eos && spm.eos) parts.after.push_back(*spm.eos);
    if (spm.eos) parts.end_tokens.push_back(*spm.eos);
    return parts;
}

}  // namespace

TokenizerParts read_tokenizer_folder(const std::string& folder, const nlohmann::json* config) {
    const fs::path root(folder);
    const fs::path main = root / "tokenizer.json", spm = root / "tokenizer.model";
    const fs::path names = root / "tokenizer_config.json",
                   generation = root / "generation_config.json";
    const nlohmann::json named = read_json(names, largest_other);
    const nlohmann::json file = read_json(main, largest_tokenizer);
    std::error_code ignored;
    if (file.is_null() && !fs::exists(spm, ignored))
        throw Error(Failure::Kind::BadFile, "there is no tokenizer.json or tokenizer.model", folder,
                    "put the model's tokenizer.json beside its weights, or give token ids");
    TokenizerParts parts =
        file.is_null() ? read_spm_folder(spm, named) : read_tokenizer_json(file, main.string());
    if (!named.is_null()) add_config(JsonFields(named, names.string()), parts);
    add_end_ids(read_json(generation, largest_other), generation.string(), parts.end_tokens);
    if (config) add_end_ids(*config, (root / "config.json").string(), parts.end_tokens);

    const fs::path jinja = root / "chat_template.jinja";
    if (fs::exists(jinja, ignored))
        parts.chat_template = formats::MappedFile::open(jinja.string())->text();
    return parts;
}

}  // namespace engine::tokenizer
