// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace engine::tokenizer::jinja {

// A template as text, {{ outputs }} and {% statements %}; comments are gone and white space is as
// Jinja leaves it with trim_blocks and lstrip_blocks, which is how Hugging Face runs templates.
struct Segment {
    enum class Kind { Text, Output, Statement };
    Kind kind = Kind::Text;
    std::string text;     // between the delimiters for Output and Statement
    std::string keyword;  // a Statement's first word
};

// Throws NotKnown for a tag that does not end, and for {% raw %}.
std::vector<Segment> split_template(std::string_view source);

}  // namespace engine::tokenizer::jinja
