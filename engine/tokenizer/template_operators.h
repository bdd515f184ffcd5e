// SPDX-License-Identifier: GPL-3.0-or-later
// What operators make of values that may be unknown: Unknown wherever Jinja's answer cannot be told
// for certain.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "engine/tokenizer/template_value.h"

namespace engine::tokenizer::jinja {

// Puts text behind text. Throws NotKnown past 64 KiB: a template that doubles a text again and
// again is no template.
void append(Text& to, const Text& more);

Value concatenate(const Value& left, const Value& right);  // ~
Value add(const Value& left, const Value& right);
Value subtract(const Value& left, const Value& right);
Value remainder(const Value& left, const Value& right);                      // %
Value compare(const Value& left, std::string_view how, const Value& right);  // "==", "not in", …
Value index(const Value& of, const std::optional<Value>& at);                // of[at]
using Bounds = std::array<std::optional<Value>, 3>;
Value slice(const Value& of, const Bounds&);  // of[first:last:step]
Value filter(const Value& value, const std::string& name);
// Now, in English, as Python's strftime writes it; Unknown for a format with more than day, month
// and year in it.
Value date_of_today(const Value& format);

}  // namespace engine::tokenizer::jinja
