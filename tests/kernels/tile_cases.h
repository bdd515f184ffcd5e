// SPDX-License-Identifier: GPL-3.0-or-later
// A tile request in the contract's words and its pixels by plain loops: the one table that the
// CPU's and the device's tiles are held to.
#pragma once
#include <QTest>
#include <random>

#include "kernels/pattern.h"
#include "tests/support/dense_oracle.h"
#include "tests/support/paged_trace.h"

using Edges = std::vector<std::int64_t>;

// Weighted: value with weights ≥ 0, attribution with signed ones.
enum Quantity { Scores, Pattern, Weighted };

inline Edges steps(std::int64_t begin, std::int64_t end, std::int64_t step) {
    Edges edges;
    for (std::int64_t at = begin; at < end; at += step) edges.push_back(at);
    edges.push_back(end);
    return edges;
}
inline bool unit(const Edges& edges) {
    return edges == steps(edges.front(), edges.back(), 1);
}

inline kernels::ScoreRule rule_of(const support::Shape& shape, float cap = 0, int window = 0) {
    return {1.3f / std::sqrt(static_cast<float>(shape.dim)), cap, window, nullptr};
}

// What the oracle knows of a run, whose lse it stores in the trace, as attend leaves it.
struct TileNumbers {
    std::vector<support::DenseHead> dense;
    std::vector<std::vector<float>> weights;  // a head and src
    std::vector<float> row_weights;           // of dest; odd heads use them

    void fill(const kernels::TraceView& trace, const kernels::ScoreRule& rule, std::int64_t rows,
              unsigned seed) {
        std::mt19937 random(seed);
        std::normal_distribution<float> normal;
        const auto numbers = [&] {
            std::vector<float> v(static_cast<std::size_t>(rows));
            for (float& x : v) x = normal(random);
            return v;
        };
        row_weights = numbers();
        for (int h = 0; h < trace.query_heads; ++h) {
            dense.push_back(support::dense_head(trace, rule, h, rows));
            for (std::int64_t t = 0; t < rows; ++t)
                *trace.lse(t, h) = static_cast<float>(dense.back().lse(t));
            weights.push_back(numbers());
        }
    }
    double tolerance() const {
        double largest = 0;
        for (const support::DenseHead& head : dense) largest = std::max(largest, head.tolerance());
        return largest;
    }
};

struct TileCase {
    Edges dest, src;
    Quantity quantity = Pattern;
    kernels::TilePooling pooling = kernels::TilePooling::Max;
    bool signed_max = false, span_mean = false;
    std::int64_t rows = 0;
    std::int64_t minus_rows = 0;

    std::size_t pixels() const { return (dest.size() - 1) * (src.size() - 1); }
};

struct Bytes {  // of an 8-bit tile
    kernels::TileArgs::Transfer transfer = kernels::TileArgs::Transfer::Linear;
    float low = 0, high = 1;

    double operator()(double x) const {
        using Transfer = kernels::TileArgs::Transfer;
        const auto f = [&](double y) {
            if (transfer == Transfer::Sqrt) return std::sqrt(std::max(0.0, y));
            if (transfer == Transfer::Log) return std::log(std::max(1.17549435e-38, y));
            return y;
        };
        const double from = f(static_cast<double>(low)), to = f(static_cast<double>(high));
        return 255 * std::clamp((f(x) - from) / (to - from), 0.0, 1.0);
    }
};

// Of one head. rivals: the extreme on the other side of 0, which rounding may prefer where the two
// are of one magnitude (a row of two cells differs by +x and −x).
struct ExpectedPixels {
    std::vector<double> values, rivals;
};

