// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verbs/export_view.h"

#include <algorithm>
#include <limits>

#include "app/command_line/arguments.h"
#include "app/command_line/cli_text.h"

namespace app {
namespace {

// "L12" after its letter; none if there is no number that an index could be.
std::optional<std::int32_t> index(std::string_view text, char letter) {
    if (text.empty() || text[0] != letter) return std::nullopt;
    const auto number = parseUnsigned(text.substr(1));
    if (!number || *number > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
        return std::nullopt;
    return static_cast<std::int32_t>(*number);
}

}  // namespace

std::optional<engine::LayerHead> parseHead(std::string_view text) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const auto layer = index(text.substr(0, dot), 'L'), number = index(text.substr(dot + 1), 'H');
    if (!layer || !number) return std::nullopt;
    return engine::LayerHead{static_cast<engine::Layer>(*layer),
                             static_cast<engine::QueryHead>(*number)};
}

ExportView parseView(const std::string& typed) {
    using Kind = ExportView::Kind;
    if (typed == "grid") return {Kind::Grid, {}, {}};
    if (typed == "bars") return {Kind::Bars, {}, {}};
    if (typed == "heads") return {Kind::Numbers, {}, {}};
    const bool bars = typed.starts_with("bars:");
    if (const auto layer = index(bars ? std::string_view(typed).substr(5) : typed, 'L'))
        return {bars ? Kind::Bars : Kind::Layer, {}, static_cast<engine::Layer>(*layer)};
    ExportView view;
    for (const std::string& part : splitList(typed)) {
        const auto at = parseHead(part);
        if (!at && (index(part, 'L') || part == "grid" || part == "heads" || part == "bars"))
            badArgument("--view", typed,
                        quote(part) +
                            " stands alone: only heads go with commas, as L12.H7,L12.H8; draw "
                            "the others one at a time");
        if (!at)
            badArgument("--view", typed,
                        quote(bars ? typed.substr(5) : part) +
                            " is no view: L12.H7 (several with commas), L12, grid, "
                            "heads, bars or bars:L12");
        if (std::find(view.heads.begin(), view.heads.end(), *at) != view.heads.end())
            badArgument("--view", typed, engine::to_string(*at) + " is given twice");
        view.heads.push_back(*at);
    }
    return view;
}

void checkView(const ExportView& view, const std::string& typed, const engine::ModelInfo& info) {
    const auto checkLayer = [&](engine::Layer layer) {
        if (engine::to_int(layer) >= info.layers)
            badArgument("--view", typed,
                        "no layer " + std::to_string(engine::to_int(layer)) +
                            ": the model has layers 0 to " + std::to_string(info.layers - 1));
    };
    if (view.layer) checkLayer(*view.layer);
    for (const engine::LayerHead at : view.heads) {
        checkLayer(at.layer);
        if (engine::to_int(at.head) >= info.query_heads)
            badArgument("--view", typed,
                        "no head " + std::to_string(engine::to_int(at.head)) +
                            ": the model has heads 0 to " + std::to_string(info.query_heads - 1));
    }
}

}  // namespace app
