// SPDX-License-Identifier: GPL-3.0-or-later
// Asks the trace for what a view shows and has it drawn. GUI thread with a QApplication; the
// window's figures, no window.
#pragma once
#include <optional>

#include "app/command_line/cli.h"
#include "app/verbs/export_page.h"
#include "app/verbs/export_view.h"
#include "app/verbs/run_options.h"
#include "ui/painting/map_units.h"
#include "ui/widgets/drawing.h"

namespace app {

struct ExportRequest {
    ExportView view;
    std::optional<engine::Position> position;  // bars; none: the last row
    std::optional<engine::Quantity> quantity;  // none: the pattern, for bars the logit attribution
    std::optional<engine::TokenId> target;     // none: the position's own top token
    std::optional<engine::TokenId> distractor;
    ui::Granularity by = ui::Granularity::Tokens;  // of heads' axes
    ui::Scheme scheme = ui::Scheme::Light;
    double zoom = 1;                         // pixels a logical pixel, of the maps
    bool isRaster = false;                   // and of the whole picture
    PageRequest page;                        // of heads
    std::optional<engine::Rows> rows, srcs;  // of maps, in tokens; none: all
    std::string edits;                       // of the run, as typed; empty: none

    // Of a picture, where both are given and equally many units.
    std::optional<ui::MapView> part(const ui::MapUnits&) const;
};

struct DrawnFigure {
    ui::Drawing drawing;
    std::string subject;  // what the file says of it
};
// `view` as typed. Throws engine::Error and Cancelled.
DrawnFigure drawFigure(Cli&, const engine::Engine&, const FinishedRun&, const ExportRequest&,
                       const std::string& view);

// The heads of a view of heads or of a layer.
std::vector<engine::LayerHead> headsOf(const ExportView&, const engine::ModelInfo&);
// What their axes count. Throws BadRequest for the turns of a run without any.
ui::MapUnits unitsOf(const FinishedRun&, const ExportRequest&);
// The units that hold these tokens; none given: an empty range, which stands for all.
engine::Rows heldBy(const ui::MapUnits&, const std::optional<engine::Rows>& tokens);
// Throws BadRequest where the part that is asked for lies above the diagonal: it is empty.
void checkPartIsSeen(const ExportRequest&, const ui::MapUnits&);
// What attribution is for: as asked, else the position's own top token.
engine::TokenId targetOf(const engine::TraceReader&, const FinishedRun&, const ExportRequest&,
                         engine::Position);

}  // namespace app
