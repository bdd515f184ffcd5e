// SPDX-License-Identifier: GPL-3.0-or-later
// A tile: any rectangle of any heads' maps at any zoom, rebuilt from the trace. A heatmap, the grid
// of thumbnails and one decode row are the same request.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/values/ids.h"
#include "engine/values/payload.h"

namespace engine {

enum class Quantity : std::uint8_t {
    Scores,       // scale · q·k with the layer's cap; masked −inf
    Pattern,      // exp(score − lse); masked 0
    Value,        // p · ‖v · W_O_h‖; where edits scale the head, times what they leave of it
    Attribution,  // p · (v · W_O_h · u), u the frozen final norm times the target's unembedding; as
                  // Value of edits
                  // (minus the distractor's)
};

enum class Pooling : std::uint8_t {
    None,  // one cell a pixel; cells_per_pixel must be 1
    Max,   // over visible cells; signed quantities: the value of largest magnitude
    Mean,  // over visible cells; spans: mean over dest, sum over src, so that a row of spans still
           // sums to 1
    Sum,   // over visible cells
};

enum class PixelFormat : std::uint8_t { F32, U8 };
enum class Transfer : std::uint8_t { Linear, Sqrt, Log };

// U8 only: byte = round(255 · transfer(value) mapped from [transfer(low), transfer(high)] to [0, 1]
// and clamped).
struct ColourRange {
    float low = 0, high = 1;
    Transfer transfer = Transfer::Linear;
};

// One side of a tile. Either [begin, end) in steps of cells_per_pixel (the last pixel may hold
// fewer cells), or spans: pixel i holds the positions [edges[i], edges[i + 1]).
struct Axis {
    std::int64_t begin = 0, end = 0;
    std::int64_t cells_per_pixel = 1;
    std::vector<std::int64_t> edges;

    std::int64_t pixels() const {
        if (!edges.empty()) return static_cast<std::int64_t>(edges.size()) - 1;
        return end <= begin ? 0 : (end - begin + cells_per_pixel - 1) / cells_per_pixel;
    }
    Rows cells_of(std::int64_t pixel) const {
        if (!edges.empty())
            return {edges[static_cast<std::size_t>(pixel)],
                    edges[static_cast<std::size_t>(pixel) + 1]};
        const std::int64_t first = begin + pixel * cells_per_pixel;
        return {first, first + cells_per_pixel < end ? first + cells_per_pixel : end};
    }
    bool operator==(const Axis&) const = default;
};

struct TileRequest {
    RequestId id{};
    RunId run{};
    std::optional<RunId> minus;  // signed difference run − minus, taken cell by cell before pooling
    std::vector<LayerHead> heads;  // one for the map, all of a model for the grid
    Axis dest, src;  // rows beyond the published length are left out: see Tile::rows_ready
    Quantity quantity = Quantity::Pattern;
    Pooling pooling = Pooling::Max;
    PixelFormat format = PixelFormat::F32;
    ColourRange range;
    TokenId target{};                   // Attribution: of this token's logit
    std::optional<TokenId> distractor;  // Attribution: minus this one's
    // Pattern only: p of every cell divided by what its row has on sources from 1 on (1 − p on
    // source 0 where there are no learned sinks), so that these sum to 1; source 0 becomes 0. Done
    // cell by cell, before pooling.
    bool renormalized = false;
};

struct Tile {
    TileRequest request;          // as asked, so that a view can tell what it holds
    std::int64_t rows_ready = 0;  // published rows of the run when it was rebuilt; dest ≥ this is
                                  // not computed (0 in data)
    Payload
        data;  // [heads, dest pixels, src pixels], F32 or U8; a pixel without a visible cell holds
               // −inf (Scores) or 0; which pixels those are follows from the layer's AttentionRule
    double seconds = 0;  // time to rebuild
};

// Every quantity of one cell; score and p by the kernel of maps. Value and attribution as in
// Quantity.
struct Cell {
    RunId run{};
    LayerHead at;
    Position dest{}, src{};
    bool visible =
        false;  // false: masked or outside the layer's window; the rest is then meaningless
    float score = 0, pattern = 0;
    float sink = 0;  // what the row's sink took: the pattern's row sums to 1 − sink
    std::int64_t rank = 0,
                 row_cells = 0;  // rank 1 is the largest p of the row, ties share the better rank
    float value_norm = 0;        // p · ‖v · W_O_h‖
    float attribution = 0;       // p · (v · W_O_h · u) for the requested target
};

}  // namespace engine
