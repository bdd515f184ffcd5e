// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include "engine/formats/checkpoint.h"
#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::formats {
namespace {

const char* type_name(const MetaValue& value) {
    constexpr const char* names[] = {"a truth value",     "an integer",     "an integer",
                                     "a number",          "a text",         "a list of integers",
                                     "a list of numbers", "a list of texts"};
    return names[value.index()];
}

[[noreturn]] void wrong_type(std::string_view key, const MetaValue& value, const char* wanted) {
    throw Error(Failure::Kind::BadFile,
                shown(key) + " is " + type_name(value) + ", " + wanted + " is needed",
                "GGUF metadata");
}

const MetaValue& required(const Metadata& metadata, std::string_view key) {
    if (const MetaValue* value = metadata.find(key)) return *value;
    throw Error(Failure::Kind::BadFile, "the key " + shown(key) + " is missing", "GGUF metadata");
}

std::int64_t to_integer(std::string_view key, const MetaValue& value) {
    if (const auto* signed_value = std::get_if<std::int64_t>(&value)) return *signed_value;
    const auto* unsigned_value = std::get_if<std::uint64_t>(&value);
    if (!unsigned_value) wrong_type(key, value, "an integer");
    if (*unsigned_value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        throw Error(Failure::Kind::BadFile,
                    shown(key) + " is " + std::to_string(*unsigned_value) + ", too large",
                    "GGUF metadata");
    return static_cast<std::int64_t>(*unsigned_value);
}

double to_number(std::string_view key, const MetaValue& value) {
    if (const auto* number = std::get_if<double>(&value)) return *number;
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*integer);
    if (const auto* natural = std::get_if<std::uint64_t>(&value))
        return static_cast<double>(*natural);
    wrong_type(key, value, "a number");
}

template <typename T>
const T& as(std::string_view key, const MetaValue& value, const char* wanted) {
    if (const T* held = std::get_if<T>(&value)) return *held;
    wrong_type(key, value, wanted);
}

}  // namespace

void Metadata::set(std::string key, MetaValue value) {
    values_.insert_or_assign(std::move(key), std::move(value));
}

bool Metadata::has(std::string_view key) const {
    return values_.find(key) != values_.end();
}

const MetaValue* Metadata::find(std::string_view key) const {
    const auto at = values_.find(key);
    return at == values_.end() ? nullptr : &at->second;
}

std::int64_t Metadata::integer(std::string_view key) const {
    return to_integer(key, required(*this, key));
}

double Metadata::number(std::string_view key) const {
    return to_number(key, required(*this, key));
}

const std::string& Metadata::text(std::string_view key) const {
    return as<std::string>(key, required(*this, key), "a text");
}

const std::vector<std::string>& Metadata::texts(std::string_view key) const {
    return as<std::vector<std::string>>(key, required(*this, key), "a list of texts");
}

std::int64_t Metadata::integer_or(std::string_view key, std::int64_t otherwise) const {
    const MetaValue* value = find(key);
    return value ? to_integer(key, *value) : otherwise;
}

double Metadata::number_or(std::string_view key, double otherwise) const {
    const MetaValue* value = find(key);
    return value ? to_number(key, *value) : otherwise;
}

std::string Metadata::text_or(std::string_view key, const std::string& otherwise) const {
    const MetaValue* value = find(key);
    return value ? as<std::string>(key, *value, "a text") : otherwise;
}

bool Metadata::flag_or(std::string_view key, bool otherwise) const {
    const MetaValue* value = find(key);
    return value ? as<bool>(key, *value, "a truth value") : otherwise;
}

}  // namespace engine::formats
