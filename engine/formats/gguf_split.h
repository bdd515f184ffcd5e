// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "engine/formats/gguf.h"

namespace engine::formats {

// All parts of a split model in order, `part` being any of them, read and moved here; a file that
// is whole comes back alone. The parts lie in one folder as NAME-00001-of-00003.gguf and so on; the
// first holds the metadata of the model. Throws Error(BadFile) naming the part that is missing or
// does not belong.
std::vector<GgufFile> read_gguf_parts(GgufFile part);

}  // namespace engine::formats
