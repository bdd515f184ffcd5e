// SPDX-License-Identifier: GPL-3.0-or-later
// Untrusted JSON read strictly: every value by its type and its limits, and an error that says
// where it stands ("runs[1].at is -4, not a whole number from 0 to 12").
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace app {

// Throws engine::Error (BadFile) naming `where`: no JSON, or nested deeper than `depth`.
nlohmann::json parseJson(std::string_view text, int depth, const std::string& where);

// A view of one value and its place; the document outlives it. Everything throws engine::Error
// (BadFile).
class JsonReader {
  public:
    JsonReader(const nlohmann::json& value, std::string file)
        : m_value(&value), m_file(std::move(file)) {}

    JsonReader operator[](const char* key) const;           // of an object; must be there
    std::optional<JsonReader> find(const char* key) const;  // none: not there, or null
    std::size_t size() const;                               // of an array
    JsonReader item(std::size_t index) const;

    std::int64_t integer(std::int64_t low, std::int64_t high) const;
    std::uint64_t unsignedInteger() const;
    double real(double low, double high) const;
    bool flag() const;
    std::string text() const;
    std::size_t oneOf(std::span<const char* const> names) const;  // the index of the one it is

    [[noreturn]] void fail(const std::string& why) const;  // "runs[1].at " + why

  private:
    JsonReader(const nlohmann::json& value, std::string file, std::string place)
        : m_value(&value), m_file(std::move(file)), m_place(std::move(place)) {}
    [[noreturn]] void failAs(const std::string& wanted) const;

    const nlohmann::json* m_value;
    std::string m_file;   // for errors
    std::string m_place;  // "runs[1].at"; empty: the whole file
};

}  // namespace app
