// SPDX-License-Identifier: GPL-3.0-or-later
// What stands beside tokenizer.json: tokenizer_config.json (names of BOS and EOS, chat template),
// chat_template.jinja (where newer files keep the template), generation_config.json and config.json
// (ids that end a text).
#include <filesystem>

#include "engine/formats/json_text.h"
#include "engine/formats/mapped_file.h"
#include "engine/tokenizer/json_fields.h"
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
    const std::string eos = token_text(root, "eos_token");
    if (eos.empty()) return;
    for (const AddedToken& token : parts.added)
        if (token.content == eos) parts.end_tokens.push_back(token.id);
    for (const auto& [spelled, id] : parts.model.vocabulary)
        if (spelled == eos) parts.end_tokens.push_back(id);
}

}  // namespace

TokenizerParts read_tokenizer_folder(const std::string& folder, const nlohmann::json* config) {
    const fs::path root(folder);
    const fs::path main = root / "tokenizer.json";
    const nlohmann::json file = read_json(main, largest_tokenizer);
    if (file.is_null())
        throw Error(Failure::Kind::BadFile, "there is no tokenizer.json", folder,
                    "put the model's tokenizer.json beside its weights, or give token ids");
    TokenizerParts parts = read_tokenizer_json(file, main.string());

    const fs::path names = root / "tokenizer_config.json",
                   generation = root / "generation_config.json";
    if (const nlohmann::json read = read_json(names, largest_other); !read.is_null())
        add_config(JsonFields(read, names.string()), parts);
    add_end_ids(read_json(generation, largest_other), generation.string(), parts.end_tokens);
    if (config) add_end_ids(*config, (root / "config.json").string(), parts.end_tokens);

    const fs::path jinja = root / "chat_template.jinja";
    std::error_code ignored;
    if (fs::exists(jinja, ignored))
        parts.chat_template = formats::MappedFile::open(jinja.string())->text();
    return parts;
}

}  // namespace engine::tokenizer
