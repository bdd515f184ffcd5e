// SPDX-License-Identifier: GPL-3.0-or-later
// What of a prompt its tokens do not stand for is said, whatever the verb: bytes that vanished
// would make every later number one of another text.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/run.h"

namespace app {

// A sentence a loss, in the order in which they happen; none: the tokens are the text.
std::vector<std::string> promptLosses(std::string_view text, const engine::Encoding&);

}  // namespace app
