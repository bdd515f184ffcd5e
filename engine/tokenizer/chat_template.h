// SPDX-License-Identifier: GPL-3.0-or-later
// Chat templates are programs. The ones known here are recognized by their text and rendered for
// one user message; any other is refused, since a prompt that is nearly right misleads worse than
// none.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine::tokenizer {

// The parts of a rendered chat in order. Scaffolding that is a control token is named as one, so
// that nothing has to be searched for in what a user typed.
struct ChatPart {
    enum class Kind { Control, Text, User };
    Kind kind = Kind::Text;
    std::string text;  // of Control and Text; the user's own text stands in place of User
};

struct ChatTemplate {
    std::vector<ChatPart> parts;
};

// What the template renders for one user message and the generation prompt after it, with no tools;
// nothing where the template is not known.
std::optional<ChatTemplate> recognize_chat_template(std::string_view source);

}  // namespace engine::tokenizer
