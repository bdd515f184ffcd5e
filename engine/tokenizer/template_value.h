// SPDX-License-Identifier: GPL-3.0-or-later
// What an expression of a chat template can be, as far as it is known before there is a message.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/tokenizer/chat_template.h"

namespace engine::tokenizer::jinja {

// Thrown where the template holds what cannot be evaluated for certain; never leaves this folder's
// template code.
struct NotKnown {};

struct Unknown {};    // may be anything
struct Undefined {};  // a name or field that is not there
struct None {};
struct Text {
    ChatParts parts;  // a user part is the message's text, of which nothing is known
};
struct Messages {
    bool empty = false;  // else the one message
};
struct Message {};
struct Loop {};  // of a loop over one message
struct Namespace;
struct Function {};  // raise_exception, strftime_now

using Value = std::variant<Unknown, Undefined, None, bool, std::int64_t, Text, Messages, Message,
                           Loop, Function, std::shared_ptr<Namespace>>;
struct Namespace {
    std::map<std::string, Value> fields;
};

// Names in nested scopes, the innermost last: a loop's body is one.
class Scopes {
  public:
    explicit Scopes(const SpecialNames& names);
    void open() { scopes_.emplace_back(); }
    void close() { scopes_.pop_back(); }
    void set(const std::string& name, Value value) {
        scopes_.back().insert_or_assign(name, std::move(value));
    }
    Value find(const std::string& name) const;

  private:
    std::vector<std::map<std::string, Value>> scopes_;
};

Value literal(std::string text);
std::optional<std::string> known_text(const Value&);  // of a Text without the message in it
std::optional<bool> truth(const Value&);              // nothing: not known
Value from_truth(std::optional<bool> known);          // Unknown for nothing

// A value's field or item of that name (Jinja tries both for either spelling).
Value member(const Value& of, const std::string& name);
// What `value is test` says.
std::optional<bool> test(const Value& value, const std::string& name);

}  // namespace engine::tokenizer::jinja
