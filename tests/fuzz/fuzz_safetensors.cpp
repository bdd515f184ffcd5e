// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "engine/formats/quantized_tensors.h"
#include "engine/formats/safetensors.h"
#include "fuzz.h"

namespace {

// Every byte that a joined tensor names is there.
void join(const engine::formats::TensorFile& file, const nlohmann::json& quantization) {
    engine::formats::Checkpoint checkpoint;
    checkpoint.tensors = file.tensors;
    checkpoint.config = std::make_shared<const nlohmann::json>(
        nlohmann::json{{"quantization_config", quantization}});
    fuzz::refused_or_done([&] {
        engine::formats::join_quantized_tensors(checkpoint, "fuzzed");
        const auto* const begin = file.file->data();
        for (const auto& [name, tensor] : checkpoint.tensors) {
            const auto* const scales = tensor.scales.data;
            fuzz::expect(scales == nullptr || (scales >= begin && scales + tensor.scales.bytes <=
                                                                      begin + file.file->size()));
            fuzz::expect(tensor.scales.rows > 0 && tensor.scales.columns > 0);
        }
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::refused_or_done([&] {
        const auto file = engine::formats::read_safetensors(fuzz::mapped(fuzz::view(data, size)));
        fuzz::decode_all(file);
        join(file, {{"quant_method", "fp8"}, {"weight_block_size", {16, 8}}});
        join(file, {{"quant_method", "fp8"}, {"weight_block_size", nullptr}});
        join(file, {{"quant_method", "mxfp4"}});
    });
    return 0;
}
