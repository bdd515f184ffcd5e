// SPDX-License-Identifier: GPL-3.0-or-later
// Oniguruma (Ruby syntax) to PCRE2. Known differences: \s (PCRE2's holds U+180E, which is no white
// space since Unicode 6.3), \h (a hexadecimal digit there), ^ and $ (always at every line there),
// {n,m}+ (a repeated repetition there, a possessive one here), && and nested sets in classes, flags
// such as (?m).
#include <array>

#include "engine/tokenizer/regex.h"
#include "engine/values/failure.h"

namespace engine::tokenizer {
namespace {

class Translator {
  public:
    Translator(std::string_view pattern, const std::string& where)
        : pattern_(pattern), where_(where) {}

    std::string run() {
        while (at_ < pattern_.size()) step();
        if (in_class_) refuse("a character class that does not end");
        return std::move(out_);
    }

  private:
    [[noreturn]] void refuse(const std::string& construct) const {
        throw Error(Failure::Kind::Unsupported,
                    "the pre-tokenizer's pattern uses " + construct +
                        ", which is not implemented: " + std::string(pattern_.substr(0, 200)),
                    where_);
    }
    bool looking_at(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }
    void copy(std::size_t bytes) {
        out_ += pattern_.substr(at_, bytes);
        at_ += bytes;
    }

    void step() {
        const char c = pattern_[at_];
        if (c == '\\') return escape();
        if (in_class_) return inside_class(c);
        if (c == '[') {
            in_class_ = true;
            copy(looking_at("[^") ? 2 : 1);
            if (looking_at("]")) refuse("an empty class or one that begins with ]");
            return;
        }
        if (c == '(') return group();
        if (c == '^' || c == '$') refuse(std::string("the anchor ") + c);
        if (c == '{') return repetition();
        copy(1);
    }

    void inside_class(char c) {
        if (c == '[') refuse("a class inside a class");
        if (looking_at("&&")) refuse("an intersection of classes (&&)");
        if (c == ']') in_class_ = false;
        copy(1);
    }

    void escape() {
        if (at_ + 1 == pattern_.size()) refuse("a backslash at its end");
        const char c = pattern_[at_ + 1];
        const bool punctuation = static_cast<unsigned char>(c) < 0x80 && !isalnum_ascii(c);
        if (c == 's' || c == 'S') {
            out_ += c == 's' ? "\\p{White_Space}" : "\\P{White_Space}";
            at_ += 2;
        } else if (c == 'p' || c == 'P') {
            const std::size_t close = pattern_.find('}', at_);
            if (at_ + 2 >= pattern_.size() || pattern_[at_ + 2] != '{' ||
                close == std::string_view::npos)
                refuse("a property without braces");
            copy(close + 1 - at_);
        } else if (punctuation || std::string_view("rntfvd").find(c) != std::string_view::npos) {
            // \v is the one character U+000B in Oniguruma, any vertical space in PCRE2.
            if (c == 'v') {
                out_ += "\\x0B";
                at_ += 2;
            } else {
                copy(2);
            }
        } else {
            refuse(std::string("the escape \\") + c);
        }
    }

    void group() {
        if (!looking_at("(?")) return copy(1);
        constexpr std::array known{"(?:", "(?i:", "(?=", "(?!", "(?<=", "(?<!", "(?>"};
        for (const std::string_view opening : known)
            if (looking_at(opening)) return copy(opening.size());
        refuse("the group " + std::string(pattern_.substr(at_, 4)));
    }

    void repetition() {
        const std::size_t close = pattern_.find('}', at_);
        if (close == std::string_view::npos) refuse("a brace that does not close");
        const std::string_view counts = pattern_.substr(at_ + 1, close - at_ - 1);
        if (counts.empty() || counts.front() == ',' ||
            counts.find_first_not_of("0123456789,") != std::string_view::npos)
            refuse("the braces {" + std::string(counts) + "}");
        copy(close + 1 - at_);
        if (looking_at("+")) refuse("a repetition of a repetition");
    }

    static bool isalnum_ascii(char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    std::string_view pattern_;
    const std::string& where_;
    std::string out_;
    std::size_t at_ = 0;
    bool in_class_ = false;
};

}  // namespace

std::string to_pcre2(std::string_view pattern, const std::string& where) {
    return Translator(pattern, where).run();
}

}  // namespace engine::tokenizer
