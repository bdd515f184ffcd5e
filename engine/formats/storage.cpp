// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/checkpoint.h"

namespace engine::formats {

const char* name_of(Storage storage) {
    switch (storage) {
        case Storage::F32: return "F32";
        case Storage::F16: return "F16";
        case Storage::BF16: return "BF16";
        case Storage::Q4_0: return "Q4_0";
        case Storage::Q4_1: return "Q4_1";
        case Storage::Q8_0: return "Q8_0";
    }
    return "?";
}

std::int64_t block_elements(Storage storage) {
    switch (storage) {
        case Storage::F32:
        case Storage::F16:
        case Storage::BF16: return 1;
        case Storage::Q4_0:
        case Storage::Q4_1:
        case Storage::Q8_0: return 32;
    }
    return 1;
}

std::int64_t block_bytes(Storage storage) {
    switch (storage) {
        case Storage::F32: return 4;
        case Storage::F16:
        case Storage::BF16: return 2;
        case Storage::Q4_0: return 18;
        case Storage::Q4_1: return 20;
        case Storage::Q8_0: return 34;
    }
    return 1;
}

}  // namespace engine::formats
