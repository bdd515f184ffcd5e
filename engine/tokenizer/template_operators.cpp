// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/template_operators.h"

#include <cstdlib>

namespace engine::tokenizer::jinja {
namespace {

constexpr std::size_t longest_value = 64 << 10;
constexpr std::int64_t largest_number = 1'000'000;

const std::int64_t* number(const Value& value) {
    return std::get_if<std::int64_t>(&value);
}
const std::int64_t* number(const std::optional<Value>& value) {
    return value ? number(*value) : nullptr;
}

std::string trimmed(const std::string& text) {
    constexpr std::string_view blank = " \t\n\r\v\f";
    const std::size_t from = text.find_first_not_of(blank);
    return from == std::string::npos ? ""
                                     : text.substr(from, text.find_last_not_of(blank) + 1 - from);
}

}  // namespace

void append(Text& to, const Text& more) {
    std::size_t size = 0;
    for (const Text* text : {static_cast<const Text*>(&to), &more})
        for (const ChatPart& part : text->parts) size += part.text.size() + 1;
    if (size > longest_value) throw NotKnown{};
    for (const ChatPart& part : more.parts) {
        if (!part.user && !to.parts.empty() && !to.parts.back().user)
            to.parts.back().text += part.text;
        else
            to.parts.push_back(part);
    }
}

Value concatenate(const Value& left, const Value& right) {
    const Text* const a = std::get_if<Text>(&left);
    const Text* const b = std::get_if<Text>(&right);
    if (!a || !b) return Unknown{};
    Text both = *a;
    append(both, *b);
    return both;
}

Value add(const Value& left, const Value& right) {
    const std::int64_t *const m = number(left), *const n = number(right);
    if (!m || !n) return concatenate(left, right);
    if (std::abs(*m) > largest_number || std::abs(*n) > largest_number) return Unknown{};
    return *m + *n;
}

Value subtract(const Value& left, const Value& right) {
    const std::int64_t *const m = number(left), *const n = number(right);
    if (!m || !n || std::abs(*m) > largest_number || std::abs(*n) > largest_number)
        return Unknown{};
    return *m - *n;
}

Value remainder(const Value& left, const Value& right) {
    const std::int64_t *const m = number(left), *const n = number(right);
    if (!m || !n || *m < 0 || *n <= 0) return Unknown{};
    return *m % *n;
}

Value compare(const Value& left, std::string_view how, const Value& right) {
    if (std::holds_alternative<Message>(right) && known_text(left)) {
        const bool there = *known_text(left) == "role" || *known_text(left) == "content";
        if (how == "in") return there;
        if (how == "not in") return !there;
    }
    const bool *const p = std::get_if<bool>(&left), *const q = std::get_if<bool>(&right);
    if (p && q && how == "==") return *p == *q;
    if (p && q && how == "!=") return *p != *q;
    const std::optional<std::string> a = known_text(left), b = known_text(right);
    if (a && b) {
        if (how == "==") return *a == *b;
        if (how == "!=") return *a != *b;
        if (how == "in") return b->find(*a) != std::string::npos;
        if (how == "not in") return b->find(*a) == std::string::npos;
    }
    if (const std::int64_t* const m = number(left), * const n = number(right); m && n) {
        if (how == "==") return *m == *n;
        if (how == "!=") return *m != *n;
        if (how == "<") return *m < *n;
        if (how == ">") return *m > *n;
        if (how == "<=") return *m <= *n;
        if (how == ">=") return *m >= *n;
    }
    return Unknown{};
}

Value index(const Value& of, const std::optional<Value>& at) {
    if (!at) throw NotKnown{};
    if (const auto name = known_text(*at)) return member(of, *name);
    const auto* const list = std::get_if<Messages>(&of);
    if (!list || !number(at)) return Unknown{};
    const bool there = !list->empty && (*number(at) == 0 || *number(at) == -1);
    return there ? Value(Message{}) : Value(Undefined{});
}

// Of a list of at most one message.
Value slice(const Value& of, const Bounds& bounds) {
    const auto* const list = std::get_if<Messages>(&of);
    if (!list) return Unknown{};
    const auto& [first, last, step] = bounds;
    if (!first && !last && number(step) && *number(step) == -1) return *list;  // reversed
    if (number(first) && *number(first) >= 0 && !last && !step)
        return Messages{list->empty || *number(first) > 0};
    return Unknown{};
}

Value filter(const Value& value, const std::string& name) {
    const auto* const list = std::get_if<Messages>(&value);
    if (list && (name == "length" || name == "count")) return std::int64_t{list->empty ? 0 : 1};
    if (name == "list" && list) return value;
    if (name == "trim") {
        if (const auto text = known_text(value)) return literal(trimmed(*text));
        const Text* const text = std::get_if<Text>(&value);
        if (text && text->parts.size() == 1) return Text{{{true, {}, true}}};  // the message's own
    }
    return Unknown{};
}

}  // namespace engine::tokenizer::jinja
