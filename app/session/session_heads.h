// SPDX-License-Identifier: GPL-3.0-or-later
// How the heads are folded, ordered, filtered and plotted, as a part of a session file.
#pragma once
#include <nlohmann/json.hpp>

#include "app/files/json_reader.h"
#include "app/session/saved_session.h"

namespace app {

nlohmann::json headsAsJson(const SavedHeads&);
SavedHeads headsOf(const JsonReader&);  // throws engine::Error (BadFile) that says where

}  // namespace app
