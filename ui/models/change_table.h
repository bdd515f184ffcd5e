// SPDX-License-Identifier: GPL-3.0-or-later
// How far each head's pattern moved from one run to another.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/values/ids.h"

namespace ui {

struct ChangeTable {
    struct Largest {
        float value = 0;  // p in B less p in A, of largest magnitude
        engine::Position dest{}, src{};
    };

    engine::RequestId id{};
    engine::RunId a{}, b{};
    // Compared: from the first row that is not the same in both, to the end of the shorter run.
    // Empty: what both have is the same.
    engine::Rows rows;
    int layers = 0, query_heads = 0;
    // [L · H, rows]: the row's total variation, ½ Σ over src of |p_B − p_A|; 0 the same, 1 nothing
    // in common.
    std::vector<float> moved;
    std::vector<Largest> largest;  // [L · H]

    int heads() const { return layers * query_heads; }
    bool has(std::int64_t row) const { return row >= rows.begin && row < rows.end; }
    float at(int head, std::int64_t row) const {
        return moved[static_cast<std::size_t>(head * rows.count() + row - rows.begin)];
    }
    // Over the rows compared; 0 without any.
    float mean(int head) const {
        double sum = 0;
        for (std::int64_t row = rows.begin; row < rows.end; ++row)
            sum += static_cast<double>(at(head, row));
        return rows.count() > 0 ? static_cast<float>(sum / static_cast<double>(rows.count())) : 0;
    }
};

}  // namespace ui
