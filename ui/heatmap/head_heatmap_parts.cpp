// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/head_heatmap_parts.h"

#include <cmath>

#include "ui/painting/cell_kind.h"
#include "ui/painting/map_image.h"
#include "ui/painting/map_labels.h"
#include "ui/painting/text_spans.h"

namespace ui {

void TilePlottable::draw(QCPPainter* painter) {
    if (m_scene.geometry.isEmpty()) return;
    if (m_image.isNull()) {
        m_image = mapImage(m_scene);
        m_image.setDevicePixelRatio(m_scene.ratio);
    }
    painter->drawImage(m_scene.origin, m_image);
}

void HeadHeatmap::Parts::takeTile(const engine::Tile& tile) {
    const auto& heads = tile.request.heads;
    const auto found = std::find(heads.begin(), heads.end(), selection.at);
    if (!hasSelection || found == heads.end() || tile.request.run != selection.run) return;
    const std::int64_t cells = tile.request.dest.pixels() * tile.request.src.pixels();
    if (tile.data.dtype != engine::DType::F32 || tile.data.elements() != cells * std::ssize(heads))
        return;
    const engine::TileRequest* before = scene.tile ? &scene.tile->request : nullptr;
    const engine::TileRequest& now = tile.request;
    // Means and sums of another zoom are other numbers; a maximum is the same at
    // each.
    const bool additive =
        now.pooling == engine::Pooling::Mean || now.pooling == engine::Pooling::Sum;
    const bool comparable = before && !stale && before->quantity == now.quantity &&
                            before->target == now.target && before->distractor == now.distractor &&
                            before->minus == now.minus &&
                            before->renormalized == now.renormalized &&
                            !(additive || before->pooling == engine::Pooling::Mean ||
                              before->pooling == engine::Pooling::Sum);
    if (!comparable) headExtent = {};
    scene.tile = tile;
    scene.tileHead = static_cast<int>(found - heads.begin());
    scene.rowsReady = std::max(scene.rowsReady, tile.rows_ready);
    stale = false;
    staleTimer.stop();
    tileExtent = extentOf(tile, scene.tileHead, scene.window);
    headExtent.include(tileExtent);
    takeRanks();
    rescale();
}

void HeadHeatmap::Parts::takeRanks() {
    ranked.reset();
    if (choice.rank && scene.tile)
        ranked = rankedMagnitudes(*scene.tile, scene.tileHead, scene.window, choice.sink);
}

void HeadHeatmap::Parts::rescale() {
    const engine::Quantity quantity =
        scene.tile ? scene.tile->request.quantity : engine::Quantity::Pattern;
    const engine::Pooling pooling =
        scene.tile ? scene.tile->request.pooling : engine::Pooling::None;
    const bool renormalized = scene.tile && scene.tile->request.renormalized;
    ValueExtent extent = headExtent;
    // What is known beyond the tile are single cells, not means or sums of them.
    const bool comparable = pooling != engine::Pooling::Mean && pooling != engine::Pooling::Sum;
    const bool isPattern = quantity == engine::Quantity::Pattern && !renormalized;
    const bool wide = choice.range == RangeMode::Layer || choice.range == RangeMode::Model;
    std::optional<ValueExtent> wider = extents.wider;
    const auto& pattern =
        choice.range == RangeMode::Layer ? extents.layerPattern : extents.modelPattern;
    if (!wider && isPattern && choice.sink != SinkMode::InScale && pattern)
        wider = {static_cast<double>(*pattern), 0};
    const bool knowsWider = comparable && wide && wider && (!choice.rank || extents.ranked);
    if (knowsWider)
        extent = *wider;
    else if (comparable && isPattern && extents.headPattern)
        extent.include({static_cast<double>(*extents.headPattern), 0});
    scene.scale = scaleFor(choice, quantity, extent, scene.theme.scheme);
    scene.scale.ranked = knowsWider && choice.rank ? extents.ranked : ranked;
    if (scene.scale.ranked && !scene.scale.ranked->empty() && scene.scale.ranked->back() > 0)
        scene.scale.high = static_cast<double>(scene.scale.ranked->back());
    const MapCell first{scene.geometry.dest().begin, scene.geometry.src().begin};
    // A renormalized pixel of several sources holds those from 1 on.
    scene.hidesSink = renormalized
                          ? !scene.geometry.isEmpty() && scene.srcTokens(first).count() == 1
                          : hidesSinkOf(choice, scene.geometry.tokens());
    legend.renormalized = renormalized;
    legend.offersWider = comparable && scene.tile.has_value();
    legend.measuring = legend.offersWider && wide && !knowsWider;
    legend.rankedCells =
        knowsWider && choice.rank ? static_cast<std::int64_t>(extents.ranked->size()) : 0;
    legend.hiddenSources =
        scene.hidesSink && scene.geometry.src().begin == 0 && !scene.geometry.isEmpty()
            ? scene.srcTokens(first).count()
            : 0;
    legend.onlyColumn = !renormalized && choice.sink == SinkMode::Hidden && !scene.hidesSink &&
                        !scene.geometry.isEmpty();
    legend.units = scene.units;
    legend.quantity = quantity;
    legend.choice = choice;
    legend.scale = scene.scale;
    const bool sink = !scene.hidesSink && scene.scale.exceeds(tileExtent.sink),
               rest = scene.scale.exceeds(tileExtent.withoutSink);
    legend.exceeded = sink || rest;
    legend.onlySinkExceeds = sink && !rest;
    legend.cellsPerPixel = scene.geometry.cellsPerPixel();
    legend.cellPixels = scene.cellPixels();
    legend.notComputed =
        !scene.geometry.isEmpty() && scene.unitsReady() < scene.geometry.dest().end;
    legend.hasData = scene.tile.has_value();
    // Some row in view is longer than the window.
    const engine::Axis dest = scene.units.tokensOf(scene.geometry.dest());
    const engine::Axis src = scene.units.tokensOf(scene.geometry.src());
    legend.hasWindow =
        scene.window > 0 && std::min(dest.end, scene.rowsReady) - src.begin > scene.window;
}

void HeadHeatmap::Parts::takeProfiles() {
    scene.row.clear();
    scene.column.clear();
    if (!scene.selected || !hasProfiles) return;
    if (!scene.units.areTokens()) return takeSpanProfiles();
    const auto given = [](const auto& profile, std::int64_t at) {
        return profile && engine::to_int(profile->first) == at;
    };
    if (given(row, scene.selected->dest)) scene.row = row->second;
    if (given(column, scene.selected->src)) scene.column = column->second;
    // Until they are given: from the tile itself, where it is the pattern, cell
    // by cell.
    const bool usable = scene.tile && !stale &&
                        scene.tile->request.quantity == engine::Quantity::Pattern &&
                        !scene.tile->request.renormalized && scene.geometry.cellsPerPixel() == 1;
    if (!usable) return;
    const engine::Axis dest = scene.geometry.dest(), src = scene.geometry.src();
    if (scene.row.empty() && drawnValue({scene.selected->dest, src.begin})) {
        scene.row.assign(static_cast<std::size_t>(src.end), 0);
        for (std::int64_t s = src.begin; s < src.end; ++s)
            scene.row[static_cast<std::size_t>(s)] =
                static_cast<float>(drawnValue({scene.selected->dest, s}).value_or(0));
    }
    if (scene.column.empty() &&
        drawnValue({std::min(dest.end, scene.rowsReady) - 1, scene.selected->src})) {
        scene.column.assign(static_cast<std::size_t>(dest.end), 0);
        for (std::int64_t d = dest.begin; d < dest.end; ++d)
            scene.column[static_cast<std::size_t>(d)] =
                static_cast<float>(drawnValue({d, scene.selected->src}).value_or(0));
    }
}

// Mass is no probability of one row: what the tile shows is all there is to show.
void HeadHeatmap::Parts::takeSpanProfiles() {
    if (!scene.tile || stale || scene.tile->request.quantity != engine::Quantity::Pattern ||
        scene.geometry.cellsPerPixel() != 1)
        return;
    const engine::Axis dest = scene.geometry.dest(), src = scene.geometry.src();
    const auto take = [this](std::vector<float>& into, const engine::Axis& along, auto cellAt) {
        if (!drawnValue(cellAt(along.begin)) && !drawnValue(cellAt(along.end - 1))) return;
        into.assign(static_cast<std::size_t>(along.end), 0);
        for (std::int64_t at = along.begin; at < along.end; ++at)
            into[static_cast<std::size_t>(at)] =
                static_cast<float>(drawnValue(cellAt(at)).value_or(0));
    };
    const MapCell selected = *scene.selected;
    if (dest.begin <= selected.dest && selected.dest < dest.end)
        take(scene.row, src, [&](std::int64_t at) { return MapCell{selected.dest, at}; });
    if (src.begin <= selected.src && selected.src < src.end)
        take(scene.column, dest, [&](std::int64_t at) { return MapCell{at, selected.src}; });
}

std::optional<double> HeadHeatmap::Parts::drawnValue(MapCell cell) const {
    if (!scene.tile || stale || kindAt(cell) != CellKind::Value) return std::nullopt;
    const engine::Axis &dest = scene.tile->request.dest, &src = scene.tile->request.src;
    const engine::Rows rows = scene.destTokens(cell), columns = scene.srcTokens(cell);
    // Only of a pixel that holds these very cells: the last one of an axis may hold fewer.
    const auto holds = [](const engine::Axis& axis, engine::Rows block) {
        const std::int64_t pixel = pixelAt(axis, block.begin);
        if (pixel < 0) return pixel;
        const engine::Rows held = axis.cells_of(pixel);
        const std::int64_t end = axis.edges.empty() ? std::min(block.end, axis.end) : block.end;
        return held == engine::Rows{block.begin, end} ? pixel : std::int64_t{-1};
    };
    const std::int64_t y = holds(dest, rows), x = holds(src, columns);
    if (y < 0 || x < 0 || rows.begin >= scene.tile->rows_ready) return std::nullopt;
    const std::int64_t width = src.pixels(), area = width * dest.pixels();
    return scene.tile->data
        .as<float>()[static_cast<std::size_t>(area * scene.tileHead + y * width + x)];
}

CellKind HeadHeatmap::Parts::kindAt(MapCell cell) const {
    return kindOf(scene.destTokens(cell), scene.srcTokens(cell), scene.window, scene.rowsReady);
}

ReadOutContent HeadHeatmap::Parts::contentFor(MapCell at,
                                              const std::optional<engine::Cell>& cell) const {
    ReadOutContent content;
    content.window = scene.window;
    content.softCap = scene.softCap;
    content.cell = cell;
    if (!scene.units.areTokens()) {
        takeSpans(at, content);
        return content;
    }
    content.dest = cell ? engine::to_int(cell->dest) : at.dest;
    content.src = cell ? engine::to_int(cell->src) : at.src;
    const auto text = [this](std::int64_t position) {
        if (position < 0 || position >= std::ssize(scene.tokens)) return QString();
        const QString token = visibleToken(scene.tokens[static_cast<std::size_t>(position)].bytes);
        return token.size() <= 24 ? token : token.left(23) + u'…';
    };
    content.destToken = text(content.dest);
    content.srcToken = text(content.src);
    content.kind =
        scene.geometry.rectOf(at).isValid()
            ? kindAt(at)
            : kindOf({at.dest, at.dest + 1}, {at.src, at.src + 1}, scene.window, scene.rowsReady);
    const engine::Quantity quantity =
        scene.tile ? scene.tile->request.quantity : engine::Quantity::Pattern;
    const bool renormalized = scene.tile && scene.tile->request.renormalized;
    content.drawnName = quantity == engine::Quantity::Pattern && !renormalized
                            ? QStringLiteral("p")
                            : quantityTitle(quantity, renormalized);
    const bool oneCell = cell || scene.geometry.cellsPerPixel() <= 1;  // not one of a pixel's many
    if (oneCell && content.kind == CellKind::Value)
        content.forbiddenBy =
            forbiddenIn({content.dest, content.dest + 1}, {content.src, content.src + 1});
    if (!scene.geometry.rectOf(at).isValid()) return content;
    content.drawn = drawnValue(at);
    content.renormalized = renormalized;
    content.cellsPerPixel = scene.geometry.cellsPerPixel();
    content.pooling = content.cellsPerPixel > 1 ? choice.pooling : engine::Pooling::None;
    // A locked cell need not be the one that its pixel shows.
    if (cell && content.pooling == engine::Pooling::Max && content.drawnName == u'p' &&
        content.drawn &&
        std::abs(*content.drawn - static_cast<double>(cell->pattern)) >
            1e-5 * std::abs(*content.drawn)) {
        content.cellsPerPixel = 1;
        content.pooling = engine::Pooling::None;
    }
    return content;
}

QString HeadHeatmap::Parts::forbiddenIn(engine::Rows dest, engine::Rows src) const {
    QStringList edits;
    for (const engine::EdgeEdit& edge : scene.forbidden) {
        const std::int64_t last = std::min(edge.dest.end, dest.end) - 1,
                           first = std::max(edge.src.begin, src.begin);
        // A source that is later than all of these rows is out of their sight without any edit.
        if (last < std::max(edge.dest.begin, dest.begin) ||
            first >= std::min(edge.src.end, src.end) || first > last)
            continue;
        edits << QStringLiteral("%1 ← %2").arg(
            edge.dest.end < engine::every_row.end ? rangeText(edge.dest)
            : edge.dest.begin == 0                ? QStringLiteral("every row")
                                   : QStringLiteral("%1 and later").arg(thousands(edge.dest.begin)),
            rangeText(edge.src));
    }
    if (edits.size() > 2)
        return QStringLiteral("%1 and %2 more").arg(edits.front()).arg(edits.size() - 1);
    return edits.join(QStringLiteral(", "));
}

void HeadHeatmap::Parts::takeSpans(MapCell at, ReadOutContent& content) const {
    const bool inView = scene.geometry.rectOf(at).isValid();
    content.destSpan = inView ? scene.destTokens(at) : scene.units.tokensOf(at.dest);
    content.srcSpan = inView ? scene.srcTokens(at) : scene.units.tokensOf(at.src);
    content.dest = content.destSpan.begin;
    content.src = content.srcSpan.begin;
    content.destToken = spanText(scene.tokens, content.destSpan, 24);
    content.srcToken = spanText(scene.tokens, content.srcSpan, 24);
    content.kind = kindOf(content.destSpan, content.srcSpan, scene.window, scene.rowsReady);
    const engine::Quantity quantity =
        scene.tile ? scene.tile->request.quantity : engine::Quantity::Pattern;
    content.drawnName = spanQuantityTitle(quantity, scene.tile && scene.tile->request.renormalized);
    if (inView) content.drawn = drawnValue(at);
    if (content.kind == CellKind::Value)
        (content.destSpan.count() == 1 && content.srcSpan.count() == 1 ? content.forbiddenBy
                                                                       : content.forbiddenWithin) =
            forbiddenIn(content.destSpan, content.srcSpan);
}

void HeadHeatmap::Parts::takeRoom() {
    room = scene.units.areTokens() ? labelRoom(scene.tokens, scene.promptTokens, positions)
                                   : spanLabelRoom(scene.units, positions);
    scene.labelCharacters = room.characters;
}

}  // namespace ui
