// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/quantized_tensors.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::formats {
namespace {

using nlohmann::json;
using Owners = std::array<std::shared_ptr<const void>, 2>;

bool is_small_float(Storage storage) {
    return storage == Storage::F8_E4M3 || storage == Storage::F8_E5M2;
}

bool is_factor(Storage storage) {
    return storage == Storage::F32 || storage == Storage::BF16 || storage == Storage::F16;
}

void join(StoredTensor& tensor, StoredTensor& scales, std::int64_t rows, std::int64_t columns) {
    const auto stored_rows = static_cast<std::size_t>(std::max<std::int64_t>(1, scales.rows()));
    tensor.scales = {scales.data, scales.storage, rows,
                     columns,     scales.bytes,   scales.bytes / stored_rows};
    // They may lie in different files.
    tensor.owner =
        std::make_shared<const Owners>(Owners{std::move(tensor.owner), std::move(scales.owner)});
}

class Joiner {
  public:
    Joiner(Checkpoint& checkpoint, const std::string& where)
        : tensors_(checkpoint.tensors), where_(where) {}

    void fp8(const json& quantization) {
        const auto block = block_size(quantization);
        for (auto& [name, tensor] : tensors_) {
            if (!is_small_float(tensor.storage) || tensor.shape.size() != 2) continue;
            const auto scales = tensors_.find(name + "_scale_inv");
            if (scales == tensors_.end() || !is_factor(scales->second.storage)) continue;
            StoredTensor& factors = scales->second;
            if (block) {
                const auto sides = [](std::int64_t all, std::int64_t each) {
                    return all / each + (all % each != 0);
                };
                const auto [rows, columns] = *block;
                check_shape(tensor, factors,
                            {sides(tensor.rows(), rows), sides(tensor.columns(), columns)},
                            "in blocks of " + shape_text({rows, columns}));
                join(tensor, factors, rows, columns);
            } else {
                if (factors.shape != std::vector<std::int64_t>{1})
                    check_shape(tensor, factors, {}, "as a whole");
                join(tensor, factors, std::max<std::int64_t>(tensor.rows(), 1),
                     std::max<std::int64_t>(tensor.columns(), 1));
            }
            tensors_.erase(scales);  // which leaves the loop's own iterator alone
        }
    }

    void mxfp4() {
        std::map<std::string, StoredTensor> joined;
        for (auto& [name, blocks] : tensors_) {
            constexpr std::string_view end = "_blocks";
            if (!name.ends_with(end) || blocks.storage != Storage::U8 || blocks.shape.size() != 4)
                continue;
            const std::string whole = name.substr(0, name.size() - end.size());
            const auto scales = tensors_.find(whole + "_scales");
            if (scales == tensors_.end() || scales->second.storage != Storage::U8) continue;
            if (tensors_.contains(whole))
                refuse("the tensor " + shown(whole) + " is there, and once more as blocks");
            joined.emplace(whole, joined_blocks(whole, blocks, scales->second));
        }
        for (auto& [name, tensor] : joined) {
            tensors_.erase(name + "_blocks");
            tensors_.erase(name + "_scales");
            tensors_.emplace(name, std::move(tensor));
        }
    }

  private:
    [[noreturn]] void refuse(std::string what) const {
        throw Error(Failure::Kind::BadFile, std::move(what), shown(where_, 400),
                    "configuration and weights are of different models");
    }

    void check_shape(const StoredTensor& of, const StoredTensor& scales,
                     const std::vector<std::int64_t>& needed, const std::string& how) const {
        if (scales.shape == needed) return;
        refuse("the tensor " + shown(scales.name) + " is " + shape_text(scales.shape) +
               ", the scales of " + shape_text(of.shape) + " " + how + " are " +
               shape_text(needed));
    }

    // weight_block_size; nothing where one factor stands for a whole matrix.
    std::optional<std::array<std::int64_t, 2>> block_size(const json& quantization) const {
        const auto size = quantization.find("weight_block_size");
        if (size == quantization.end()) return std::array<std::int64_t, 2>{128, 128};
        if (size->is_null()) return std::nullopt;
        const auto side = [&](std::size_t i) {
            constexpr std::int64_t most = 1 << 20;
            const bool whole = (*size)[i].is_number_integer();
            const auto value = whole ? (*size)[i].get<std::int64_t>() : 0;
            return value <= most ? value : 0;
        };
        if (!size->is_array() || size->size() != 2 || side(0) < 1 || side(1) < 1)
            refuse("quantization_config.weight_block_size is " +
                   shown(size->dump(-1, ' ', true, json::error_handler_t::replace)) +
                   ", not the rows and columns of a block");
        return std::array{side(0), side(1)};
    }

    StoredTensor joined_blocks(const std::string& name, const StoredTensor& blocks,
                               StoredTensor& scales) const {
        constexpr std::int64_t block = 32;
        const std::vector<std::int64_t> groups(blocks.shape.begin(), blocks.shape.end() - 1);
        if (blocks.shape.back() != block / 2)
            refuse("the tensor " + shown(blocks.name) + " is " + shape_text(blocks.shape) +
                   "; a block of MXFP4 has 16 bytes");
        check_shape(blocks, scales, groups, "as a byte a block");
        StoredTensor tensor = blocks;
        tensor.name = name;
        tensor.storage = Storage::MXFP4_PAIRS;
        tensor.shape = groups;
        if (__builtin_mul_overflow(groups.back(), block, &tensor.shape.back()))
            refuse("the shape of " + shown(blocks.name) + " is too large to count");
        join(tensor, scales, 1, block);
        tensor.scales.row_bytes = static_cast<std::size_t>(groups.back());
        return tensor;
    }

    std::map<std::string, StoredTensor, std::less<>>& tensors_;
    const std::string& where_;
};

}  // namespace

void join_quantized_tensors(Checkpoint& checkpoint, const std::string& where) {
    if (!checkpoint.config || !checkpoint.config->is_object()) return;
    const auto quantization = checkpoint.config->find("quantization_config");
    if (quantization == checkpoint.config->end() || !quantization->is_object()) return;
    const auto method = quantization->find("quant_method");
    if (method == quantization->end()) return;
    Joiner joiner(checkpoint, where);
    if (*method == "fp8") joiner.fp8(*quantization);
    if (*method == "mxfp4") joiner.mxfp4();
}

}  // namespace engine::formats
