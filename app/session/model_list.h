// SPDX-License-Identifier: GPL-3.0-or-later
// Which models there are to choose from: the per-user cache folder's, and those opened before.
#pragma once
#include <string>
#include <vector>

#include "engine/values/found_model.h"
#include "engine/values/model_info.h"

namespace app {

// ($XDG_CACHE_HOME or ~/.cache)/headscope/models, whether it is there or not.
std::string modelFolder();

// The same file from any working folder and however it was typed, so that it is listed once.
std::string absolutePath(const std::string& path);

// Where Hugging Face's programs keep what they download: $HF_HUB_CACHE, $HF_HOME/hub, or hub in
// ($XDG_CACHE_HOME or ~/.cache)/huggingface. Empty where no variable tells.
std::string huggingFaceFolder();

// The folder that a model lies in, for others beside it. Empty of one in a Hugging Face cache,
// whose neighbours are its other revisions.
std::string folderBeside(const std::string& model);

// What the list says of a model that cannot be opened, by what is found of it.
engine::ModelInfo refusedModel(const engine::FoundModel&);

// GGUF files and folders with a config.json in `folder`, by name, then what of `recent` still
// exists. Each once.
std::vector<std::string> modelPaths(const std::string& folder,
                                    const std::vector<std::string>& recent);

// The model that the set-up puts into `folder`, when it is there; else empty.
std::string defaultModel(const std::string& folder);

// What a user who picked one of a model folder's files means: the folder.
std::string modelOfPickedFile(const std::string& path);

}  // namespace app
