// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of a view as a file for other programs: CSV, a line a value, and NPY, the array.
// Written as it is read, so that memory does not grow with the run.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/files/picture_file.h"
#include "engine/trace_reader.h"
#include "ui/models/run_alignment.h"
#include "ui/painting/map_units.h"

namespace app {

class OutputFile;

// Heads' maps, cell by cell.
struct MapData {
    engine::RunId run{};
    std::optional<engine::RunId> minus;  // signed difference run − minus
    std::vector<engine::LayerHead> heads;
    std::int64_t rows = 0;
    engine::Quantity quantity = engine::Quantity::Pattern;
    engine::TokenId target{};  // of an attribution
    std::optional<engine::TokenId> distractor;
    bool renormalized = false;                     // a pattern, as TileRequest's
    std::vector<engine::Token> tokens;             // at least as many as rows
    ui::MapUnits units;                            // of the axes; spans end at `rows`
    engine::Rows dests, srcs;                      // in units; empty: all, those beyond: none
    std::vector<engine::AttentionRule> attention;  // a layer's window: outside it no CSV line
    // Of a difference whose runs have not the same tokens: rows are places of minus (0) and run
    // (1), and the files say what stands there in either (aligned_data.h). Null: positions.
    std::shared_ptr<const ui::RunAlignment> alignment = {};
    std::vector<engine::Token> minusTokens = {};
};

// NPY: float32 [heads, dests, srcs], masked cells as in a tile (scores −inf, else 0). CSV: a line a
// visible cell with layer, head, dest, src, both tokens and the value. Of spans the same, pooled as
// on screen; dest and src are their first and last tokens, and both texts stand for the tokens. Any
// thread that may read the trace. Throws engine::Error, and Cancelled. Reports rows, on the same
// thread.
void writeMaps(OutputFile&, FileFormat, const engine::TraceReader&, const MapData&,
               std::stop_token = {},
               const std::function<void(std::int64_t done, std::int64_t total)>& report = {});

// CSV: a line a part (embedding, head, attention, output_bias and final_norm_bias where there are
// any, mlp) with norm and attribution. NPY: the heads'
// values of one of them, float32 [layers, heads].
void writeBars(OutputFile&, FileFormat, const engine::ContributionTable&, bool attribution);

// What a map's file takes, for the check of the disk; CSV: about.
std::int64_t mapBytes(FileFormat, const MapData&);

}  // namespace app
