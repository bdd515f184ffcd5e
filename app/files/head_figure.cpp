// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files/head_figure.h"

#include <algorithm>
#include <utility>

#include "ui/painting/figure_layout.h"
#include "ui/painting/palette_choice.h"

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

// By the ids, which no two tokens share.
std::string logitName(engine::TokenId target, const std::optional<engine::TokenId>& distractor) {
    return " of token " + std::to_string(engine::to_int(target)) +
           (distractor ? " less token " + std::to_string(engine::to_int(*distractor))
                       : std::string());
}

std::string rangeName(const ui::HeadFigure& figure) {
    if (figure.ranked) return "colours by that rank";
    if (figure.choice.rank)
        return std::string("colours by rank among ") +
               (figure.panels.size() > 1 ? "the first map's cells" : "the cells shown");
    if (figure.largest)
        return "colours to " + QString::number(*figure.largest, 'g', 9).toStdString();
    return figure.choice.range == ui::RangeMode::Fixed ? "colours to 1"
                                                       : "colours to the largest shown";
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

namespace {

// What the usual colours need not say.
std::string paletteText(bool isSigned) {
    if (isSigned || ui::palette() == ui::Palette::Navia) return {};
    return ", palette " + ui::paletteName(ui::palette()).toStdString();
}

}  // namespace

std::string subjectOf(const ui::HeadFigure& figure, const std::string& heads,
                      const std::string& about) {
    const engine::TileRequest& request = figure.panels.front().tile.request;
    return heads + ", " + quantityName(request.quantity) +
           (request.renormalized ? " renormalized without source 0" : "") +
           (request.quantity == engine::Quantity::Attribution
                ? logitName(request.target, request.distractor)
                : std::string()) +
           (about.empty() ? "" : ", " + about) + ", " + ui::scaleNote(figure).toStdString() +
           paletteText(ui::isSigned(request.quantity) || request.minus) + ", " + rangeName(figure) +
           ", " + std::to_string(figure.tokens.size()) + " rows";
}

std::string subjectOf(const ui::GridFigure& figure, std::int64_t rows) {
    const bool pooled = figure.tile.request.src.cells_per_pixel > 1;
    return "all heads, pattern" +
           (figure.fold.isEmpty()
                ? std::string()
                : ", folded: " + ui::poolingName(figure.fold.pooling).toStdString()) +
           (pooled ? ", 1 px = " + std::to_string(figure.tile.request.src.cells_per_pixel) +
                         " cells a side, max"
                   : std::string()) +
           paletteText(false) + ", " + std::to_string(rows) + " rows";
}

std::string subjectOf(const ui::ContributionFigure& figure, std::int64_t rows) {
    const engine::ContributionTable& table = figure.table;
    return "contributions at " + std::to_string(engine::to_int(table.position)) + ", " +
           (figure.measure == ui::Measure::Write
                ? std::string("length of what is written")
                : "logit attribution" + logitName(table.target, table.distractor)) +
           ", heads of L" + std::to_string(engine::to_int(figure.focus.layer)) + ", " +
           std::to_string(rows) + " rows";
}

}  // namespace app
