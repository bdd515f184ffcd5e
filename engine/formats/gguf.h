// SPDX-License-Identifier: GPL-3.0-or-later
// The GGUF container, versions 2 and 3, little-endian: metadata, a table of tensors, then their
// bytes, aligned.
#pragma once
#include "engine/formats/tensor_file.h"

namespace engine::formats {

struct GgufFile {
    TensorFile weights;
    Metadata metadata;
};

// Throws Error(BadFile) with the numbers read, Error(Unsupported) for another version or byte
// order. A part of a split model is read like any file (gguf_split.h joins them). Tensors of a type
// without a Storage are listed in weights.refused.
GgufFile read_gguf(std::shared_ptr<const MappedFile> file);

}  // namespace engine::formats
