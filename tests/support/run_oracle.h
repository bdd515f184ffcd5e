// SPDX-License-Identifier: GPL-3.0-or-later
// What an engine kept and rebuilds of a run, against plain fp64 loops over the very same q, k and v
// as the trace holds them, whatever their type.
#pragma once
#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/engine_run.h"

// Largest differences over dest rows; `masked` counts cells out of sight that are not masked.
struct OracleErrors {
    double pattern = 0, sum = 0, lse = 0;
    double z = 0;  // relative to the row's largest |z|
    double largest_score = 0;
    std::int64_t masked = 0;
    // Of pattern, sum and lse.
    double tolerance() const {
        return 1e-5 + 2 * std::numeric_limits<float>::epsilon() * largest_score;
    }
};

// Dest rows [first, rows()) of one layer; each sees the last `window` keys, its own among them (0:
// all).
inline OracleErrors oracle_errors(const EngineRun& run, int layer, std::int64_t first,
                                  std::int64_t window) {
    const engine::ModelInfo& info = run.engine->info();
    const std::int64_t rows = run.rows(), d = info.head_dim, hq = info.query_heads,
                       hkv = info.kv_heads;
    const engine::Rows all{0, rows};
    const auto q = run.read("q", layer, all), k = run.read("k", layer, all),
               v = run.read("v", layer, all), z = run.read("z", layer, all),
               pattern = run.read("pattern", layer, all), scores = run.read("scores", layer, all),
               lse = run.read("lse", layer, all);
    const double scale = info.attention[static_cast<std::size_t>(layer)].scale;
    const auto row = [d](const std::vector<float>& x, std::int64_t at) {
        return x.data() + static_cast<std::size_t>(at * d);
    };
    OracleErrors errors;
    for (std::int64_t t = first; t < rows; ++t) {
        const std::int64_t begin = window > 0 ? std::max<std::int64_t>(0, t - window + 1) : 0;
        double z_error = 0, z_largest = 0;
        for (std::int64_t h = 0; h < hq; ++h) {
            const std::int64_t kv = h / (hq / hkv);
            std::vector<double> s, expected(static_cast<std::size_t>(d));
            for (std::int64_t src = begin; src <= t; ++src) {
                double dot = 0;
                for (std::int64_t i = 0; i < d; ++i)
                    dot += double{row(q, t * hq + h)[i]} * double{row(k, src * hkv + kv)[i]};
                s.push_back(dot * scale);
                errors.largest_score = std::max(errors.largest_score, std::abs(s.back()));
            }
            const double most = *std::max_element(s.begin(), s.end());
            double total = 0, sum = 0;
            for (const double x : s) total += std::exp(x - most);
            const double expected_lse = most + std::log(total);
            errors.lse = std::max(
                errors.lse,
                std::abs(expected_lse - double{lse[static_cast<std::size_t>(h * rows + t)]}));
            for (std::int64_t src = 0; src < rows; ++src) {
                const auto at = static_cast<std::size_t>((h * rows + t) * rows + src);
                if (src < begin || src > t) {
                    errors.masked +=
                        pattern[at] != 0 || scores[at] != -std::numeric_limits<float>::infinity();
                    continue;
                }
                const double p = std::exp(s[static_cast<std::size_t>(src - begin)] - expected_lse);
                errors.pattern = std::max(errors.pattern, std::abs(p - double{pattern[at]}));
                sum += double{pattern[at]};
                for (std::int64_t i = 0; i < d; ++i)
                    expected[static_cast<std::size_t>(i)] += p * double{row(v, src * hkv + kv)[i]};
            }
            errors.sum = std::max(errors.sum, std::abs(sum - 1));
            for (std::int64_t i = 0; i < d; ++i) {
                const double x = expected[static_cast<std::size_t>(i)];
                z_error = std::max(z_error, std::abs(x - double{row(z, t * hq + h)[i]}));
                z_largest = std::max(z_largest, std::abs(x));
            }
        }
        errors.z = std::max(errors.z, z_error / z_largest);
    }
    return errors;
}

// False after a failure of the running test.
inline bool fits_oracle(const OracleErrors& errors, double z_tolerance, int layer) {
    const auto within = [layer](const char* what, double error, double tolerance) {
        return QTest::qVerify(
            error <= tolerance, what,
            qPrintable(
                QStringLiteral("layer %1: %2, allowed %3").arg(layer).arg(error).arg(tolerance)),
            __FILE__, __LINE__);
    };
    return within("masked cells", static_cast<double>(errors.masked), 0) &&
           within("pattern", errors.pattern, errors.tolerance()) &&
           within("row sum", errors.sum, errors.tolerance()) &&
           within("lse", errors.lse, errors.tolerance()) && within("z", errors.z, z_tolerance);
}
