// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/gguf_types.h"

namespace engine::formats {
namespace {

struct Row {
    std::uint32_t id;
    const char* name;
    int block, bytes;
};
constexpr Row type_rows[] = {
    {0, "F32", 1, 4},         {1, "F16", 1, 2},         {2, "Q4_0", 32, 18},
    {3, "Q4_1", 32, 20},      {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},
    {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 36},      {10, "Q2_K", 256, 84},
    {11, "Q3_K", 256, 110},   {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292},   {16, "IQ2_XXS", 256, 66},
    {17, "IQ2_XS", 256, 74},  {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50},
    {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110},  {22, "IQ2_S", 256, 82},
    {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1},         {25, "I16", 1, 2},
    {26, "I32", 1, 4},        {27, "I64", 1, 8},        {28, "F64", 1, 8},
    {29, "IQ1_M", 256, 56},   {30, "BF16", 1, 2},       {34, "TQ1_0", 256, 54},
    {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17},
};
constexpr Storage decoded[] = {
    Storage::F32,  Storage::F16,  Storage::BF16,   Storage::F64,    Storage::Q4_0, Storage::Q4_1,
    Storage::Q5_0, Storage::Q5_1, Storage::Q8_0,   Storage::Q2_K,   Storage::Q3_K, Storage::Q4_K,
    Storage::Q5_K, Storage::Q6_K, Storage::IQ4_NL, Storage::IQ4_XS, Storage::MXFP4};

}  // namespace

GgmlType ggml_type(std::uint32_t id) {
    for (const Row& row : type_rows) {
        if (row.id != id) continue;
        GgmlType type{row.name, row.block, row.bytes};
        for (const Storage storage : decoded)
            if (type.name == name_of(storage)) {
                type.supported = true;
                type.storage = storage;
            }
        return type;
    }
    return {"ggml type " + std::to_string(id)};
}

}  // namespace engine::formats
