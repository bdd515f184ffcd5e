// SPDX-License-Identifier: GPL-3.0-or-later
// A verb's options as a table, and what was typed checked against it. Numbers are read whole or not
// at all: no sign where none is meant, no trailing text, no overflow. Every error is engine::Error
// BadRequest that names option and value.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/failure.h"

namespace app {

// Thrown for --help and --version, wherever they stand: they win over every other argument.
struct HelpAsked {};
struct VersionAsked {};

struct Option {
    std::string name;   // "--layers"
    std::string value;  // "LIST" for the help text; empty: a switch
    std::string help;   // one line; empty: part of another option's line
};

class Arguments {
  public:
    // `typed` is what follows the verb. Options take `--name value` or `--name=value`, once each;
    // "--" ends them.
    Arguments(const std::vector<Option>& options, std::size_t mostPositionals,
              const std::vector<std::string>& typed);

    const std::vector<std::string>& positionals() const { return m_positionals; }
    bool has(const std::string& name) const { return m_values.contains(name); }
    std::optional<std::string> text(const std::string& name) const;
    std::string required(const std::string& name, const char* what) const;

    std::optional<std::int64_t> integer(const std::string& name, std::int64_t low,
                                        std::int64_t high) const;
    std::optional<std::uint64_t> unsignedInteger(const std::string& name) const;
    std::optional<double> real(const std::string& name, double low, double high) const;
    // "0,10,20": at least one.
    std::optional<std::vector<std::int64_t>> integers(const std::string& name, std::int64_t low,
                                                      std::int64_t high) const;
    std::optional<std::string> oneOf(const std::string& name,
                                     std::initializer_list<const char*> allowed) const;

  private:
    std::map<std::string, std::string> m_values;
    std::vector<std::string> m_positionals;
};

[[noreturn]] void badArgument(const std::string& option, std::string_view value,
                              const std::string& why);

// "1e3" and "0.8" but not "inf", "nan", "0x1p3", " 1" or "+1".
std::optional<double> parseReal(std::string_view text);

// Whole, non-negative decimal digits only; nullopt otherwise.
std::optional<std::uint64_t> parseUnsigned(std::string_view text);

// "a,b,c" cut at commas; empty parts stay, for the caller to refuse.
std::vector<std::string> splitList(std::string_view text);

}  // namespace app
