// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/json_fields.h"

#include "engine/formats/messages.h"
#include "engine/tokenizer/text_tokenizer.h"
#include "engine/values/failure.h"

namespace engine::tokenizer {

std::string in_quotes(std::string_view name) {
    std::string out = "\"";
    out += formats::shown(name);
    out += '"';
    return out;
}

JsonFields::JsonFields(const nlohmann::json& value, std::string where, std::string path)
    : value_(value), where_(std::move(where)), path_(std::move(path)) {}

std::string JsonFields::named() const {
    return path_.empty() ? "the file" : path_;
}

void JsonFields::bad(const std::string& what) const {
    throw Error(Failure::Kind::BadFile, named() + " " + what, where_);
}
void JsonFields::unsupported(const std::string& what) const {
    throw Error(Failure::Kind::Unsupported, named() + ": " + what + " is not implemented", where_);
}

bool JsonFields::has(const char* key) const {
    if (!value_.is_object()) bad("is not an object");
    const auto found = value_.find(key);
    return found != value_.end() && !found->is_null();
}

JsonFields JsonFields::at(const char* key) const {
    if (!has(key)) bad(std::string("has no \"") + key + "\"");
    return {value_.at(key), where_, path_.empty() ? key : path_ + "." + key};
}

std::vector<JsonFields> JsonFields::items() const {
    if (!value_.is_array()) bad("is not a list");
    std::vector<JsonFields> all;
    all.reserve(value_.size());
    for (std::size_t i = 0; i < value_.size(); ++i)
        all.emplace_back(value_[i], where_, path_ + "[" + std::to_string(i) + "]");
    return all;
}

std::string JsonFields::text() const {
    if (!value_.is_string()) bad("is not a text");
    return value_.get<std::string>();
}

std::uint32_t JsonFields::id() const {
    if (!value_.is_number_integer()) bad("is not a token id");
    if (value_.is_number_unsigned() ? value_.get<std::uint64_t>() > largest_id
                                    : value_.get<std::int64_t>() < 0)
        bad("is " + value_.dump() + ", no token id (0 to " + std::to_string(largest_id) + ")");
    return value_.get<std::uint32_t>();
}

bool JsonFields::flag_or(const char* key, bool otherwise) const {
    if (!has(key)) return otherwise;
    const JsonFields field = at(key);
    if (!field.value_.is_boolean()) field.bad("is neither true nor false");
    return field.value_.get<bool>();
}

}  // namespace engine::tokenizer
