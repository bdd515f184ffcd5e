// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/router.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace engine {
namespace {

// A rating that is not a number must not break the order.
float rated(float rating) {
    return std::isnan(rating) ? -INFINITY : rating;
}

}  // namespace

std::vector<std::vector<RoutedRow>> route(const Experts& experts, const float* ratings,
                                          std::int64_t rows) {
    std::vector<std::vector<RoutedRow>> chosen(static_cast<std::size_t>(experts.count));
    std::vector<int> order(static_cast<std::size_t>(experts.count));
    for (std::int64_t row = 0; row < rows; ++row) {
        const float* rating = ratings + row * experts.count;
        std::iota(order.begin(), order.end(), 0);
        const auto end = order.begin() + experts.used;
        // Of equal ratings the first expert.
        std::partial_sort(order.begin(), end, order.end(), [&](int a, int b) {
            const float x = rated(rating[a]), y = rated(rating[b]);
            return x != y ? x > y : a < b;
        });
        const auto share = [&](int e) {
            return std::exp(double{rating[e]} - rating[order.front()]);
        };
        double total = 0;
        if (experts.normalised)
            for (auto e = order.begin(); e != end; ++e) total += share(*e);
        else
            for (int e = 0; e < experts.count; ++e) total += share(e);
        for (auto e = order.begin(); e != end; ++e)
            chosen[static_cast<std::size_t>(*e)].push_back(
                {row, static_cast<float>(share(*e) / total)});
    }
    return chosen;
}

}  // namespace engine
