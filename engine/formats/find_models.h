// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/values/found_model.h"

namespace engine::formats {

// The models in a folder, by name: folders with config.json, GGUF files (a split one once), and the
// repositories of a Hugging Face cache (models--ORG--NAME, each in the revision that "main" is).
// Looks so many folders deep, the folder itself being the first, at 20,000 entries at most, and in
// none of the kernel's own file systems (/proc, /sys), whose files are no files; opens no file
// of weights. `left_out`, where asked for, says what was not looked at, or stays empty. Throws
// Error(BadFile) where the folder itself cannot be read.
std::vector<FoundModel> find_models(const std::string& folder, int levels = 4,
                                    std::string* left_out = nullptr);

// The snapshot of a Hugging Face cache's repository: the revision of "main", else the newest. The
// path itself where it is no such repository, or has no snapshot.
std::string snapshot_of(const std::string& folder);

}  // namespace engine::formats
