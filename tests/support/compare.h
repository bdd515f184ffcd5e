// SPDX-License-Identifier: GPL-3.0-or-later
// "Relative" everywhere means max|Δ| / max|reference| of that tensor. A NaN on either side is
// infinitely far.
#pragma once
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

inline double max_abs(std::span<const float> reference) {
    double most = 0;
    for (const float x : reference) most = std::fmax(most, std::fabs(x));
    return most;
}

inline double max_difference(std::span<const float> a, std::span<const float> b) {
    if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i]) continue;  // equal infinities
        const double apart = std::fabs(double{a[i]} - b[i]);
        if (!(apart <= most))
            most = std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
    }
    return most;
}

inline double relative_difference(std::span<const float> value, std::span<const float> reference) {
    const double scale = max_abs(reference);
    return max_difference(value, reference) / (scale > 0 ? scale : 1);
}
