// SPDX-License-Identifier: GPL-3.0-or-later
// The edits of a run in a session file.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "app/files/json_reader.h"
#include "engine/values/edits.h"

namespace app {

nlohmann::json editsAsJson(const engine::Edits&);
engine::Edits editsOf(const JsonReader&);  // throws BadFile

}  // namespace app
