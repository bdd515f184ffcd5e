// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "app/command_line/cli.h"

namespace app {

// A folder that is no checkpoint itself, nor a repository of a Hugging Face cache.
bool holdsModels(const std::string& path);

// The models in it on cli.out, by name, size and whether they are supported; headers are read.
// Throws engine::Error(BadFile) where it holds none.
void listModels(Cli&, const std::string& folder, bool json);

}  // namespace app
