// SPDX-License-Identifier: GPL-3.0-or-later
// VIEW as typed: "L12.H7", "L12.H7,L3.H1", "L12", "grid", "heads", "bars", "bars:L12".
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/ids.h"
#include "engine/values/model_info.h"

namespace app {

struct ExportView {
    enum class Kind { Heads, Layer, Grid, Bars, Numbers };  // Numbers: of all heads
    Kind kind = Kind::Heads;
    std::vector<engine::LayerHead> heads;  // Heads: in the order typed
    std::optional<engine::Layer>
        layer;  // Layer; Bars: whose heads, none: the layer with the largest write
};

// Throws engine::Error BadRequest for what is no view.
ExportView parseView(const std::string& typed);
// "L12.H7"; none if it is not that.
std::optional<engine::LayerHead> parseHead(std::string_view);
// Throws engine::Error BadRequest for a layer or head that the model does not have.
void checkView(const ExportView&, const std::string& typed, const engine::ModelInfo&);

}  // namespace app
