// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "engine/families/facts.h"

namespace engine::families {

// Typed reading of one JSON object. null is the same as absent, as in transformers. Each throws
// Error(BadFile) naming the key where the value has another type or lies outside its limits.
class ConfigReader {
  public:
    // The object must outlive the reader; `prefix` goes before a key in messages ("rope_scaling.").
    ConfigReader(const nlohmann::json& object, std::string where, std::string prefix = {})
        : object_(object), where_(std::move(where)), prefix_(std::move(prefix)) {}

    const nlohmann::json* find(const char* key) const;  // nullptr: absent or null
    bool has_key(const char* key) const;                // null counts

    std::int64_t integer(const char* key, Limits limits) const;  // required
    std::int64_t integer_or(const char* key, std::int64_t otherwise, Limits limits) const;
    double number(const char* key) const;                       // required, positive
    double number_or(const char* key, double otherwise) const;  // positive
    bool flag_or(const char* key, bool otherwise) const;
    std::string text_or(const char* key, std::string otherwise) const;

    const nlohmann::json& object() const { return object_; }
    const std::string& where() const { return where_; }
    std::string name(const char* key) const { return prefix_ + key; }
    [[noreturn]] void wrong_type(const char* key, const char* wanted) const;
    [[noreturn]] void missing(const char* key) const;

  private:
    const nlohmann::json& object_;
    std::string where_, prefix_;
};

std::string value_text(const nlohmann::json& value);  // for messages; short, printable

}  // namespace engine::families
