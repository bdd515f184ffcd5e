// SPDX-License-Identifier: GPL-3.0-or-later
// The view as a short Python program: the same head, tokens and slice in TransformerLens or in
// nnsight, for whoever goes on in a notebook.
#pragma once
#include <string>
#include <vector>

#include "engine/values/ids.h"
#include "engine/values/model_info.h"
#include "engine/values/tile.h"

namespace app {

enum class SnippetFor { TransformerLens, Nnsight };

struct SnippetView {
    engine::ModelInfo model;
    std::string prompt;   // as typed
    bool edited = false;  // the run changes its own forward pass
    std::vector<engine::TokenId> tokens;
    std::vector<std::string> labels;  // of the axes' units, as they show them; UTF-8
    // Of units that are spans of tokens: unit u holds edges[u] to edges[u + 1] − 1. Empty: tokens.
    std::vector<std::int64_t> edges;
    engine::LayerHead at;
    engine::Position dest{}, src{};  // the selected cell
    engine::Rows dests, srcs;        // in view, in units
    engine::Quantity quantity = engine::Quantity::Pattern;
    bool renormalized = false;  // without source 0
    bool transposed = false;    // the plot: destinations along x
    bool compared = false;      // the Compare page is in front
};

// Why there is no program that would show the same numbers; empty: there is one.
std::string whyNoSnippet(const SnippetView&);
// Only where there is one.
std::string snippetOf(const SnippetView&, SnippetFor);

}  // namespace app
