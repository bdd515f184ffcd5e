// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verbs/export_figure.h"

#include <algorithm>
#include <cmath>

#include "app/command_line/cli_text.h"
#include "app/files/head_figure.h"
#include "app/threads/range_job.h"
#include "ui/contributions/contribution_figure.h"
#include "ui/painting/figure.h"
#include "ui/painting/figure_image.h"
#include "ui/painting/map_geometry.h"
#include "ui/painting/text_spans.h"

namespace app {
namespace {

QString text(const std::string& bytes) {
    return QString::fromStdString(oneLine(bytes));
}

QString visible(const engine::Engine& engine, engine::TokenId token) {
    return ui::visibleToken(engine.describe(std::span(&token, 1)).tokens.at(0).bytes);
}

// The model, and what was changed of it.
QString titleOf(const engine::ModelInfo& info, const ExportRequest& request) {
    return text(info.name) +
           (request.edits.empty() ? QString() : QStringLiteral(" · ") + text(request.edits));
}

engine::TileRequest tileRequest(const FinishedRun& run, std::vector<engine::LayerHead> heads,
                                const engine::Axis& axis) {
    engine::TileRequest request;
    request.run = run.id;
    request.heads = std::move(heads);
    request.dest = request.src = axis;
    request.pooling = axis.cells_per_pixel > 1 ? engine::Pooling::Max : engine::Pooling::None;
    return request;
}

// Colours by the layer's or all heads, where the choice says so.
void widenRange(ui::HeadFigure& figure, const engine::ModelInfo& info,
                const engine::TraceReader& reader, const engine::TileRequest& tile,
                const FinishedRun& run, std::stop_token stop) {
    const ui::RangeMode mode = figure.choice.range;
    if (mode != ui::RangeMode::Layer && mode != ui::RangeMode::Model) return;
    std::optional<engine::Layer> layer;
    if (mode == ui::RangeMode::Layer) {
        layer = tile.heads.front().layer;
        if (std::any_of(tile.heads.begin(), tile.heads.end(),
                        [&layer](const engine::LayerHead& at) { return at.layer != *layer; }))
            badArgument("--range", "layer", "the heads are of several layers: take model");
    }
    RangeRequest request = rangeOver(info, run.id, layer, {0, run.rows});
    const std::vector<engine::LayerHead> heads = std::move(request.tile.heads);
    request.tile = tile;
    request.tile.heads = heads;
    request.ranks = figure.choice.rank;
    request.withSink = figure.choice.sink == ui::SinkMode::InScale;
    HeadRange range = wholeRange(reader, std::move(request), stop);
    if (range.largest() > 0) figure.largest = range.largest();
    figure.ranked = range.ranked;
}

DrawnFigure drawHeads(Cli& cli, const engine::Engine& engine, const FinishedRun& run,
                      const ExportRequest& request, const std::vector<engine::LayerHead>& heads,
                      const std::string& names) {
    const engine::ModelInfo& info = engine.info();
    const auto reader = engine.reader();
    ui::HeadFigure figure = headFigure(heads, info, run.tokens, run.rows, unitsOf(run, request));
    figure.scheme = request.scheme;
    figure.page = request.page.page;
    figure.choice = request.page.choice;
    figure.largest = request.page.largest;
    figure.transposed = request.page.transposed;
    figure.title = request.page.title.value_or(titleOf(info, request));
    engine::TileRequest tile;
    tile.quantity = request.quantity.value_or(engine::Quantity::Pattern);
    if (tile.quantity == engine::Quantity::Attribution) {
        tile.target = targetOf(*reader, run, request, engine::Position(run.rows - 1));
        tile.distractor = request.distractor;
        QString named = visible(engine, tile.target);
        if (tile.distractor)
            named += QStringLiteral(" \u2212 ") + visible(engine, *tile.distractor);
        figure.nameTarget(named, request.page.title.has_value());
    }
    tile.run = run.id;
    tile.heads = heads;
    tile.renormalized = figure.choice.sink == ui::SinkMode::Renormalized;
    figure.part = request.part(figure.units);
    if (request.isRaster) ui::checkPixels(ui::headFigureSize(figure), request.zoom);
    const ui::FigureAxes axes = ui::figureAxes(figure, request.zoom);
    tile.dest = axes.dest;
    tile.src = axes.src;
    if (!figure.units.areTokens())
        tile.pooling = ui::spanPooling(tile.quantity);
    else if (tile.src.cells_per_pixel > 1)
        tile.pooling = figure.choice.pooling;
    widenRange(figure, info, *reader, tile, run, cli.stop);
    setTiles(figure, {reader->tile(tile, cli.stop)});
    std::string subject = subjectOf(figure, names, request.edits);
    return {ui::drawingOf(std::move(figure)), std::move(subject)};
}

DrawnFigure drawGrid(Cli& cli, const engine::Engine& engine, const FinishedRun& run,
                     const ExportRequest& request) {
    const engine::ModelInfo& info = engine.info();
    std::vector<engine::LayerHead> heads;
    for (int layer = 0; layer < info.layers; ++layer)
        for (int head = 0; head < info.query_heads; ++head)
            heads.push_back(
                {static_cast<engine::Layer>(layer), static_cast<engine::QueryHead>(head)});
    const engine::Axis axis = ui::wholeAxis(run.rows, ui::gridThumbnail);
    ui::GridFigure figure;
    figure.model = info;
    figure.tile = engine.reader()->tile(tileRequest(run, std::move(heads), axis), cli.stop);
    figure.scheme = request.scheme;
    figure.title = titleOf(info, request);
    std::string subject = subjectOf(figure, run.rows);
    return {ui::drawingOf(std::move(figure)), std::move(subject)};
}

// The head with the largest value, whose layer's heads are then drawn.
engine::LayerHead largest(const std::vector<float>& values, int heads) {
    const auto at = std::max_element(values.begin(), values.end(),
                                     [](float a, float b) { return std::fabs(a) < std::fabs(b); });
    const int index = static_cast<int>(at - values.begin());
    return {static_cast<engine::Layer>(index / heads),
            static_cast<engine::QueryHead>(index % heads)};
}

DrawnFigure drawBars(const engine::Engine& engine, const FinishedRun& run,
                     const ExportRequest& request) {
    const engine::ModelInfo& info = engine.info();
    const engine::Position position = request.position.value_or(engine::Position(run.rows - 1));
    ui::ContributionFigure figure;
    figure.table = engine.reader()->contributions(
        {engine::RequestId{}, run.id, position, request.target, request.distractor});
    const bool writes = request.quantity == engine::Quantity::Value;
    figure.measure = writes ? ui::Measure::Write : ui::Measure::Attribution;
    const auto& values = writes ? figure.table.head_norm : figure.table.head_attribution;
    if (request.view.layer)
        figure.focus.layer = *request.view.layer;
    else
        figure.focus = largest(values, info.query_heads);
    figure.markHead = !request.view.layer;
    figure.kvHeads = info.kv_heads;
    figure.model = titleOf(info, request);
    const std::int64_t row = engine::to_int(position);
    figure.positionText = QString::number(row) + QLatin1Char(' ') +
                          ui::visibleToken(run.tokens[static_cast<std::size_t>(row)].bytes);
    figure.targetText = visible(engine, figure.table.target);
    if (figure.table.distractor) figure.distractorText = visible(engine, *figure.table.distractor);
    figure.scheme = request.scheme;
    std::string subject = subjectOf(figure, run.rows);
    return {ui::drawingOf(std::move(figure)), std::move(subject)};
}

}  // namespace

engine::TokenId targetOf(const engine::TraceReader& reader, const FinishedRun& run,
                         const ExportRequest& request, engine::Position position) {
    if (request.target) return *request.target;
    return reader.logits(run.id, position, 1).candidates.at(0).token;
}

ui::MapUnits unitsOf(const FinishedRun& run, const ExportRequest& request) {
    const std::vector<engine::Token> tokens(
        run.tokens.begin(), run.tokens.begin() + static_cast<std::ptrdiff_t>(run.rows));
    ui::MapUnits units = ui::unitsOf(tokens, request.by);
    if (request.by == ui::Granularity::Turns && units.spans() < 2)
        throw engine::Error(engine::Failure::Kind::BadRequest,
                            "--by turns: there are no chat turns in this prompt", {},
                            "chat turns are told apart by control tokens: --chat adds them");
    return units;
}

void checkPartIsSeen(const ExportRequest& request, const ui::MapUnits& units) {
    if (!request.rows || !request.srcs) return;
    const engine::Rows dests = heldBy(units, request.rows), sources = heldBy(units, request.srcs);
    if (sources.begin < dests.end) return;
    throw engine::Error(engine::Failure::Kind::BadRequest,
                        "--srcs: all of the sources, from " + std::to_string(request.srcs->begin) +
                            " on, come after the last of the rows, " +
                            std::to_string(request.rows->end - 1) +
                            ": no row sees a later token, so nothing is there",
                        {}, "the sources of a part begin at its last row or before it");
}

engine::Rows heldBy(const ui::MapUnits& units, const std::optional<engine::Rows>& tokens) {
    if (!tokens) return {};
    if (units.areTokens()) return *tokens;
    return {units.unitOf(tokens->begin), units.unitOf(tokens->end - 1) + 1};
}

std::optional<ui::MapView> ExportRequest::part(const ui::MapUnits& units) const {
    if (!rows && !srcs) return std::nullopt;
    checkPartIsSeen(*this, units);
    const engine::Rows dests = heldBy(units, rows), sources = heldBy(units, srcs);
    if (dests.count() == sources.count())
        return ui::MapView{dests.begin, sources.begin, dests.count()};
    throw engine::Error(
        engine::Failure::Kind::BadRequest,
        "--rows and --srcs: a picture shows as many rows as sources, and these are " +
            std::to_string(dests.count()) + " and " + std::to_string(sources.count()),
        {}, "give equally many, or write data");
}

std::vector<engine::LayerHead> headsOf(const ExportView& view, const engine::ModelInfo& info) {
    std::vector<engine::LayerHead> heads = view.heads;
    if (view.kind == ExportView::Kind::Layer)
        for (int head = 0; head < info.query_heads; ++head)
            heads.push_back({*view.layer, static_cast<engine::QueryHead>(head)});
    return heads;
}

DrawnFigure drawFigure(Cli& cli, const engine::Engine& engine, const FinishedRun& run,
                       const ExportRequest& request, const std::string& view) {
    const auto& typed = request.view;
    const auto edited = [&](DrawnFigure figure) {
        if (!request.edits.empty()) figure.subject += ", " + request.edits;
        return figure;
    };
    switch (typed.kind) {
        case ExportView::Kind::Heads:
            return drawHeads(cli, engine, run, request, typed.heads, namesOf(typed.heads));
        case ExportView::Kind::Layer:
            return drawHeads(cli, engine, run, request, headsOf(typed, engine.info()), view);
        case ExportView::Kind::Grid: return edited(drawGrid(cli, engine, run, request));
        case ExportView::Kind::Bars: return edited(drawBars(engine, run, request));
        case ExportView::Kind::Numbers: break;  // data
    }
    return {};
}

}  // namespace app
