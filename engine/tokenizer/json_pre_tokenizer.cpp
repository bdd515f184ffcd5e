// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/json_pre_tokenizer.h"

#include <array>
#include <utility>

namespace engine::tokenizer {
namespace {

class Reader {
  public:
    void read(const JsonFields& rule) {
        const std::string type = rule.type();
        // ByteLevel turns bytes into its characters; a rule after it would see those, not the text.
        if (byte_level_) rule.unsupported(in_quotes(type) + " after ByteLevel");
        if (type == "Sequence") {
            for (const JsonFields& one : rule.at("pretokenizers").items()) read(one);
        } else if (type == "Split") {
            rules_.push_back(Split{pattern_of(rule.at("pattern")), matches_of(rule.at("behavior")),
                                   rule.flag_or("invert", false)});
        } else if (type == "Digits") {
            const bool one_by_one = rule.flag_or("individual_digits", false);
            cut(rule, R"(\p{N})", one_by_one ? Matches::Isolated : Matches::Contiguous);
        } else if (type == "WhitespaceSplit") {
            cut(rule, R"(\s)", Matches::Removed);
        } else if (type == "Whitespace") {
            // A word character is UTS 18's: \w of PCRE2 lacks the marks.
            cut(rule,
                R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+)"
                R"(|[^\s\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+)",
                Matches::Removed, true);
        } else if (type == "Punctuation") {
            cut(rule, R"([\p{P}$+<=>\^`|~])",
                rule.has("behavior") ? matches_of(rule.at("behavior")) : Matches::Isolated);
        } else if (type == "CharDelimiterSplit") {
            cut(rule, quoted(rule.at("delimiter").text()), Matches::Removed);
        } else if (type == "Metaspace") {
            rules_.push_back(metaspace_of(rule));
        } else if (type == "ByteLevel") {
            byte_level_ = true;
            if (rule.flag_or("add_prefix_space", true)) rules_.push_back(AddPrefixSpace{});
            if (rule.flag_or("use_regex", true)) cut(rule, byte_level_pattern, Matches::Isolated);
        } else {
            rule.unsupported("the pre-tokenizer " + in_quotes(type));
        }
    }
    PreTokenizerRules finish() { return {std::move(rules_), byte_level_}; }

  private:
    void cut(const JsonFields& rule, std::string_view pattern, Matches matches,
             bool invert = false) {
        rules_.push_back(Split{Regex(pattern, rule.where()), matches, invert});
    }
    static std::string quoted(std::string_view text) {
        std::string out;
        for (const char c : text) {
            if (std::string_view("\\^$.|?*+()[]{}-&").find(c) != std::string_view::npos)
                out += '\\';
            out += c;
        }
        return out;
    }
    static Regex pattern_of(const JsonFields& pattern) {
        if (pattern.has("Regex")) return {pattern.at("Regex").text(), pattern.where()};
        return {quoted(pattern.at("String").text()), pattern.where()};
    }
    // Older files say add_prefix_space instead of prepend_scheme.
    static Metaspace metaspace_of(const JsonFields& rule) {
        Metaspace out{rule.at("replacement").text()};
        if (out.mark.empty() || out.mark.size() > 4) rule.bad("has a replacement of no character");
        const std::string scheme = rule.has("prepend_scheme") ? rule.at("prepend_scheme").text()
                                   : rule.flag_or("add_prefix_space", true) ? "always"
                                                                            : "never";
        if (scheme == "always")
            out.prefix = Metaspace::Prefix::Always;
        else if (scheme == "first")
            out.prefix = Metaspace::Prefix::First;
        else if (scheme == "never")
            out.prefix = Metaspace::Prefix::Never;
        else
            rule.unsupported("the prepend_scheme " + in_quotes(scheme));
        out.cut = rule.flag_or("split", true);
        return out;
    }
    static Matches matches_of(const JsonFields& behavior) {
        constexpr std::array<std::pair<std::string_view, Matches>, 5> known{
            {{"Isolated", Matches::Isolated},
             {"Removed", Matches::Removed},
             {"MergedWithPrevious", Matches::MergedWithPrevious},
             {"MergedWithNext", Matches::MergedWithNext},
             {"Contiguous", Matches::Contiguous}}};
        const std::string name = behavior.text();
        for (const auto& [text, matches] : known)
            if (text == name) return matches;
        behavior.unsupported(in_quotes(name));
    }

    std::vector<PreTokenizer::Rule> rules_;
    bool byte_level_ = false;
};

}  // namespace

PreTokenizerRules read_pre_tokenizer(const JsonFields& whole) {
    Reader reader;
    reader.read(whole);
    return reader.finish();
}

}  // namespace engine::tokenizer
