// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files/json_reader.h"

#include <cmath>

#include "app/command_line/cli_text.h"
#include "engine/values/failure.h"

namespace app {

namespace {

constexpr const char* kHint = "nothing was changed";

[[noreturn]] void refuse(const std::string& what, const std::string& where) {
    throw engine::Error(engine::Failure::Kind::BadFile, what, where, kHint);
}

// What stands there, short.
std::string shown(const nlohmann::json& value) {
    using Type = nlohmann::json::value_t;
    switch (value.type()) {
        case Type::object: return "an object";
        case Type::array: return "a list of " + thousands(static_cast<std::int64_t>(value.size()));
        case Type::string: return quote(value.get_ref<const std::string&>());
        default: return value.dump();
    }
}

std::string number(double value) {
    return nlohmann::json(value).dump();
}

}  // namespace

nlohmann::json parseJson(std::string_view text, int depth, const std::string& where) {
    const auto shallow = [&](int at, nlohmann::json::parse_event_t, nlohmann::json&) {
        if (at > depth) refuse("nested more than " + std::to_string(depth) + " deep", where);
        return true;
    };
    try {
        return nlohmann::json::parse(text, shallow);
    } catch (const nlohmann::json::parse_error& error) {
        if (error.byte > text.size()) refuse("no JSON: it ends too early", where);
        refuse("no JSON: it stops making sense at byte " +
                   thousands(static_cast<std::int64_t>(error.byte)) + " of " +
                   thousands(static_cast<std::int64_t>(text.size())),
               where);
    } catch (const nlohmann::json::exception&) {  // 1e999
        refuse("no JSON: it has a number that is too large", where);
    }
}

void JsonReader::fail(const std::string& why) const {
    refuse((m_place.empty() ? std::string("the file") : m_place) + " " + why, m_file);
}

void JsonReader::failAs(const std::string& wanted) const {
    fail("is " + shown(*m_value) + ", not " + wanted);
}

std::optional<JsonReader> JsonReader::find(const char* key) const {
    if (!m_value->is_object()) failAs("an object");
    const auto at = m_value->find(key);
    if (at == m_value->end() || at->is_null()) return std::nullopt;
    return JsonReader(*at, m_file, m_place.empty() ? key : m_place + "." + key);
}

JsonReader JsonReader::operator[](const char* key) const {
    if (auto found = find(key)) return *found;
    fail(std::string("has no \"") + key + "\"");
}

std::size_t JsonReader::size() const {
    if (!m_value->is_array()) failAs("a list");
    return m_value->size();
}

JsonReader JsonReader::item(std::size_t index) const {
    return {(*m_value)[index], m_file, m_place + "[" + std::to_string(index) + "]"};
}

std::int64_t JsonReader::integer(std::int64_t low, std::int64_t high) const {
    const std::string wanted =
        "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
    if (!m_value->is_number_integer()) failAs(wanted);
    // Past the signed range a number is kept unsigned, and would come out negative.
    const bool fits = !m_value->is_number_unsigned() ||
                      m_value->get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX);
    const auto value = fits ? m_value->get<std::int64_t>() : 0;
    if (!fits || value < low || value > high) failAs(wanted);
    return value;
}

std::uint64_t JsonReader::unsignedInteger() const {
    if (!m_value->is_number_unsigned()) failAs("a whole number from 0 to 18446744073709551615");
    return m_value->get<std::uint64_t>();
}

double JsonReader::real(double low, double high) const {
    const auto value = m_value->is_number() ? m_value->get<double>() : std::nan("");
    if (!(value >= low && value <= high))
        failAs("a number from " + number(low) + " to " + number(high));
    return value;
}

bool JsonReader::flag() const {
    if (!m_value->is_boolean()) failAs("true or false");
    return m_value->get<bool>();
}

std::string JsonReader::text() const {
    if (!m_value->is_string()) failAs("a text");
    return m_value->get<std::string>();
}

std::size_t JsonReader::oneOf(std::span<const char* const> names) const {
    std::string all;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (m_value->is_string() && m_value->get_ref<const std::string&>() == names[i]) return i;
        all += (i == 0 ? "" : ", ") + std::string(names[i]);
    }
    failAs("one of " + all);
}

}  // namespace app
