// SPDX-License-Identifier: GPL-3.0-or-later
// Precedence as in Jinja: x if y else z; or; and; not; comparisons; + and -; ~; %; then a primary
// with what follows it.
#include "engine/tokenizer/template_expression.h"

#include <array>

#include "engine/tokenizer/template_operators.h"

namespace engine::tokenizer::jinja {
namespace {

constexpr int deepest_brackets = 40;  // parentheses and brackets

bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

class Expression {
  public:
    Expression(std::string_view text, const Scopes& scopes) : rest_(text), scopes_(scopes) {}

    Value whole() {
        Value value = conditional();
        if (peek() != 0) throw NotKnown{};
        return value;
    }

  private:
    char peek() {
        while (!rest_.empty() &&
               std::string_view(" \t\n\r").find(rest_.front()) != std::string_view::npos)
            rest_.remove_prefix(1);
        return rest_.empty() ? '\0' : rest_.front();
    }
    bool take(std::string_view symbol) {
        peek();
        if (!rest_.starts_with(symbol)) return false;
        if (begins_name(symbol.front()) && rest_.size() > symbol.size() &&
            (begins_name(rest_[symbol.size()]) || is_digit(rest_[symbol.size()])))
            return false;  // a longer word
        rest_.remove_prefix(symbol.size());
        return true;
    }
    void need(std::string_view symbol) {
        if (!take(symbol)) throw NotKnown{};
    }

    Value conditional() {
        if (++depth_ > deepest_brackets) throw NotKnown{};
        Value value = either();
        if (take("if")) {
            const std::optional<bool> condition = truth(either());
            const Value otherwise = take("else") ? conditional() : Value(Undefined{});
            if (!condition) value = Unknown{};
            if (condition && !*condition) value = otherwise;
        }
        --depth_;
        return value;
    }
    Value either() {
        Value left = both();
        while (take("or")) {
            const Value right = both();
            const std::optional<bool> known = truth(left);
            if (!known)
                left = Unknown{};
            else if (!*known)
                left = right;
        }
        return left;
    }
    Value both() {
        Value left = negation();
        while (take("and")) {
            const Value right = negation();
            const std::optional<bool> known = truth(left);
            if (!known)
                left = Unknown{};
            else if (*known)
                left = right;
        }
        return left;
    }
    Value negation() {
        bool negated = false, any = false;
        while (take("not")) {
            negated = !negated;
            any = true;
        }
        Value value = comparison();
        if (!any) return value;
        const std::optional<bool> known = truth(value);
        return known ? Value(*known != negated) : Value(Unknown{});
    }

