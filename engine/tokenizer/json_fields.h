// SPDX-License-Identifier: GPL-3.0-or-later
// Reading fields of a JSON file that nobody vouches for: every miss is an Error(BadFile) that names
// file and field.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace engine::tokenizer {

// A name from a file as a message shows it.
std::string in_quotes(std::string_view name);

class JsonFields {
  public:
    // `value` must outlive this; `path` is the way to it, for messages ("pre_tokenizer").
    JsonFields(const nlohmann::json& value, std::string where, std::string path = {});

    bool has(const char* key) const;  // there, and not null
    JsonFields at(const char* key) const;
    std::vector<JsonFields> items() const;  // of an array
    std::string text() const;
    std::uint32_t id() const;  // a token id
    bool flag_or(const char* key, bool otherwise) const;
    std::string type() const { return at("type").text(); }

    const nlohmann::json& value() const { return value_; }
    const std::string& where() const { return where_; }
    [[noreturn]] void bad(const std::string& what) const;          // Error(BadFile)
    [[noreturn]] void unsupported(const std::string& what) const;  // Error(Unsupported)

  private:
    std::string named() const;
    const nlohmann::json& value_;
    std::string where_, path_;
};

}  // namespace engine::tokenizer
