// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/gguf.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>
#include <set>
#include <utility>

#include "engine/formats/byte_reader.h"
#include "engine/formats/gguf_metadata.h"
#include "engine/formats/gguf_types.h"
#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::formats {
namespace {

constexpr std::size_t max_header = 100'000'000;  // as for safetensors; real ones stay below 20 MB
constexpr std::uint32_t max_rank = 4;

struct Listed {
    std::string name;
    GgmlType type;
    std::vector<std::int64_t> shape;
    std::uint64_t offset = 0, bytes = 0;
};

[[noreturn]] void unsupported(const MappedFile& file, std::string what, std::string hint) {
    throw Error(Failure::Kind::Unsupported, std::move(what), shown(file.path(), 400),
                std::move(hint));
}

void check_version(const MappedFile& file, std::uint32_t version) {
    if (version == 2 || version == 3) return;
    if ((version & 0xFFFF) == 0 && version != 0)
        unsupported(file, "this GGUF file is big-endian",
                    "convert it again on or for a little-endian machine");
    unsupported(file, "this is GGUF version " + std::to_string(version) + ", 2 and 3 are read",
                "convert the model again with a current llama.cpp");
}

std::uint64_t tensor_bytes(const ByteReader& reader, const Listed& tensor) {
    if (tensor.type.block == 0) return 0;  // an unknown type: only its place can be checked
    const std::string about = "tensor " + shown(tensor.name) + ": ";
    const std::int64_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
    if (row % tensor.type.block != 0)
        reader.refuse(about + "a row of " + std::to_string(row) +
                      " elements is not a multiple of " + tensor.type.name + "'s block of " +
                      std::to_string(tensor.type.block));
    std::int64_t elements = 0, bytes = 0;
    if (!count_elements(tensor.shape, elements) ||
        __builtin_mul_overflow(elements / tensor.type.block, tensor.type.bytes, &bytes))
        reader.refuse(about + "the shape " + shape_text(tensor.shape) + " is too large to count");
    return static_cast<std::uint64_t>(bytes);
}

Listed read_entry(ByteReader& reader) {
    Listed tensor{.name = std::string(reader.text("a tensor's name"))};
    if (tensor.name.empty()) reader.refuse("a tensor has no name");
    const auto rank = reader.number<std::uint32_t>(tensor.name);
    if (rank > max_rank)
        reader.refuse("tensor " + shown(tensor.name) + " has " + std::to_string(rank) +
                      " dimensions, at most 4 are possible");
    for (std::uint32_t i = 0; i < rank; ++i) {
        const auto side = reader.number<std::uint64_t>(tensor.name);
        if (side > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            reader.refuse("tensor " + shown(tensor.name) + ": a side of the shape is " +
                          std::to_string(side));
        tensor.shape.push_back(static_cast<std::int64_t>(side));
    }
    std::reverse(tensor.shape.begin(), tensor.shape.end());  // the file lists the row length first
    tensor.type = ggml_type(reader.number<std::uint32_t>(tensor.name));
    tensor.offset = reader.number<std::uint64_t>(tensor.name);
    tensor.bytes = tensor_bytes(reader, tensor);
    return tensor;
}

std::deque<Listed> read_table(ByteReader& reader, std::uint64_t count) {
    constexpr std::uint64_t least = 24;  // an empty name, rank 0, a type, an offset
    reader.expect_room(count, least, "the table of tensors");
    std::deque<Listed> table;  // its elements stay where they are: `names` points into them
    std::set<std::string_view> names;
    for (std::uint64_t i = 0; i < count; ++i) {
        table.push_back(read_entry(reader));
        if (!names.insert(table.back().name).second)
            reader.refuse("the tensor " + shown(table.back().name) + " is given twice");
    }
    return table;
}

std::uint64_t alignment_of(const ByteReader& reader, const Metadata& metadata) {
    const std::int64_t alignment = metadata.integer_or("general.alignment", 32);
    constexpr std::int64_t most = 1 << 20;
    if (alignment <= 0 || alignment > most ||
        !std::has_single_bit(static_cast<std::uint64_t>(alignment)))
        reader.refuse("general.alignment is " + std::to_string(alignment) +
                      ", a power of two up to " + std::to_string(most) + " is needed");
    return static_cast<std::uint64_t>(alignment);
}

void check_places(const ByteReader& reader, const MappedFile& file, const std::deque<Listed>& table,
                  std::uint64_t alignment, std::uint64_t data_bytes) {
    std::vector<Extent> extents;
    extents.reserve(table.size());
    for (const Listed& tensor : table) {
        const std::string about = "tensor " + shown(tensor.name) + ": ";
        if (tensor.offset % alignment != 0)
            reader.refuse(about + "its offset " + std::to_string(tensor.offset) +
                          " is not a multiple of the alignment " + std::to_string(alignment));
        if (tensor.offset > data_bytes || tensor.bytes > data_bytes - tensor.offset)
            reader.refuse(about + std::to_string(tensor.bytes) + " bytes at offset " +
                          std::to_string(tensor.offset) + " are asked for, the file has " +
                          std::to_string(data_bytes) +
                          " bytes of data: cut short, or its header lies");
        extents.push_back({tensor.offset, tensor.offset + tensor.bytes, tensor.name});
    }
    refuse_overlaps(extents, file.path());
}

}  // namespace

GgufFile read_gguf(std::shared_ptr<const MappedFile> file) {
    ByteReader reader(file->text(), max_header, file->path());
    if (reader.left() < 4 || file->text().substr(0, 4) != "GGUF")
        reader.refuse("the file does not begin with GGUF");
    reader.number<std::uint32_t>("the magic number");
    check_version(*file, reader.number<std::uint32_t>("the version"));
    const auto tensor_count = reader.number<std::uint64_t>("the number of tensors");
    const auto pair_count = reader.number<std::uint64_t>("the number of metadata keys");
    GgufFile out;
    out.metadata = read_gguf_metadata(reader, pair_count);
    std::deque<Listed> table = read_table(reader, tensor_count);
    const std::uint64_t alignment = alignment_of(reader, out.metadata);
    const std::uint64_t start = (reader.position() + alignment - 1) / alignment * alignment;
    const std::uint64_t data_bytes = file->size() > start ? file->size() - start : 0;
    check_places(reader, *file, table, alignment, data_bytes);

    out.weights.file = file;
    out.weights.header = file->text().substr(0, reader.position());
    for (Listed& tensor : table) {
        if (!tensor.type.supported) {
            out.weights.refused.emplace(std::move(tensor.name), std::move(tensor.type.name));
            continue;
        }
        const bool empty = tensor.bytes == 0;  // its place may be past the file's last byte
        StoredTensor stored{.name = tensor.name,
                            .storage = tensor.type.storage,
                            .shape = std::move(tensor.shape),
                            .data = file->data() + (empty ? 0 : start + tensor.offset),
                            .bytes = tensor.bytes,
                            .owner = file};
        out.weights.tensors.emplace(std::move(tensor.name), std::move(stored));
    }
    return out;
}

}  // namespace engine::formats
