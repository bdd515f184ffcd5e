// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/near_verb.h"

#include <algorithm>
#include <filesystem>

#include "app/command_line/cli_text.h"
#include "engine/values/failure.h"

namespace app {
namespace {

// Letters to add, drop, change or swap with a neighbour to make one word of the other: the usual
// table of distances between their beginnings. Bytes stand for letters, as verbs are ASCII.
std::size_t slips(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> table(a.size() + 1,
                                                std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j) {
            std::size_t& least = table[i][j];
            if (i == 0 || j == 0) {
                least = i + j;
                continue;
            }
            least = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1,
                              table[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                least = std::min(least, table[i - 2][j - 2] + 1);
        }
    return table[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> nearVerb(std::string_view word, const std::vector<std::string>& names) {
    constexpr std::size_t longest = 16;  // what is longer is no slip of a verb, and costs time
    if (word.size() > longest) return std::nullopt;
    std::string lower(word);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    std::optional<std::string> nearest;
    std::size_t least = longest;
    for (const std::string& name : names) {
        const std::size_t away = slips(lower, name), allowed = name.size() < 6 ? 1 : 2;
        if (away > allowed || away >= least) continue;
        least = away;
        nearest = name;
    }
    return nearest;
}

void refuseMistypedVerb(const std::vector<std::string>& words,
                        const std::vector<std::string>& names) {
    if (words.empty() || words[0].empty() || words[0][0] == '-') return;
    std::error_code error;
    if (std::filesystem::exists(words[0], error)) return;
    if (const auto verb = nearVerb(words[0], names))
        throw engine::Error(engine::Failure::Kind::BadRequest,
                            quote(words[0]) + " is neither a model nor a verb", "",
                            "did you mean " + *verb + "?");
    // No file's name and no folder's path, then.
    if (words[0].find_first_of("./") == std::string::npos)
        throw engine::Error(engine::Failure::Kind::BadRequest,
                            quote(words[0]) + " is neither a model nor a verb", "",
                            "headscope --help lists the verbs");
}

}  // namespace app
