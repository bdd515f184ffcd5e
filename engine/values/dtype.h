// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>

namespace engine {

// Element types of what crosses the boundary and of what the engine computes in.
enum class DType : std::uint8_t { F32, F16, BF16, I64, I32, U8 };

constexpr std::size_t bytes_of(DType dtype) {
    switch (dtype) {
        case DType::I64: return 8;
        case DType::F32:
        case DType::I32: return 4;
        case DType::F16:
        case DType::BF16: return 2;
        case DType::U8: return 1;
    }
    return 0;
}

// The names that the command line takes and `info --json` prints.
constexpr const char* name_of(DType dtype) {
    switch (dtype) {
        case DType::F32: return "float32";
        case DType::F16: return "float16";
        case DType::BF16: return "bfloat16";
        case DType::I64: return "int64";
        case DType::I32: return "int32";
        case DType::U8: return "uint8";
    }
    return "?";
}

}  // namespace engine
