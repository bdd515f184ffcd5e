// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/command_line/cli_text.h"

namespace app {
namespace {

[[noreturn]] void refuse(std::string what) {
    throw engine::Error(engine::Failure::Kind::BadRequest, std::move(what));
}

const Option* find(const std::vector<Option>& options, std::string_view name) {
    const auto at = std::find_if(options.begin(), options.end(),
                                 [&](const Option& option) { return option.name == name; });
    return at == options.end() ? nullptr : &*at;
}

std::string trimmed(double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
}

}  // namespace

void badArgument(const std::string& option, std::string_view value, const std::string& why) {
    refuse(option + " " + quote(value) + ": " + why);
}

std::optional<std::uint64_t> parseUnsigned(std::string_view text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
}

std::optional<double> parseReal(std::string_view text) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::vector<std::string> splitList(std::string_view text) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0;;) {
        const std::size_t comma = text.find(',', begin);
        parts.emplace_back(text.substr(begin, comma - begin));
        if (comma == std::string_view::npos) return parts;
        begin = comma + 1;
    }
}

Arguments::Arguments(const std::vector<Option>& options, std::size_t mostPositionals,
                     const std::vector<std::string>& typed) {
    bool ended = false;
    std::optional<engine::Error> firstError;
    const auto note = [&](const std::string& what) {
        // --help and --version still win when they come later.
        if (!firstError) firstError = engine::Error(engine::Failure::Kind::BadRequest, what);
    };
    for (std::size_t i = 0; i < typed.size(); ++i) {
        const std::string& word = typed[i];
        if (ended || word.size() < 2 || word[0] != '-') {
            if (m_positionals.size() == mostPositionals)
                note("unexpected argument " + quote(word));
            else
                m_positionals.push_back(word);
            continue;
        }
        if (word == "--") {
            ended = true;
            continue;
        }
        if (word == "--help" || word == "-h") throw HelpAsked{};
        if (word == "--version") throw VersionAsked{};
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const Option* option = find(options, name);
        if (!option) {
            note("unknown option " + quote(name));
            continue;
        }
        if (m_values.contains(name)) note(name + " is given twice");
        if (option->value.empty()) {
            if (equals != std::string::npos) note(name + " takes no value");
            m_values.emplace(name, "");
        } else if (equals != std::string::npos) {
            m_values.emplace(name, word.substr(equals + 1));
        } else if (i + 1 == typed.size()) {
            note(name + " needs a value (" + option->value + ")");
        } else if (find(options, typed[i + 1]) || typed[i + 1] == "--help") {
            // Far more often a forgotten value than a value that looks like an option.
            note(name + " needs a value; write " + name + "=" + typed[i + 1] + " if that is meant");
        } else {
            m_values.emplace(name, typed[++i]);
        }
    }
    if (firstError) throw *firstError;
}

std::optional<std::string> Arguments::text(const std::string& name) const {
    const auto at = m_values.find(name);
    return at == m_values.end() ? std::nullopt : std::optional(at->second);
}

std::string Arguments::required(const std::string& name, const char* what) const {
    const auto value = text(name);
    if (!value) refuse(name + " is missing: " + what);
    if (value->empty()) badArgument(name, *value, what);
    return *value;
}

std::optional<std::int64_t> Arguments::integer(const std::string& name, std::int64_t low,
                                               std::int64_t high) const {
    const auto value = text(name);
    if (!value) return std::nullopt;
    const auto number = parseUnsigned(*value);
    if (!number || *number < static_cast<std::uint64_t>(low) ||
        *number > static_cast<std::uint64_t>(high))
        badArgument(name, *value,
                    "not a whole number from " + thousands(low) + " to " + thousands(high));
    return static_cast<std::int64_t>(*number);
}

std::optional<std::uint64_t> Arguments::unsignedInteger(const std::string& name) const {
    const auto value = text(name);
    if (!value) return std::nullopt;
    const auto number = parseUnsigned(*value);
    if (!number) badArgument(name, *value, "not a whole number from 0 to 18446744073709551615");
    return number;
}

std::optional<double> Arguments::real(const std::string& name, double low, double high) const {
    const auto value = text(name);
    if (!value) return std::nullopt;
    const auto number = parseReal(*value);
    if (!number || *number < low || *number > high)
        badArgument(name, *value, "not a number from " + trimmed(low) + " to " + trimmed(high));
    return number;
}

std::optional<std::vector<std::int64_t>> Arguments::integers(const std::string& name,
                                                             std::int64_t low,
                                                             std::int64_t high) const {
    const auto value = text(name);
    if (!value) return std::nullopt;
    std::vector<std::int64_t> numbers;
    for (const std::string& part : splitList(*value)) {
        const auto number = parseUnsigned(part);
        if (!number || *number < static_cast<std::uint64_t>(low) ||
            *number > static_cast<std::uint64_t>(high))
            badArgument(name, *value,
                        quote(part) + " is not a whole number from " + thousands(low) + " to " +
                            thousands(high));
        numbers.push_back(static_cast<std::int64_t>(*number));
    }
    return numbers;
}

std::optional<std::string> Arguments::oneOf(const std::string& name,
                                            std::initializer_list<const char*> allowed) const {
    auto value = text(name);
    if (!value) return std::nullopt;
    if (std::find(allowed.begin(), allowed.end(), *value) == allowed.end()) {
        std::string names;
        for (const char* word : allowed) names += (names.empty() ? "" : ", ") + std::string(word);
        badArgument(name, *value, "not one of " + names);
    }
    return value;
}

}  // namespace app
