// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verbs/prompt_losses.h"

#include <algorithm>

#include "app/command_line/cli_text.h"

namespace app {
namespace {

// Bytes of the text that no token came from. White space is left out of it: templates and
// normalizers trim it by rule.
std::int64_t bytesWithoutToken(std::string_view text, const engine::Encoding& encoding) {
    std::vector<bool> covered(text.size());
    for (const engine::Token& token : encoding.tokens)
        for (std::int64_t at = std::max<std::int64_t>(token.start, 0);
             at < std::min(token.end, static_cast<std::int64_t>(text.size())); ++at)
            covered[static_cast<std::size_t>(at)] = true;
    std::int64_t count = 0;
    for (std::size_t at = 0; at < text.size(); ++at)
        if (!covered[at] &&
            std::string_view(" \t\r\n\v\f").find(text[at]) == std::string_view::npos)
            ++count;
    return count;
}

}  // namespace

std::vector<std::string> promptLosses(std::string_view text, const engine::Encoding& encoding) {
    std::vector<std::string> losses;
    constexpr std::string_view broken =
        "the prompt is not valid UTF-8: U+FFFD stands for what is broken, as Hugging Face's "
        "tokenizers are given it";
    if (validUtf8(text) != text) losses.emplace_back(broken);
    if (const std::int64_t lost = bytesWithoutToken(text, encoding); lost > 0)
        losses.push_back(counted(lost, "byte") + " of the prompt " + (lost == 1 ? "is" : "are") +
                         " in no token: the tokenizer has none for " + (lost == 1 ? "it" : "them"));
    return losses;
}

}  // namespace app
