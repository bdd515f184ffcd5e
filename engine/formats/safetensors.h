// SPDX-License-Identifier: GPL-3.0-or-later
// The safetensors container: 8 bytes of header length, a JSON header, then the tensors' bytes
// without gaps.
#pragma once
#include "engine/formats/tensor_file.h"

namespace engine::formats {

// Throws Error(BadFile) with the numbers read. F64, F32, F16, BF16, F8_E4M3, F8_E5M2 and U8 become
// tensors; every other type is checked as far as its size is known, and listed in `refused`.
TensorFile read_safetensors(std::shared_ptr<const MappedFile> file);

}  // namespace engine::formats
