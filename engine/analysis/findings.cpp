// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/analysis/findings.h"

#include <algorithm>
#include <limits>

namespace engine {
namespace {

constexpr std::int64_t most_rows = 16;

float error(double value) {
    return std::isnan(value) ? std::numeric_limits<float>::infinity() : static_cast<float>(value);
}

float relative(const Difference& difference) {
    const double most = difference.most.value;
    return error(most > 0 ? difference.apart.value / most : difference.apart.value);
}

}  // namespace

CheckReport Findings::report(Layer layer, std::int64_t rows_checked, std::int64_t rows,
                             DType compute) const {
    CheckReport report;
    report.layer = layer;
    report.rows_checked = rows_checked;
    report.rows = rows;
    report.row_sum_error = error(row_sum.value);
    report.row_sum_tolerance =
        static_cast<float>(1e-5 + 2 * std::numeric_limits<float>::epsilon() * score.value);
    report.z_error = relative(z);
    report.z_tolerance = report.row_sum_tolerance;  // z weighs v by what is rounded there
    report.heads_error = relative(heads);
    report.closes_error = relative(closing);
    if (compute == DType::F32) return report;
    // One rounding of z. The stream is computed again by other products than the prompt's own, and
    // each of these rounds what it is given.
    const bool half = compute == DType::F16;
    report.z_tolerance = half ? 0x1p-10f : 0x1p-7f;
    report.closes_tolerance = half ? 0x1p-8f : 0x1p-5f;
    return report;
}

std::vector<std::int64_t> rows_to_check(std::int64_t rows) {
    const std::int64_t count = std::min(rows, most_rows);
    std::vector<std::int64_t> chosen;
    for (std::int64_t i = 0; i < count; ++i)
        chosen.push_back(count == 1 ? rows - 1 : i * (rows - 1) / (count - 1));
    return chosen;
}

}  // namespace engine
