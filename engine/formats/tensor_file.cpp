// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/tensor_file.h"

#include <algorithm>
#include <tuple>

#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::formats {

bool count_elements(const std::vector<std::int64_t>& shape, std::int64_t& count) {
    count = std::find(shape.begin(), shape.end(), 0) == shape.end() ? 1 : 0;
    if (count == 0) return true;
    for (const std::int64_t side : shape)
        if (__builtin_mul_overflow(count, side, &count)) return false;
    return true;
}

void refuse_overlaps(std::vector<Extent>& extents, const std::string& where) {
    std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) {
        return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    const Extent* last = nullptr;  // an empty tensor shares no byte with any
    for (const Extent& extent : extents) {
        if (extent.begin == extent.end) continue;
        if (last && extent.begin < last->end)
            throw Error(Failure::Kind::BadFile,
                        shown(extent.name) + " begins at byte " + std::to_string(extent.begin) +
                            " of the data, but " + shown(last->name) + " ends at " +
                            std::to_string(last->end) + ": they overlap",
                        shown(where, 400), "download the file again");
        last = &extent;
    }
}

}  // namespace engine::formats
