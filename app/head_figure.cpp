// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/head_figure.h"

#include <algorithm>
#include <utility>

#include "ui/painting/figure_layout.h"

namespace app {

namespace {

const char* quantityName(engine::Quantity quantity) {
    switch (quantity) {
        case engine::Quantity::Scores: return "scores";
        case engine::Quantity::Pattern: return "pattern";
        case engine::Quantity::Value: return "value-weighted";
        case engine::Quantity::Attribution: return "logit attribution";
    }
    return "";
}

}  // namespace

ui::HeadFigure headFigure(const std::vector<engine::LayerHead>& heads,
                          const engine::ModelInfo& model, const std::vector<engine::Token>& tokens,
                          std::int64_t rows, ui::MapUnits units) {
    ui::HeadFigure figure;
    for (const engine::LayerHead at : heads) {
        const auto layer = static_cast<std::size_t>(engine::to_int(at.layer));
        figure.panels.push_back({at, {}, 0, model.attention[layer].window, {}});
    }
    figure.tokens.assign(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(rows));
    figure.units = std::move(units);
    return figure;
}

bool setTiles(ui::HeadFigure& figure, const std::vector<engine::Tile>& tiles) {
    return std::all_of(figure.panels.begin(), figure.panels.end(), [&](ui::HeadPanel& panel) {
        for (const engine::Tile& tile : tiles) {
            const auto& heads = tile.request.heads;
            const auto at = std::find(heads.begin(), heads.end(), panel.at);
            if (at == heads.end()) continue;
            panel.tile = tile;
            panel.tileHead = static_cast<int>(at - heads.begin());
            return true;
        }
        return false;
    });
}

std::string namesOf(const std::vector<engine::LayerHead>& heads) {
    std::string names;
    for (const engine::LayerHead at : heads)
        names += (names.empty() ? "" : ", ") + engine::to_string(at);
    return names;
}

std::string subjectOf(const ui::HeadFigure& figure, const std::string& heads,
                      const std::string& about) {
    const engine::TileRequest& request = figure.panels.front().tile.request;
    return heads + ", " + quantityName(request.quantity) +
           (request.renormalized ? " renormalized without source 0" : "") +
           (about.empty() ? "" : ", " + about) + ", " + ui::scaleNote(figure).toStdString() + ", " +
           std::to_string(figure.tokens.size()) + " rows";
}

}  // namespace app
