// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/stored_rows.h"

#include <algorithm>
#include <cstring>

#include "engine/values/failure.h"

namespace engine {
namespace {

using formats::StoredTensor;

std::int64_t rows_of(const StoredTensor& tensor) {
    return tensor.shape.size() < 2 ? tensor.columns() : tensor.rows();
}

// The tensor with row i taken from row source(i). A vector's elements move as rows of one do.
template <typename Source>
StoredTensor moved(const StoredTensor& from, Source source) {
    const std::int64_t rows = rows_of(from);
    const std::size_t row = from.bytes / static_cast<std::size_t>(rows);
    auto bytes = std::make_shared<std::vector<std::byte>>(from.bytes);
    for (std::int64_t i = 0; i < rows; ++i)
        std::memcpy(bytes->data() + static_cast<std::size_t>(i) * row,
                    from.data + static_cast<std::size_t>(source(i)) * row, row);
    StoredTensor to = from;
    to.data = bytes->data();
    to.owner = bytes;
    return to;
}

}  // namespace

StoredTensor half_split_rows(const StoredTensor& from, int head_dim) {
    return moved(from, [&](std::int64_t i) {
        const std::int64_t in_head = i % head_dim, half = head_dim / 2;
        return i - in_head + (in_head < half ? 2 * in_head : 2 * (in_head - half) + 1);
    });
}

StoredTensor gathered_heads(const StoredTensor& from, int head_dim) {
    const std::int64_t part_rows = rows_of(from) / 3;
    return moved(from, [&](std::int64_t i) {
        const std::int64_t part = i / part_rows, row = i % part_rows;
        return (row / head_dim * 3 + part) * head_dim + row % head_dim;
    });
}

StoredTensor dealt_rows(const StoredTensor& from) {
    const std::int64_t half = rows_of(from) / 2;
    return moved(from, [&](std::int64_t i) { return i < half ? 2 * i : 2 * (i - half) + 1; });
}

StoredTensor every_second_row(const StoredTensor& from, int first) {
    StoredTensor to = from;
    const auto row = static_cast<std::size_t>(first);
    to.shape.front() = from.rows() / 2;
    to.data += row * from.row_bytes();
    to.bytes /= 2;
    to.row_step = 2 * from.row_bytes();
    if (from.scales.data == nullptr) return to;
    to.scales.data += row * from.scales.row_bytes;
    to.scales.bytes /= 2;
    to.scales.row_bytes *= 2;
    return to;
}

StoredTensor transposed(const StoredTensor& from) {
    const auto size = static_cast<std::size_t>(formats::block_bytes(from.storage));
    if (formats::block_elements(from.storage) != 1)
        throw Error(
            Failure::Kind::Unsupported,
            std::string("blocks of ") + formats::name_of(from.storage) + " cannot be transposed",
            from.name);
    auto bytes = std::make_shared<std::vector<std::byte>>(from.bytes);
    const auto in = static_cast<std::size_t>(from.rows()),
               out = static_cast<std::size_t>(from.columns());
    constexpr std::size_t tile = 32;  // both sides stay in the cache
    for (std::size_t o = 0; o < out; o += tile)
        for (std::size_t i = 0; i < in; i += tile)
            for (std::size_t row = o; row < std::min(out, o + tile); ++row)
                for (std::size_t column = i; column < std::min(in, i + tile); ++column)
                    std::memcpy(bytes->data() + (row * in + column) * size,
                                from.data + (column * out + row) * size, size);
    StoredTensor to = from;
    to.shape = {from.columns(), from.rows()};
    to.data = bytes->data();
    to.owner = bytes;
    return to;
}

}  // namespace engine
