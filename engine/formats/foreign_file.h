// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "engine/formats/mapped_file.h"

namespace engine::formats {

// Throws Error(Unsupported) that says what the file is and how to convert it, when its first bytes
// or its name are of a format that is not read: pickle, ONNX, HDF5, older llama.cpp files, a Git
// LFS pointer. Nothing in it is executed.
void refuse_foreign_file(const MappedFile&);

// The same by a name alone, for a shard that an index names or a file found in a folder.
bool is_foreign_name(std::string_view name);
[[noreturn]] void refuse_foreign_name(std::string_view name, const std::string& where);

}  // namespace engine::formats
