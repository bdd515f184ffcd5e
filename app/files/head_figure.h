// SPDX-License-Identifier: GPL-3.0-or-later
// A figure of heads put together, the same for the window and for `export`: first what it is of,
// then, on the axis that its page asks for, its tiles.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/values/model_info.h"
#include "ui/contributions/contribution_figure.h"
#include "ui/painting/figure.h"

namespace app {

// How the window draws a figure of heads, beside what is as on the map.
struct FigureLook {
    ui::FigurePage page;
    ui::Scheme scheme = ui::Scheme::Light;
    std::optional<QString> title;     // none: the model's name
    std::optional<ui::MapView> part;  // of the map; none: the whole
    double zoom = 2;                  // pixels a logical pixel: sharp in print at a column's width
};

// Without tiles, title and page. `tokens`: at least `rows` of them.
ui::HeadFigure headFigure(const std::vector<engine::LayerHead>&, const engine::ModelInfo&,
                          const std::vector<engine::Token>& tokens, std::int64_t rows,
                          ui::MapUnits units);
// Tiles of some of its heads each; false: a head has none.
bool setTiles(ui::HeadFigure&, const std::vector<engine::Tile>&);
// "L21.H1, L23.H3".
std::string namesOf(const std::vector<engine::LayerHead>&);
// What the file says of it, tiles given: "L21.H1, pattern, √, sink out of scale, colours to the
// largest shown, 14 rows".
// `about`: what else is to be said, may be empty.
std::string subjectOf(const ui::HeadFigure&, const std::string& heads, const std::string& about);

// The same of the grid and of the bars.
std::string subjectOf(const ui::GridFigure&, std::int64_t rows);
std::string subjectOf(const ui::ContributionFigure&, std::int64_t rows);

}  // namespace app
