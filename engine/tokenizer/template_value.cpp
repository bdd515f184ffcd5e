// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/template_value.h"

#include <array>

namespace engine::tokenizer::jinja {
namespace {

// What Hugging Face or Jinja define and we do not evaluate.
bool is_defined_elsewhere(std::string_view name) {
    constexpr std::array names{"range", "dict", "lipsum", "cycler", "joiner"};
    for (const std::string_view one : names)
        if (name == one) return true;
    return name.ends_with("_token") || name.ends_with("_tokens");  // bos_token, eos_token, …
}

template <typename T>
bool is(const Value& value) {
    return std::holds_alternative<T>(value);
}

}  // namespace

Scopes::Scopes(const SpecialNames& names) : scopes_(1) {
    for (const auto& [name, text] : names) set(name, literal(text));
    set("raise_exception", Function{});
    set("strftime_now", Function{});
    set("messages", Messages{});
    set("add_generation_prompt", true);
    set("tools", None{});
    set("documents", None{});
}

Value Scopes::find(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
        if (const auto found = scope->find(name); found != scope->end()) return found->second;
    if (is_defined_elsewhere(name)) return Unknown{};
    return Undefined{};
}

Value literal(std::string text) {
    Text made;
    if (!text.empty()) made.parts.push_back({false, std::move(text)});
    return made;
}

std::optional<std::string> known_text(const Value& value) {
    const Text* const text = std::get_if<Text>(&value);
    if (!text) return std::nullopt;
    std::string all;
    for (const ChatPart& part : text->parts) {
        if (part.user) return std::nullopt;
        all += part.text;
    }
    return all;
}

std::optional<bool> truth(const Value& value) {
    if (is<Unknown>(value)) return std::nullopt;
    if (is<Undefined>(value) || is<None>(value)) return false;
    if (const bool* flag = std::get_if<bool>(&value)) return *flag;
    if (const std::int64_t* number = std::get_if<std::int64_t>(&value)) return *number != 0;
    if (const Messages* list = std::get_if<Messages>(&value)) return !list->empty;
    if (const Text* text = std::get_if<Text>(&value)) {
        for (const ChatPart& part : text->parts)
            if (!part.user) return true;  // no literal part is empty
        if (!text->parts.empty()) return std::nullopt;
        return false;
    }
    return true;
}

Value from_truth(std::optional<bool> known) {
    return known ? Value(*known) : Value(Unknown{});
}

Value member(const Value& of, const std::string& name) {
    if (is<Message>(of)) {
        if (name == "role") return literal("user");
        if (name == "content") return Text{{{true, {}}}};
        constexpr std::array methods{"get", "items", "keys",   "values",
                                     "pop", "copy",  "update", "setdefault"};
        for (const std::string_view method : methods)
            if (name == method) return Unknown{};
        return Undefined{};
    }
    if (is<Loop>(of)) {
        if (name == "first" || name == "last") return true;
        if (name == "index0" || name == "revindex0") return std::int64_t{0};
        if (name == "index" || name == "revindex" || name == "length") return std::int64_t{1};
        return Unknown{};
    }
    if (const auto* space = std::get_if<std::shared_ptr<Namespace>>(&of)) {
        const auto found = (*space)->fields.find(name);
        return found == (*space)->fields.end() ? Value(Undefined{}) : found->second;
    }
    return Unknown{};
}

std::optional<bool> test(const Value& value, const std::string& name) {
    if (is<Unknown>(value)) return std::nullopt;
    if (name == "defined") return !is<Undefined>(value);
    if (name == "undefined") return is<Undefined>(value);
    if (name == "none") return is<None>(value);
    if (name == "true" || name == "false") {
        const bool* const flag = std::get_if<bool>(&value);
        return flag && *flag == (name == "true");
    }
    if (name == "string") return is<Text>(value);
    if (name == "mapping") return is<Message>(value);
    if (name == "callable") return is<Function>(value);
    if (name == "iterable" && (is<Text>(value) || is<Messages>(value))) return true;
    return std::nullopt;
}

}  // namespace engine::tokenizer::jinja
