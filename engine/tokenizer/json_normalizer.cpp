// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/characters_map.h"
#include "engine/tokenizer/json_parts.h"
#include "engine/tokenizer/regex.h"

namespace engine::tokenizer {
namespace {

NormalizerStep replace_step(const JsonFields& rule) {
    const JsonFields pattern = rule.at("pattern");
    const std::string by = rule.at("content").text();
    if (pattern.has("String")) return replacing(pattern.at("String").text(), by);
    return replacing(Regex(pattern.at("Regex").text(), rule.where()), by);
}

NormalizerStep step_of(const JsonFields& rule) {
    const std::string type = rule.type();
    if (type == "NFC") return to_unicode_form(UnicodeForm::Nfc);
    if (type == "NFD") return to_unicode_form(UnicodeForm::Nfd);
    if (type == "NFKC") return to_unicode_form(UnicodeForm::Nfkc);
    if (type == "NFKD") return to_unicode_form(UnicodeForm::Nfkd);
    if (type == "Lowercase") return lower_case();
    if (type == "StripAccents") return without_accents();
    if (type == "Strip")
        return without_space_around(rule.flag_or("strip_left", true),
                                    rule.flag_or("strip_right", true));
    if (type == "Replace") return replace_step(rule);
    if (type == "Prepend") return starting_with(rule.at("prepend").text());
    if (type == "Nmt") return plain_spaces_and_no_controls();
    if (type == "Precompiled") {
        const std::string map =
            rule.has("precompiled_charsmap") ? rule.at("precompiled_charsmap").text() : "";
        return mapping_characters(from_base64(map, rule.where()), CharactersMapStyle::HuggingFace,
                                  rule.where());
    }
    rule.unsupported("the normalizer " + in_quotes(type));
}

}  // namespace

void read_normalizer(const JsonFields& rule, Normalizer& out) {
    if (rule.type() != "Sequence") return out.add(step_of(rule));
    for (const JsonFields& one : rule.at("normalizers").items()) read_normalizer(one, out);
}

}  // namespace engine::tokenizer
