// SPDX-License-Identifier: GPL-3.0-or-later
// Rebuilds tiles of scores, patterns and weighted patterns from q, k and lse of the paged trace.
// Nothing of size [T, T] exists but the pixels asked for.
#pragma once
#include <cstdint>

#include "kernels/parallel.h"
#include "kernels/views.h"

namespace kernels {

enum class TilePooling : std::uint8_t { None, Max, Mean, Sum };

// Pixel i of an axis holds the cells [edges[i], edges[i + 1]); edges ascend; a plain zoom has equal
// steps.
struct TileAxis {
    const std::int64_t* edges = nullptr;  // [pixels + 1]
    std::int64_t pixels = 0;
};

// One head of a tile request. With s the score of ScoreRule, a cell is
//   scores               s                                           raw, no weights
//   pattern              p = exp(s − lse[dest])                      no weights
//   value, attribution   p · column_weight[src] · row_weight[dest]
// Max takes the value of largest magnitude when `signed_max`, else the largest. Mean is over
// visible cells; with `span_mean` it is Σ over (dest, src) cells divided by the number of dest rows
// of the pixel that are < rows (a row of spans then sums to 1). A pixel without a visible cell is
// `empty` (−inf for scores, 0 otherwise). Masked cells count nowhere; forbidden ones
// (rule.forbidden) are cells with score −inf and probability 0. dest ≥ rows, of either run of a
// difference: left at `empty`.
struct TileHead {
    TraceView trace;
    ScoreRule rule;
    std::int32_t head = 0;  // query head
    std::int64_t rows = 0;  // published rows of the run
    // [src_end − src_begin], index src − the first edge; null: 1.
    const float* column_weight = nullptr;
    // [rows], index dest; null: 1. The final norm's frozen 1/rms at dest, which makes an
    // attribution map exact row by row.
    const float* row_weight = nullptr;
    // Another run, whose same cell is subtracted before pooling (same head, same rule), or null.
    const TraceView* minus_trace = nullptr;
    std::int64_t minus_rows = 0;
    const float* minus_column_weight = nullptr;
    const float* minus_row_weight = nullptr;
    ForbiddenEdges minus_forbidden;  // the other run's; rule.forbidden is the first's
    float* out = nullptr;            // [dest.pixels, src.pixels], or null when out_u8 is given
    std::uint8_t* out_u8 = nullptr;
};

struct TileArgs {
    const TileHead* heads = nullptr;
    std::int64_t head_count = 0;
    TileAxis dest, src;
    bool raw = false;  // scores instead of probabilities
    TilePooling pooling = TilePooling::Max;
    bool signed_max = false, span_mean = false;
    // out_u8: round(255 · clamp((f(x) − f(low)) / (f(high) − f(low)))), f the transfer, of
    // max(x, 0) for Sqrt and of max(x, the least normal number) for Log. NaN becomes 0; where
    // low = high, what is above becomes 255 and the rest 0.
    float low = 0, high = 1;
    enum class Transfer : std::uint8_t { Linear, Sqrt, Log } transfer = Transfer::Linear;
    // Polled between strips (a relaxed atomic read); true: return early, out undefined.
    const bool* stop = nullptr;
};

// Per head, over the dest rows [begin, end), sums in fp64: what the head table needs, from one
// streaming pass. What is measured is overwritten; all 0 for no rows. Each Σ is over rows and the
// visible src of a row; the last three are TransformerLens' detection patterns.
struct MetricsHead {
    TraceView trace;
    ScoreRule rule;
    std::int32_t head = 0;
    double mass_sum = 0;       // Σ p: the number of rows, less what sinks take
    double sink_sum = 0;       // Σ p on src 0
    double entropy_sum = 0;    // Σ −p ln p, nat
    double distance_sum = 0;   // Σ p · (dest − src)
    double previous_sum = 0;   // Σ p on src = dest − 1
    double duplicate_sum = 0;  // Σ p on src < dest that hold dest's token
    double induction_sum = 0;  // Σ p on src > 0 behind such a one: token[src − 1] = token[dest]
    float max_pattern = 0;     // over src > 0
    float min_score = 0, max_score = 0;  // over visible cells
};

struct MetricsArgs {
    MetricsHead* heads = nullptr;
    std::int64_t head_count = 0;
    std::int64_t begin = 0, end = 0;  // dest rows
    // [end], of the run's positions, none below 0. Compared as the pass goes: lists of equal tokens
    // would be as long as the pattern where a prompt says one word over and over.
    const std::int32_t* tokens = nullptr;
    const bool* stop = nullptr;  // as TileArgs'
};

namespace cpu {
void tile(const TileArgs&, const Parallel&);
void metrics(const MetricsArgs&, const Parallel&);
}  // namespace cpu

}  // namespace kernels
