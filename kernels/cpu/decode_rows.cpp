// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/cpu/decoded_rows.h"
#include "kernels/cpu/weight_block.h"
#include "kernels/cpu/work.h"

namespace kernels::cpu::HEADSCOPE_ISA {

void decode_rows(const Weight& weight, std::int64_t begin, std::int64_t end, float* to,
                 const Parallel& parallel) {
    if (is_decoded_first(weight.type)) {
        const std::int64_t grain =
            greatest<std::int64_t>(1, 16384 / greatest<std::int64_t>(weight.columns, 1));
        for_each_range(parallel, end - begin, grain, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t r = first; r < last; ++r)
                for (std::int64_t c = 0; c < weight.columns; c += stretch_elements)
                    decode_stretch(weight, begin + r, c,
                                   least(stretch_elements, weight.columns - c),
                                   to + r * weight.columns + c);
        });
        return;
    }
    with_type(weight.type, [&](auto tag) {
        constexpr WeightType type = decltype(tag)::value;
        const std::int64_t grain =
            greatest<std::int64_t>(1, 65536 / greatest<std::int64_t>(weight.columns, 1));
        for_each_range(parallel, end - begin, grain, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t r = first; r < last; ++r) {
                const std::byte* row = weight.data + (begin + r) * weight.row_bytes;
                float* out = to + r * weight.columns;
                std::int64_t c = 0;
                for (; c + block_elements <= weight.columns; c += block_elements) {
                    f32v w[block_vectors];
                    decode_block<type>(row + c / block_elements * block_bytes(type), w);
                    for (int i = 0; i < block_vectors; ++i) store(out + c + i * lanes, w[i]);
                }
                for (; c < weight.columns; ++c) out[c] = decode_element<type>(row, c);
            }
        });
    });
}

}  // namespace kernels::cpu::HEADSCOPE_ISA
