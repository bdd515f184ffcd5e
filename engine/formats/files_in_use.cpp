// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/files_in_use.h"

#include "engine/formats/mapped_file.h"

namespace engine::formats {

void FilesInUse::check() const {
    for (const auto& file : files_) file->check();
}

}  // namespace engine::formats
