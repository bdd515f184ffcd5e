// SPDX-License-Identifier: GPL-3.0-or-later
// Chat templates are Jinja programs. The part of Jinja that widespread templates need is evaluated
// here, for one user message and the generation prompt after it, without the message's text: what
// depends on that text, or on anything else that is not known for certain, makes the template
// unknown, since a prompt that is nearly right misleads worse than none. Rendering is then the same
// for every text, which is why it can be done when the model is opened.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine::tokenizer {

// The parts of a rendered chat in order.
struct ChatPart {
    bool user = false;     // the user's text stands here
    std::string text;      // else this
    bool trimmed = false;  // without the white space around it, as Python's strip() sees it
    bool operator==(const ChatPart&) const = default;
};
using ChatParts = std::vector<ChatPart>;

// The texts of tokens that a template may name: bos_token, eos_token and so on.
using SpecialNames = std::map<std::string, std::string>;

// What Hugging Face's apply_chat_template renders for one user message with add_generation_prompt,
// without tools. Nothing where that cannot be told for certain. A template that asks for the date
// gets today's.
std::optional<ChatParts> render_chat_template(std::string_view source,
                                              const SpecialNames& names = {});

}  // namespace engine::tokenizer
