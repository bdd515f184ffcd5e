// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes to named tensors: a folder of safetensors (single or sharded) or a GGUF file, mapped, its
// header checked against the file before anything is allocated.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace engine::formats {

class MappedFile;

// How elements lie in a file. The block types are GGUF's: 32 or 256 elements a block, N bytes (see
// gguf_quants.h).
enum class Storage : std::uint8_t {
    F32,
    F16,
    BF16,
    Q4_0,
    Q4_1,
    Q8_0,
    Q5_0,
    Q5_1,
    Q2_K,
    Q3_K,
    Q4_K,
    Q5_K,
    Q6_K,
    IQ4_NL,
    IQ4_XS,
    MXFP4,
    F64,
    F8_E4M3,
    F8_E5M2,
    MXFP4_PAIRS,  // as safetensors have it: 16 bytes of nibbles, element 2i low in byte i; the
                  // powers of two lie apart
    U8            // bytes, of which a format of weights makes something; no weight itself
};
const char* name_of(Storage);          // "Q4_1"
std::int64_t block_elements(Storage);  // 1 for plain types
std::int64_t block_bytes(Storage);

// Factors of a matrix's numbers that lie in a tensor of their own, one for each rectangle of
// `rows` × `columns` numbers: [⌈all rows / rows⌉, ⌈all columns / columns⌉]. Of U8 they are powers
// of two (E8M0, bias 127).
struct BlockScales {
    const std::byte* data = nullptr;  // null: none. Inside a mapping, may be unaligned
    Storage storage = Storage::F32;
    std::int64_t rows = 1, columns = 1;
    std::size_t bytes = 0, row_bytes = 0;  // of all; from row to row
};

struct StoredTensor {
    std::string name;  // as in the file
    Storage storage = Storage::F32;
    std::vector<std::int64_t>
        shape;  // outermost first, so a GGUF's ne is reversed: a weight is [out, in]
    const std::byte* data =
        nullptr;  // inside the mapping; a row's elements are contiguous; may be unaligned
    std::size_t bytes = 0;
    std::shared_ptr<const void> owner;  // the mapping
    BlockScales scales = {};
    std::size_t row_step = 0;  // bytes from row to row of a matrix; 0: row_bytes()

    std::int64_t rows() const { return shape.size() < 2 ? 1 : shape.front(); }
    std::int64_t columns() const { return shape.empty() ? 1 : shape.back(); }
    std::size_t row_bytes() const {
        return static_cast<std::size_t>(columns() / block_elements(storage) * block_bytes(storage));
    }
};

// A GGUF metadata value. Arrays are homogeneous in the format; integers of every width become int64
// or uint64.
using MetaValue =
    std::variant<bool, std::int64_t, std::uint64_t, double, std::string, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<std::string>>;

class Metadata {
  public:
    void set(std::string key, MetaValue value);
    bool has(std::string_view key) const;
    const MetaValue* find(std::string_view key) const;
    // Each throws Error(BadFile) naming the key where it is absent or of another type; the *_or
    // forms only on a wrong type.
    std::int64_t integer(std::string_view key) const;
    double number(std::string_view key) const;
    const std::string& text(std::string_view key) const;
    const std::vector<std::string>& texts(std::string_view key) const;
    std::int64_t integer_or(std::string_view key, std::int64_t otherwise) const;
    double number_or(std::string_view key, double otherwise) const;
    std::string text_or(std::string_view key, const std::string& otherwise) const;
    bool flag_or(std::string_view key, bool otherwise) const;
    const std::map<std::string, MetaValue, std::less<>>& all() const { return values_; }

  private:
    std::map<std::string, MetaValue, std::less<>> values_;
};

struct Checkpoint {
    enum class Format { Safetensors, Gguf };
    Format format = Format::Safetensors;
    std::string path;                                      // as given
    std::vector<std::shared_ptr<const MappedFile>> files;  // that hold the weights
    std::map<std::string, StoredTensor, std::less<>> tensors;
    std::map<std::string, std::string, std::less<>>
        refused;  // stored in a type that is not read: name to type ("IQ3_S")
    std::shared_ptr<const nlohmann::json> config;  // config.json of a folder; null for GGUF
    Metadata metadata;                             // of a GGUF; empty for a folder
    std::int64_t file_bytes = 0;                   // of all weight files
    std::string hash;  // 16 hex digits over config, headers and file sizes (not the weights)

    bool has(std::string_view name) const;  // in whatever type
    const StoredTensor* find(std::string_view name) const;
    // A weight. Throws Error: BadFile naming what is missing, Unsupported naming the type that is
    // not read, or that holds no weights (U8).
    const StoredTensor& at(std::string_view name) const;
};

// Throws Error: BadFile (missing, truncated, lying: with the numbers read), Unsupported (pickle,
// ONNX, a tensor type: by name, with how to convert). Allocates in proportion to the header only
// after the header was checked against the file.
Checkpoint open_checkpoint(const std::string& path);

}  // namespace engine::formats
