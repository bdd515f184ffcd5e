// SPDX-License-Identifier: GPL-3.0-or-later
// --out: the file that a verb writes, and what it may not be.
#pragma once
#include <string>

#include "app/command_line/arguments.h"

namespace app {

// A file's name. "-" is refused: the formats are written out of order, and a file gets its name
// only once it is whole, neither of which a pipe can do. So is whatever the verb reads, as a rename
// would put the result in its place: the model's file, the other files of a split one, any file
// that is in a model's folder, and that of --prompt-file. Links are followed.
std::string parseOut(const Arguments&, const std::string& model);

}  // namespace app
