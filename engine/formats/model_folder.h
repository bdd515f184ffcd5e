// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>

#include "engine/formats/checkpoint.h"
#include "engine/formats/mapped_file.h"

namespace engine::formats {

// A folder with config.json and model.safetensors, or model.safetensors.index.json and the shards
// it names. The index decides where there is one: no other weight file is opened. Throws Error.
Checkpoint open_model_folder(const std::string& folder);

// One safetensors file whose config.json stands in `folder`.
Checkpoint open_single_safetensors(std::shared_ptr<const MappedFile> file,
                                   const std::string& folder);

}  // namespace engine::formats
