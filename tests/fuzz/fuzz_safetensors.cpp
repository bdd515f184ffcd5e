// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/safetensors.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::refused_or_done([&] {
        fuzz::decode_all(engine::formats::read_safetensors(fuzz::mapped(fuzz::view(data, size))));
    });
    return 0;
}
