// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/config_reader.h"

#include <limits>

#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::families {

using nlohmann::json;

std::string value_text(const json& value) {
    return formats::shown(value.dump(-1, ' ', true, json::error_handler_t::replace), 60);
}

const json* ConfigReader::find(const char* key) const {
    const auto at = object_.find(key);
    return at == object_.end() || at->is_null() ? nullptr : &*at;
}

bool ConfigReader::has_key(const char* key) const {
    return object_.contains(key);
}

void ConfigReader::wrong_type(const char* key, const char* wanted) const {
    const json* value = find(key);
    throw Error(
        Failure::Kind::BadFile,
        name(key) + " is " + (value ? value_text(*value) : "null") + ", " + wanted + " is needed",
        where_);
}

void ConfigReader::missing(const char* key) const {
    throw Error(Failure::Kind::BadFile, "the key " + name(key) + " is missing", where_);
}

std::int64_t ConfigReader::integer(const char* key, Limits limits) const {
    const json* value = find(key);
    if (!value) missing(key);
    if (!value->is_number_integer()) wrong_type(key, "an integer");
    if (value->is_number_unsigned() &&
        value->get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
        wrong_type(key, "a smaller integer");
    return within(value->get<std::int64_t>(), limits, name(key), where_);
}

std::int64_t ConfigReader::integer_or(const char* key, std::int64_t otherwise,
                                      Limits limits) const {
    return find(key) ? integer(key, limits) : within(otherwise, limits, name(key), where_);
}

double ConfigReader::number(const char* key) const {
    const json* value = find(key);
    if (!value) missing(key);
    if (!value->is_number()) wrong_type(key, "a number");
    return positive(value->get<double>(), name(key), where_);
}

double ConfigReader::number_or(const char* key, double otherwise) const {
    return find(key) ? number(key) : otherwise;
}

bool ConfigReader::flag_or(const char* key, bool otherwise) const {
    const json* value = find(key);
    if (!value) return otherwise;
    if (!value->is_boolean()) wrong_type(key, "true or false");
    return value->get<bool>();
}

std::string ConfigReader::text_or(const char* key, std::string otherwise) const {
    const json* value = find(key);
    if (!value) return otherwise;
    if (!value->is_string()) wrong_type(key, "a text");
    return value->get<std::string>();
}

}  // namespace engine::families
