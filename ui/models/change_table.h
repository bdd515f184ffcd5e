// SPDX-License-Identifier: GPL-3.0-or-later
// How far each head's pattern moved from one run to another.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/values/ids.h"

namespace ui {

// Rows and sources are places of the runs' alignment: positions, where that is by position.
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
    bool byToken = false;  // the alignment is not by position
    int layers = 0, query_heads = 0;
    // [L · H, rows]: the row's total variation, ½ Σ over src of |p_B − p_A|; 0 the same, 1 nothing
    // in common. A source that one run lacks has p = 0 there. NaN: only one run has the row.
    std::vector<float> moved;
    std::vector<Largest> largest;  // [L · H]

    int heads() const { return layers * query_heads; }
    bool has(std::int64_t row) const { return row >= rows.begin && row < rows.end; }
    float at(int head, std::int64_t row) const {
        return moved[static_cast<std::size_t>(head * rows.count() + row - rows.begin)];
    }
    // Over the rows compared that both have; 0 without any.
    float mean(int head) const {
        double sum = 0, count = 0;
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            if (std::isnan(at(head, row))) continue;
            sum += static_cast<double>(at(head, row));
            ++count;
        }
        return count > 0 ? static_cast<float>(sum / count) : 0;
    }
};

}  // namespace ui
