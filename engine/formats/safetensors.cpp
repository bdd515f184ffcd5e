// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/safetensors.h"

#include <bit>
#include <cstring>
#include <utility>

#include "engine/formats/messages.h"
#include "engine/formats/safetensors_header.h"
#include "engine/values/failure.h"

namespace engine::formats {
namespace {

static_assert(std::endian::native == std::endian::little, "weights are mapped as they lie");

constexpr std::uint64_t length_bytes = 8;
constexpr std::uint64_t longest_header = 100'000'000;  // the reference reader's cap

struct Dtype {
    const char* name;
    int bits;
    bool supported = false;
    Storage storage = Storage::F32;
};
constexpr Dtype dtypes[] = {
    {"F32", 32, true, Storage::F32},
    {"F16", 16, true, Storage::F16},
    {"BF16", 16, true, Storage::BF16},
    {"F64", 64, true, Storage::F64},
    {"I64", 64},
    {"U64", 64},
    {"I32", 32},
    {"U32", 32},
    {"I16", 16},
    {"U16", 16},
    {"I8", 8},
    {"U8", 8, true, Storage::U8},
    {"BOOL", 8},
    {"F8_E5M2", 8, true, Storage::F8_E5M2},
    {"F8_E4M3", 8, true, Storage::F8_E4M3},
    {"F8_E8M0", 8},
    {"F6_E2M3", 6},
    {"F6_E3M2", 6},
    {"F4", 4},
    {"C64", 64},
};

const Dtype* find_dtype(std::string_view name) {
    for (const Dtype& dtype : dtypes)
        if (name == dtype.name) return &dtype;
    return nullptr;
}

[[noreturn]] void refuse(const MappedFile& file, std::string what) {
    throw Error(Failure::Kind::BadFile, std::move(what), shown(file.path(), 400),
                "download the file again");
}

std::string_view header_of(const MappedFile& file) {
    if (file.size() < length_bytes)
        refuse(file, "the file has " + std::to_string(file.size()) +
                         " bytes, a safetensors file begins with 8 bytes of header length");
    std::uint64_t length = 0;
    std::memcpy(&length, file.data(), sizeof length);
    const std::string read = "the header's length is given as " + std::to_string(length) + " bytes";
    if (length > longest_header)
        refuse(file, read + ", at most " + std::to_string(longest_header) + " are read");
    if (length > file.size() - length_bytes)
        refuse(file, read + ", but only " + std::to_string(file.size() - length_bytes) +
                         " bytes follow: cut short, or not a safetensors file");
    const std::string_view header = file.text().substr(length_bytes, length);
    if (header.empty() || header.front() != '{')
        refuse(file, read + ", and it does not begin with a brace: not a safetensors file");
    return header;
}

void check_size(const MappedFile& file, const HeaderEntry& entry, std::uint64_t data_bytes) {
    const std::string about = "tensor " + shown(entry.name) + ": ";
    const std::string range =
        "bytes " + std::to_string(entry.begin) + " to " + std::to_string(entry.end);
    if (entry.begin > entry.end) refuse(file, about + range + " run backwards");
    if (entry.end > data_bytes)
        refuse(file, about + range + " are asked for, the file has " + std::to_string(data_bytes) +
                         " bytes of data");
    const Dtype* dtype = find_dtype(entry.dtype);
    if (!dtype) return;
    std::int64_t elements = 0, bits = 0;
    if (!count_elements(entry.shape, elements) ||
        __builtin_mul_overflow(elements, std::int64_t{dtype->bits}, &bits))
        refuse(file, about + "the shape " + shape_text(entry.shape) + " is too large to count");
    const auto given = entry.end - entry.begin;
    if (bits % 8 != 0 || given != static_cast<std::uint64_t>(bits / 8))
        refuse(file, about + shape_text(entry.shape) + " of " + entry.dtype + " takes " +
                         std::to_string(bits / 8) + " bytes, data_offsets give it " +
                         std::to_string(given));
}

// The format allows neither overlap nor gaps, so a file that lost its end or its place shows here.
void check_layout(const MappedFile& file, std::vector<Extent> extents, std::uint64_t data_bytes) {
    refuse_overlaps(extents, file.path());
    std::uint64_t reached = 0;
    for (const Extent& extent : extents) {
        if (extent.begin != reached)
            refuse(file, "tensor " + shown(extent.name) + " begins at byte " +
                             std::to_string(extent.begin) +
                             " of the data, the one before ends at " + std::to_string(reached));
        reached = extent.end;
    }
    if (reached != data_bytes)
        refuse(file, "the tensors end at byte " + std::to_string(reached) +
                         " of the data, the file has " + std::to_string(data_bytes));
}

}  // namespace

TensorFile read_safetensors(std::shared_ptr<const MappedFile> file) {
    TensorFile out{.file = file, .header = header_of(*file)};
    const std::uint64_t data_start = length_bytes + out.header.size();
    const std::uint64_t data_bytes = file->size() - data_start;
    std::vector<HeaderEntry> entries = parse_safetensors_header(out.header, file->path());
    std::vector<Extent> extents;
    extents.reserve(entries.size());
    for (const HeaderEntry& entry : entries) {
        check_size(*file, entry, data_bytes);
        extents.push_back({entry.begin, entry.end, entry.name});
    }
    check_layout(*file, std::move(extents), data_bytes);
    out.header = file->text().substr(0, data_start);
    for (HeaderEntry& entry : entries) {
        const Dtype* dtype = find_dtype(entry.dtype);
        if (!dtype || !dtype->supported) {
            out.refused.emplace(std::move(entry.name), shown(entry.dtype));
            continue;
        }
        StoredTensor tensor{.name = entry.name,
                            .storage = dtype->storage,
                            .shape = std::move(entry.shape),
                            .data = file->data() + data_start + entry.begin,
                            .bytes = entry.end - entry.begin,
                            .owner = file};
        out.tensors.emplace(std::move(entry.name), std::move(tensor));
    }
    return out;
}

}  // namespace engine::formats
