// SPDX-License-Identifier: GPL-3.0-or-later
// --ablate and --forbid: what a run changes in its own forward pass, as typed.
#pragma once
#include <string>
#include <vector>

#include "app/command_line/cli.h"
#include "engine/values/edits.h"
#include "engine/values/model_info.h"

namespace app {

std::vector<Option> editOptions();

// --ablate L12.H7,L3.H1@9-29      z of the head is zero, at all rows or at rows 9 to 29
// --forbid L12.H7@5-39:0-3        the head sees none of keys 0 to 3 at rows 5 to 39; "@:0" and
//                                 "@:0-3" mean at all rows
// Throws BadRequest naming the part that is none; whether the model has the head is the engine's.
engine::Edits parseEdits(const Arguments&);

// Throws BadRequest where an edit is of rows or keys that a run of so many rows has not, or of keys
// that none of its rows sees: it would change nothing and say nothing.
void checkRows(const engine::Edits&, std::int64_t rows, const engine::ModelInfo&);

// The same, written out: empty where nothing is edited.
std::string describe(const engine::Edits&);

}  // namespace app
