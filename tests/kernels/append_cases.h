// SPDX-License-Identifier: GPL-3.0-or-later
// Norm, rotation and write of rows 33 to 96, by plain loops in fp64: the one table that the CPU's
// and the device's kernels are held to. Six query heads, two KV heads.
#pragma once
#include <QTest>
#include <random>

#include "tests/support/paged_trace.h"

struct AppendCase {
    static constexpr std::int64_t rows = 100, begin = 33, end = 97;
    static constexpr int query_heads = 6, kv_heads = 2, heads = query_heads + 2 * kv_heads;
    static constexpr float norm_eps = 1e-3f;
    int page = 64, dim = 16, rotary = 0;
    bool norm = false;
    // Norm weights are uneven, so that rotating first would show. Phases [rows, rotary / 2].
    std::vector<float> qkv, q_norm, k_norm, cosines, sines;

    AppendCase(int page_tokens, int head_dim, int rotary_dim, bool normed)
        : page(page_tokens), dim(head_dim), rotary(rotary_dim), norm(normed) {
        std::mt19937 random(3);
        std::normal_distribution<float> normal;
        const auto numbers = [&](std::int64_t n) {
            std::vector<float> v(static_cast<std::size_t>(n));
            for (float& x : v) x = normal(random);
            return v;
        };
        qkv = numbers((end - begin) * heads * dim);
        q_norm = numbers(dim), k_norm = numbers(dim);
        cosines = numbers(rows * (rotary / 2)), sines = numbers(rows * (rotary / 2));
    }
    support::Shape shape() const { return {page, query_heads, kv_heads, dim, rows}; }

    // rounding: of the element that rows are stored as. v gets neither norm nor rotation; the rows
    // around stay unwritten.
    void verify(const kernels::TraceView& view, double rounding) const {
        double worst = 0;
        const std::int64_t half = rotary / 2;
        for (std::int64_t t = begin; t < end; ++t)
            for (int head = 0; head < heads; ++head) {
                const bool is_q = head < query_heads, is_k = !is_q && head < query_heads + kv_heads;
                std::vector<double> x(static_cast<std::size_t>(dim));
                double squares = 0;
                for (std::size_t d = 0; d < x.size(); ++d) {
                    x[d] = static_cast<double>(
                        qkv[static_cast<std::size_t>(((t - begin) * heads + head) * dim) + d]);
                    squares += x[d] * x[d];
                }
                if (norm && (is_q || is_k))
                    for (std::size_t d = 0; d < x.size(); ++d)
                        x[d] *= static_cast<double>(is_q ? q_norm[d] : k_norm[d]) /
                                std::sqrt(squares / dim + static_cast<double>(norm_eps));
                if (is_q || is_k)
                    for (std::size_t i = 0; i < static_cast<std::size_t>(half); ++i) {
                        const auto at = static_cast<std::size_t>(t * half) + i;
                        const auto c = static_cast<double>(cosines[at]),
                                   s = static_cast<double>(sines[at]);
                        const double a = x[i], b = x[i + static_cast<std::size_t>(half)];
                        x[i] = a * c - b * s;
                        x[i + static_cast<std::size_t>(half)] = b * c + a * s;
                    }
                const float* stored = is_q   ? view.q(t, head)
                                      : is_k ? view.k(t, head - query_heads)
                                             : view.v(t, head - query_heads - kv_heads);
                for (std::size_t d = 0; d < x.size(); ++d) {
                    const double error =
                        std::abs(static_cast<double>(stored[d]) - x[d]) - std::abs(x[d]) * rounding;
                    worst = error <= worst ? worst : std::isnan(error) ? 1e300 : error;
                }
            }
        QVERIFY2(worst < 1e-5, QByteArray::number(worst));
        QVERIFY(std::isnan(view.k(begin - 1, 0)[0]));
        QVERIFY(std::isnan(view.q(end, 0)[0]));
    }
};

inline void add_append_columns() {
    for (const char* column : {"where", "page", "dim", "rotary"}) QTest::addColumn<int>(column);
    QTest::addColumn<bool>("norm");
}
inline void add_append_rows(const char* name, int where, std::initializer_list<int> dims) {
    for (int page : {1, 16, 64})
        for (int dim : dims)
            for (int rotary : {0, dim / 4 * 2, dim})
                for (bool norm : {false, true})
                    QTest::addRow("%s page=%d dim=%d rotary=%d norm=%d", name, page, dim, rotary,
                                  norm)
                        << where << page << dim << rotary << norm;
}
inline AppendCase append_row() {
    QFETCH(int, page);
    QFETCH(int, dim);
    QFETCH(int, rotary);
    QFETCH(bool, norm);
    return {page, dim, rotary, norm};
}
