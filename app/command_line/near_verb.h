// SPDX-License-Identifier: GPL-3.0-or-later
// A verb that was mistyped would count as the window's MODEL, and fail as a file that is not there.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

// The name that `word` is a slip of the keys away from (upper case, a letter too many, too few,
// changed or swapped with its neighbour; two of these in a long name); none: nothing is so near.
std::optional<std::string> nearVerb(std::string_view word, const std::vector<std::string>& names);

// Throws engine::Error BadRequest where the first word is no option, nothing that exists, and near
// a verb or a plain word.
void refuseMistypedVerb(const std::vector<std::string>& words,
                        const std::vector<std::string>& names);

}  // namespace app
