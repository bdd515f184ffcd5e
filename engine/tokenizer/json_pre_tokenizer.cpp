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
            rules_.push_back(Split{Regex(R"(\p{N})", rule.where()),
                                   one_by_one ? Matches::Isolated : Matches::Contiguous, false});
        } else if (type == "ByteLevel") {
            byte_level_ = true;
            if (rule.flag_or("add_prefix_space", true)) rules_.push_back(AddPrefixSpace{});
            if (rule.flag_or("use_regex", true))
                rules_.push_back(
                    Split{Regex(byte_level_pattern, rule.where()), Matches::Isolated, false});
        } else {
            rule.unsupported("the pre-tokenizer " + in_quotes(type));
        }
    }
    std::vector<PreTokenizer::Rule> finish(const JsonFields& whole) {
        if (!byte_level_) whole.unsupported("a pre-tokenizer without ByteLevel");
        return std::move(rules_);
    }

  private:
    static Regex pattern_of(const JsonFields& pattern) {
        if (pattern.has("Regex")) return {pattern.at("Regex").text(), pattern.where()};
        std::string quoted;
        for (const char c : pattern.at("String").text()) {
            if (std::string_view("\\^$.|?*+()[]{}-&").find(c) != std::string_view::npos)
                quoted += '\\';
            quoted += c;
        }
        return {quoted, pattern.where()};
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

std::vector<PreTokenizer::Rule> read_pre_tokenizer(const JsonFields& whole) {
    Reader reader;
    reader.read(whole);
    return reader.finish(whole);
}

}  // namespace engine::tokenizer
