// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/formats/byte_reader.h"
#include "engine/formats/checkpoint.h"

namespace engine::formats {

// Reads `count` key-value pairs. Throws Error(BadFile): an unknown type, a length beyond the bytes,
// a key given twice. A list of lists is stepped over: no key that matters here is one.
Metadata read_gguf_metadata(ByteReader& reader, std::uint64_t count);

}  // namespace engine::formats
