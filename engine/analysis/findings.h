// SPDX-License-Identifier: GPL-3.0-or-later
// What the invariants showed of a layer's rows, as it becomes a CheckReport; the same for every
// reader.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/values/checks.h"
#include "engine/values/dtype.h"
#include "engine/values/ids.h"

namespace engine {

struct Largest {
    double value = 0;
    void see(double x) {  // a comparison with NaN must not pass for a small error
        if (std::isnan(x) || x > value) value = x;
    }
};

struct Difference {
    Largest apart, most;
    void see(double a, double b) {
        apart.see(std::abs(a - b));
        most.see(std::abs(b));
    }
};

struct Findings {
    Largest row_sum;     // |Σ pattern − 1|
    Largest score;       // |score|
    Difference z;        // pattern · v, against z as kept
    Difference heads;    // Σ_h contribution (+ bias), against the attention output
    Difference closing;  // logits of the stream computed again, against those the run had

    // compute: what the run was computed in, which sets the tolerances.
    CheckReport report(Layer, std::int64_t rows_checked, std::int64_t rows, DType compute) const;
};

// Spread evenly, the newest included.
std::vector<std::int64_t> rows_to_check(std::int64_t rows);

}  // namespace engine
