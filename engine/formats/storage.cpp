// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/checkpoint.h"

namespace engine::formats {
namespace {

struct Facts {
    const char* name;
    std::int64_t elements, bytes;  // of a block
};

Facts facts_of(Storage storage) {
    switch (storage) {
        case Storage::F32: return {"F32", 1, 4};
        case Storage::F16: return {"F16", 1, 2};
        case Storage::BF16: return {"BF16", 1, 2};
        case Storage::Q4_0: return {"Q4_0", 32, 18};
        case Storage::Q4_1: return {"Q4_1", 32, 20};
        case Storage::Q8_0: return {"Q8_0", 32, 34};
        case Storage::Q5_0: return {"Q5_0", 32, 22};
        case Storage::Q5_1: return {"Q5_1", 32, 24};
        case Storage::Q2_K: return {"Q2_K", 256, 84};
        case Storage::Q3_K: return {"Q3_K", 256, 110};
        case Storage::Q4_K: return {"Q4_K", 256, 144};
        case Storage::Q5_K: return {"Q5_K", 256, 176};
        case Storage::Q6_K: return {"Q6_K", 256, 210};
        case Storage::IQ4_NL: return {"IQ4_NL", 32, 18};
        case Storage::IQ4_XS: return {"IQ4_XS", 256, 136};
        case Storage::MXFP4: return {"MXFP4", 32, 17};
        case Storage::F64: return {"F64", 1, 8};
        case Storage::F8_E4M3: return {"F8_E4M3", 1, 1};
        case Storage::F8_E5M2: return {"F8_E5M2", 1, 1};
        case Storage::MXFP4_PAIRS: return {"MXFP4", 32, 16};
        case Storage::U8: return {"U8", 1, 1};
    }
    return {"?", 1, 1};
}

}  // namespace

const char* name_of(Storage storage) {
    return facts_of(storage).name;
}
std::int64_t block_elements(Storage storage) {
    return facts_of(storage).elements;
}
std::int64_t block_bytes(Storage storage) {
    return facts_of(storage).bytes;
}

}  // namespace engine::formats
