// SPDX-License-Identifier: GPL-3.0-or-later
// The options of a figure of heads: its page, and how values become colours.
#pragma once
#include <optional>
#include <vector>

#include "app/command_line/arguments.h"
#include "engine/values/tile.h"
#include "ui/painting/figure_page.h"
#include "ui/painting/map_scale.h"

namespace app {

struct PageRequest {
    ui::FigurePage page;
    std::optional<QString> title;  // none: the model's name, and the target of attribution
    ui::ScaleChoice choice;
    bool transposed = false;
    std::optional<double> largest;  // what the last colour stands for; none: as the choice has it
};

std::vector<Option> pageOptions();
// Throws engine::Error BadRequest, also for an option that `quantity` rules out, and for any of
// them where `no` says why there are none, "data have no page", but that values of `maps` may be
// renormalized.
PageRequest parsePage(const Arguments&, engine::Quantity, bool spans, const char* no, bool maps);

}  // namespace app
