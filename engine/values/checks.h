// SPDX-License-Identifier: GPL-3.0-or-later
// The invariants, computed on a real run, with tolerances: the badge in the window and `bench`'s
// conscience.
#pragma once
#include <cstdint>
#include <limits>

#include "engine/values/ids.h"

namespace engine {

struct CheckReport {
    Layer layer{};
    std::int64_t
        rows_checked = 0,
        rows = 0;  // evenly spread over the run, newest included; all when rows_checked == rows
    float row_sum_error = 0;      // max |Σ_src pattern (+ the sink's mass) − 1|
    float row_sum_tolerance = 0;  // 1e-5 + 2·ε₃₂·max|score|
    float z_error = 0;            // max |pattern·v − z| / max|z| of the layer's checked rows
    float z_tolerance = 1e-5f;    // in fp32 as for the row sums: the weights carry that rounding
    float heads_error = 0;  // max |Σ_h contribution (+ bias) − attention_out| / max|attention_out|
    float heads_tolerance = 1e-5f;
    float closes_error =
        0;  // last layer only: |embedding + Σ writes − the residual the logits came from|, relative
    float closes_tolerance = 1e-4f;

    // 1 is at tolerance: ≤ 1 ok, ≤ 10 warn, above error. An error that is not a number is above
    // any.
    float worst() const {
        float most = 0;
        for (const float ratio : {row_sum_error / row_sum_tolerance, z_error / z_tolerance,
                                  heads_error / heads_tolerance, closes_error / closes_tolerance})
            most = ratio <= most ? most
                   : ratio >= 0  ? ratio
                                 : std::numeric_limits<float>::infinity();
        return most;
    }
};

}  // namespace engine