    Value comparison() {
        Value left = sum();
        bool compared = false;
        for (;;) {
            constexpr std::array operators{"==", "!=", "<=", ">=", "<", ">", "in", "not in"};
            std::string_view found;
            for (const std::string_view one : operators)
                if (take(one)) {
                    found = one;
                    break;
                }
            if (found.empty()) return left;
            if (compared) throw NotKnown{};  // a < b < c
            compared = true;
            left = compare(left, found, sum());
        }
    }
    Value sum() {
        Value left = joined();
        for (;;) {
            const bool plus = take("+");
            if (!plus && !take("-")) return left;
            const Value right = joined();
            left = plus ? add(left, right) : subtract(left, right);
        }
    }
    Value joined() {
        Value left = product();
        while (take("~")) left = concatenate(left, product());
        return left;
    }
    Value product() {
        Value left = operand();
        while (take("%")) left = remainder(left, operand());
        return left;
    }
    // A primary and what is applied to it: fields, items, calls, filters, tests.
    Value operand() {
        Value value = primary();
        for (;;) {
            if (take(".")) {
                const std::string name = take_name(rest_);
                if (std::holds_alternative<Text>(value) && name == "strip" && take("(")) {
                    need(")");
                    value = filter(value, "trim");
                    continue;
                }
                value = member(value, name);
            } else if (take("[")) {
                value = item(value);
            } else if (take("(")) {
                arguments();
                value = Unknown{};
            } else if (take("|")) {
                value = filtered(value, take_name(rest_));
            } else if (take("is")) {
                const bool negated = take("not");
                peek();
                const std::optional<bool> known = test(value, take_name(rest_));
                value = known ? Value(*known != negated) : Value(Unknown{});
            } else {
                return value;
            }
        }
    }
    Value primary() {
        const char c = peek();
        if (c == '\'' || c == '"') return literal(string_literal());
        if (is_digit(c) || c == '-') return number();
        if (take("(")) {
            Value value = conditional();
            need(")");
            return value;
        }
        const std::string name = take_name(rest_);
        if (name == "true" || name == "True") return true;
        if (name == "false" || name == "False") return false;
        if (name == "none" || name == "None") return None{};
        if (name == "namespace" && take("(")) {
            const auto space = std::make_shared<Namespace>();
            space->fields = arguments();
            return space;
        }
        if (name == "strftime_now" && take("(")) {
            const Value format = conditional();
            need(")");
            return date_of_today(format);
        }
        return scopes_.find(name);
    }
    Value number() {
        const bool negative = take("-");
        peek();
        std::int64_t value = 0;
        std::size_t digits = 0;
        for (; digits < rest_.size() && is_digit(rest_[digits]); ++digits) {
            if (digits == 9) throw NotKnown{};
            value = 10 * value + (rest_[digits] - '0');
        }
        rest_.remove_prefix(digits);
        if (digits == 0 || rest_.starts_with(".")) throw NotKnown{};
        return negative ? -value : value;
    }
    std::string string_literal() {
        const char quote = rest_.front();
        std::string text;
        for (std::size_t i = 1; i < rest_.size(); ++i) {
            if (rest_[i] == quote) {
                rest_.remove_prefix(i + 1);
                return text;
            }
            if (rest_[i] != '\\') {
                text += rest_[i];
                continue;
            }
            constexpr std::string_view escapes = "nrt\\'\"", meanings = "\n\r\t\\'\"";
            const std::size_t which =
                ++i < rest_.size() ? escapes.find(rest_[i]) : std::string_view::npos;
            if (which == std::string_view::npos) throw NotKnown{};
            text += meanings[which];
        }
        throw NotKnown{};
    }

    // Up to the closing parenthesis; the named ones come back.
    std::map<std::string, Value> arguments() {
        std::map<std::string, Value> named;
        while (!take(")")) {
            const std::string_view before = rest_;
            std::string name;
            if (begins_name(peek())) name = take_name(rest_);
            if (!name.empty() && peek() == '=' && !rest_.starts_with("==")) {
                need("=");
                named[name] = conditional();
            } else {
                rest_ = before;
                conditional();
            }
            if (!take(",") && peek() != ')') throw NotKnown{};
        }
        return named;
    }

    // After "[": an index, a field's name, or a slice.
    Value item(const Value& of) {
        Bounds bounds;
        std::size_t part = 0;
        while (!take("]")) {
            if (take(":")) {
                if (++part == bounds.size()) throw NotKnown{};
            } else {
                if (bounds[part]) throw NotKnown{};
                bounds[part] = conditional();
            }
        }
        return part == 0 ? index(of, bounds[0]) : slice(of, bounds);
    }

    Value filtered(const Value& value, const std::string& name) {
        if (!take("(")) return filter(value, name);
        arguments();
        return Unknown{};  // no filter with arguments is evaluated
    }

    std::string_view rest_;
    const Scopes& scopes_;
    int depth_ = 0;
};

}  // namespace

Value evaluate(std::string_view expression, const Scopes& scopes) {
    return Expression(expression, scopes).whole();
}

std::string take_name(std::string_view& text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\n'))
        text.remove_prefix(1);
    std::size_t size = 0;
    while (size < text.size() && (begins_name(text[size]) || (size > 0 && is_digit(text[size]))))
        ++size;
    if (size == 0) throw NotKnown{};
    std::string name(text.substr(0, size));
    text.remove_prefix(size);
    return name;
}

}  // namespace engine::tokenizer::jinja