inline ExpectedPixels expected_pixels(const TileCase& c, const kernels::ScoreRule& rule,
                                      const TileNumbers& run, const TileNumbers* minus,
                                      std::size_t head) {
    const auto cell = [&](const TileNumbers& from, std::int64_t dest, std::int64_t src) {
        const support::DenseHead& dense = from.dense[head];
        if (c.quantity == Scores) return dense.score(dest, src);
        if (c.quantity == Pattern) return dense.p(dest, src);
        const auto w = static_cast<double>(from.weights[head][static_cast<std::size_t>(src)]);
        const double row =
            head % 2 ? static_cast<double>(from.row_weights[static_cast<std::size_t>(dest)]) : 1;
        return dense.p(dest, src) * w * row;
    };
    const std::int64_t rows = minus ? std::min(c.rows, c.minus_rows) : c.rows;
    ExpectedPixels out;
    for (std::size_t i = 0; i + 1 < c.dest.size(); ++i)
        for (std::size_t j = 0; j + 1 < c.src.size(); ++j) {
            double largest = -INFINITY, least = INFINITY, magnitude = 0, sum = 0;
            std::int64_t cells = 0;
            const std::int64_t last = std::min(c.dest[i + 1], rows);
            for (std::int64_t dest = c.dest[i]; dest < last; ++dest)
                for (std::int64_t src = c.src[j]; src < c.src[j + 1]; ++src) {
                    if (!support::visible(dest, src, rule.window)) continue;
                    const double x = cell(run, dest, src) - (minus ? cell(*minus, dest, src) : 0);
                    largest = std::max(largest, x);
                    least = std::min(least, x);
                    if (std::abs(x) > std::abs(magnitude)) magnitude = x;
                    sum += x;
                    ++cells;
                }
            double value = c.quantity == Scores ? -INFINITY : 0;
            if (cells > 0) {
                if (c.pooling == kernels::TilePooling::Sum)
                    value = sum;
                else if (c.pooling == kernels::TilePooling::Mean)
                    value = sum / static_cast<double>(c.span_mean ? last - c.dest[i] : cells);
                else
                    value = c.signed_max ? magnitude : largest;
            }
            out.values.push_back(value);
            out.rivals.push_back(
                c.signed_max && cells > 0 ? (magnitude == largest ? least : largest) : value);
        }
    return out;
}

// A head each.
inline std::vector<ExpectedPixels> expected_heads(const TileCase& c, const kernels::ScoreRule& rule,
                                                  const TileNumbers& run,
                                                  const TileNumbers* minus) {
    std::vector<ExpectedPixels> heads;
    for (std::size_t h = 0; h < run.dense.size(); ++h)
        heads.push_back(expected_pixels(c, rule, run, minus, h));
    return heads;
}

// Largest error of all heads, where pixel_of(head, pixel) is what came out; of bytes in steps past
// half a one.
template <typename PixelOf>
double worst_error(const std::vector<ExpectedPixels>& heads, const Bytes* bytes,
                   PixelOf&& pixel_of) {
    double worst = 0;
    for (std::size_t h = 0; h < heads.size(); ++h) {
        const auto& [expected, rivals] = heads[h];
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const double value = pixel_of(h, i);
            double error;
            if (bytes) {
                error = std::max(0.0, std::abs((*bytes)(expected[i]) - value) - 0.5);
            } else {
                error = value == expected[i] ? 0 : std::abs(value - expected[i]);
                if (std::abs(std::abs(rivals[i]) - std::abs(expected[i])) < 1e-5)
                    error = std::min(error, std::abs(value - rivals[i]));
            }
            worst = error <= worst ? worst : std::isnan(error) ? 1e300 : error;
        }
    }
    return worst;
}

inline QByteArray described(const TileCase& c, double error, double allowed, bool minus) {
    return QString("error %1 of %2: quantity %3 pooling %4 signed %5 spans %6 rows %7 minus %8, %9")
        .arg(error)
        .arg(allowed)
        .arg(c.quantity)
        .arg(static_cast<int>(c.pooling))
        .arg(c.signed_max)
        .arg(c.span_mean)
        .arg(c.rows)
        .arg(minus)
        .arg(QString("%1x%2 pixels").arg(c.dest.size() - 1).arg(c.src.size() - 1))
        .toUtf8();
}

