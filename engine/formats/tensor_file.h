// SPDX-License-Identifier: GPL-3.0-or-later
// What one weight file holds, whatever its format.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/checkpoint.h"
#include "engine/formats/mapped_file.h"

namespace engine::formats {

struct TensorFile {
    std::shared_ptr<const MappedFile> file;
    std::string_view header;  // inside the mapping: everything before the tensors' bytes
    std::map<std::string, StoredTensor, std::less<>> tensors;
    std::map<std::string, std::string, std::less<>> refused;  // name to element type
};

// Where a tensor lies, relative to the first byte of data.
struct Extent {
    std::uint64_t begin = 0, end = 0;
    std::string_view name;
};

// The product of a shape, 0 when any side is 0. False when it is above 2⁶³ − 1.
bool count_elements(const std::vector<std::int64_t>& shape, std::int64_t& count);

// Sorts by place; throws Error(BadFile) naming the first two tensors that share bytes.
void refuse_overlaps(std::vector<Extent>& extents, const std::string& where);

}  // namespace engine::formats
