// SPDX-License-Identifier: GPL-3.0-or-later
// A session as a file, NAME.headscope: JSON with a version, readable by people and by scripts. What
// is read is checked whole before anything is done with it: a file that is wrong anywhere is
// refused by one engine::Error (BadFile) that names the place and what may stand there.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "app/session/saved_session.h"

namespace app {

// Edits of runs came with version 2, prompts that are compared with version 3: a session without
// them is written as 1, which an older program reads.
inline constexpr int kSessionVersion = 3;
inline constexpr std::int64_t kLargestSession = 16 * 1024 * 1024;  // bytes
inline constexpr const char* kSessionSuffix = ".headscope";

bool isSessionPath(const std::string& path);  // by its ending, in either case

// Throws engine::Error (BadRequest) where the session cannot be kept: a path that is no text, or a
// file past the limit.
std::string sessionText(const SavedSession&);
// `where` names the file in errors.
SavedSession parseSession(std::string_view text, const std::string& where);
// Regular files only, up to the limit; a model that is no longer at its path is looked for beside
// the session file, so that both can be moved together. Throws BadFile also where it is at neither.
SavedSession readSession(const std::string& path);

}  // namespace app
