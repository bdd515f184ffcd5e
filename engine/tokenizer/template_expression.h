// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "engine/tokenizer/template_value.h"

namespace engine::tokenizer::jinja {

// An expression's value in these scopes. Every operand is evaluated, also where Jinja would stop
// early: nothing here has an effect, and what cannot be told is Unknown. Throws NotKnown for syntax
// that is not understood.
Value evaluate(std::string_view expression, const Scopes&);

// The first name of a tag's text; it is removed from the text. Throws NotKnown where there is none.
std::string take_name(std::string_view& text);

}  // namespace engine::tokenizer::jinja