// Every pooling × quantity × axis × difference × rows published of runs of 150 rows; check(case,
// with a second run, factor): the error may be factor times the pattern's tolerance.
template <typename Check>
void every_tile_case(Check&& check) {
    using kernels::TilePooling;
    const Edges words = {0, 1, 3, 4, 40, 41, 90, 149, 150};
    const std::pair<Edges, Edges> axes[] = {
        {steps(0, 150, 1), steps(0, 150, 1)},  // the whole map
        {steps(0, 150, 7), steps(0, 150, 7)},  // ragged last pixels
        {steps(0, 150, 150), steps(0, 150, 4)},
        {steps(20, 130, 3), steps(50, 61, 2)},   // mostly inside the causal corner
        {steps(149, 150, 1), steps(0, 150, 1)},  // a decode row
        {steps(0, 20, 5), steps(100, 150, 5)},   // nothing visible
        {words, words},
        {steps(0, 150, 2), words}};
    for (const auto& [dest, src] : axes)
        for (Quantity quantity : {Scores, Pattern, Weighted})
            for (auto pooling :
                 {TilePooling::None, TilePooling::Max, TilePooling::Mean, TilePooling::Sum})
                for (bool flag : {false, true})
                    for (std::int64_t rows : {150, 77, 0})
                        for (bool minus : {false, true}) {
                            TileCase c{dest, src, quantity, pooling};
                            c.signed_max = flag && pooling == TilePooling::Max;
                            c.span_mean = flag && pooling == TilePooling::Mean;
                            if (flag && !c.signed_max && !c.span_mean) continue;
                            if (pooling == TilePooling::None && !(unit(dest) && unit(src)))
                                continue;
                            c.rows = rows;
                            c.minus_rows = 101;
                            // A sum of n cells may be wrong by what n cells may.
                            double factor = quantity == Pattern ? 1 : 12;
                            if (pooling == TilePooling::Sum)
                                factor *= quantity == Scores ? 30 * 150 : 30;
                            check(c, minus, factor);
                        }
}

// 8-bit tiles of runs of 150 rows; check(case, bytes).
template <typename Check>
void every_byte_case(Check&& check) {
    using kernels::TilePooling;
    using Transfer = kernels::TileArgs::Transfer;
    for (auto transfer : {Transfer::Linear, Transfer::Sqrt, Transfer::Log})
        for (auto pooling : {TilePooling::Max, TilePooling::Mean})
            for (auto [low, high] : {std::pair{0.0f, 1.0f}, {1e-4f, 0.5f}}) {
                TileCase c{steps(0, 150, 7), steps(0, 150, 5), Pattern, pooling};
                c.rows = 120;
                check(c, Bytes{transfer, low, high});
            }
}

// Of runs of 150 rows and three heads.
inline kernels::ScoreRule with_forbidden(kernels::ScoreRule rule) {
    static const std::vector<kernels::EdgeRange> edges = {
        {0, 10, 90, 0, 14}, {0, 64, 131, 60, 70}, {1, 0, 8, 0, 8}, {2, 140, 150, 3, 150}};
    rule.forbidden = {edges.data(), static_cast<std::int32_t>(edges.size())};
    return rule;
}
// Differences of scores that are both −inf are no numbers.
inline bool subtracts_infinities(const TileCase& c, bool minus) {
    return minus && c.quantity == Scores;
}

// Faults that a tile of six heads with a cap and a window must show.
inline void add_tile_faults() {
    using support::Fault;
    QTest::addColumn<int>("fault");
    QTest::addRow("head mod kv instead of head / group")
        << static_cast<int>(Fault::TileInsteadOfRepeat);
    QTest::addRow("cap left out") << static_cast<int>(Fault::NoCap);
    QTest::addRow("window off by one") << static_cast<int>(Fault::WindowOffByOne);
}
