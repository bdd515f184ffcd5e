// SPDX-License-Identifier: GPL-3.0-or-later
// A session as it is kept: what was asked for and what was looked at, by token ids and numbers. No
// tensor is kept: the runs are computed again.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/ids.h"
#include "engine/values/model_info.h"
#include "engine/values/run.h"
#include "ui/contributions/contribution_plot.h"
#include "ui/models/finder_model.h"
#include "ui/painting/grid_fold.h"
#include "ui/painting/map_geometry.h"
#include "ui/painting/map_scale.h"
#include "ui/painting/palette_choice.h"

namespace app {

// Which model: where it was, and by which it is known again there or elsewhere.
struct SavedModel {
    std::string path;  // absolute, UTF-8
    std::string name;
    std::string hash;  // of config, headers and file sizes, as ModelInfo's
};

// What the run bar holds, run or not.
struct SavedBar {
    std::string text;
    engine::TokenizeOptions options;
    engine::Sampling sampling;
    std::int64_t generate = 0;
};

// The prompt that the runs share.
struct SavedPrompt {
    std::string text;
    engine::TokenizeOptions options;
    std::vector<engine::TokenId> tokens;
    // Whether text and tokens are what was written, by the file's own check of them; none: a file
    // of before there was one.
    std::optional<bool> isAsWritten = true;
};

struct SavedRun {
    std::optional<std::size_t> parent;    // of a fork: an earlier run
    std::int64_t at = 0;                  // how many generated tokens it shares with it
    std::vector<engine::TokenId> tokens;  // generated from there on
    engine::Edits edits;                  // all that the run was computed with
    bool edited = false;                  // beside its parent for them, not for another token
};

struct SavedSelection {
    engine::LayerHead at;
    engine::Position dest{}, src{};
    bool locked = false, srcByHand = false;
    bool follow = true;  // the newest row
};

// The page in front.
enum class SavedPage { Head, Finder, Compare };

// An earlier prompt, of a run that is compared with.
struct SavedBeside {
    SavedPrompt prompt;
    std::vector<SavedRun> runs;  // as the session's
    std::size_t shown = 0;       // when it was last on screen
};

// Two of the session's runs, counted through those beside it; the difference is B less A.
struct SavedPair {
    std::size_t a = 0, b = 0;
    bool operator==(const SavedPair&) const = default;
};

// Of the grid and the Finder.
struct SavedHeads {
    ui::GridFold fold;
    std::optional<ui::HeadMetric> rank = ui::bestMetric;  // none: by layer and head
    bool reversed = false;                                // the smallest, or the last, first
    std::string filter;                                   // as typed
    ui::HeadMetric x = ui::HeadMetric::Sink, y = ui::HeadMetric::Attribution,
                   colour = ui::HeadMetric::Entropy;  // of the scatter
    bool operator==(const SavedHeads&) const = default;
};

struct SavedView {
    SavedPage page = SavedPage::Head;
    engine::Quantity quantity = engine::Quantity::Pattern;
    ui::ScaleChoice scale;
    ui::Granularity by = ui::Granularity::Tokens;
    std::optional<ui::MapView> zoom;   // in those; none: the whole map
    std::optional<engine::Rows> span;  // of tokens, chosen in the strip
    std::optional<engine::TokenId> target, distractor;
    std::vector<engine::LayerHead> pins;  // in the order they were pinned
    std::optional<SavedPair> compared;    // none: there is one run
    // None in files of before these were kept: what is there stays as it is.
    std::optional<SavedHeads> heads;
    std::optional<bool> asText;          // the prompt as text in the map's place
    std::optional<bool> transposed;      // destinations along x
    std::optional<ui::Measure> measure;  // of the bars
    std::optional<ui::Palette> palette;
};

struct SavedSession {
    SavedModel model;
    SavedBar bar;
    std::optional<SavedPrompt> prompt;  // none: nothing was run
    std::vector<SavedRun> runs;         // by age, the prompt's own first; empty without a prompt
    std::size_t shown = 0;
    SavedSelection selection;
    SavedView view;
    std::vector<SavedBeside> beside;
};

// The session of one of those prompts alone: its prompt and runs, all else as the whole.
SavedSession besideOf(const SavedSession&, std::size_t index);
// Positions of a run: the prompt's and those that it generated or shares. `run` is in range.
std::int64_t tokensOf(const SavedSession&, std::size_t run);
// All ids of a run, the prompt's first.
std::vector<engine::TokenId> idsOf(const SavedSession&, std::size_t run);

// That the model has the layers, heads, positions and tokens that the session names. Throws
// BadFile.
void checkSession(const SavedSession&, const engine::ModelInfo&, const std::string& where);

}  // namespace app
