// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/head_heatmap_parts.h"

#include <cmath>

#include "ui/painting/cell_kind.h"
#include "ui/painting/map_image.h"

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
    ValueExtent extent = headExtent;
    // What the metrics know of are single cells as they are, not means or sums of them.
    const bool renormalized = scene.tile && scene.tile->request.renormalized;
    const bool comparable =
        pooling != engine::Pooling::Mean && pooling != engine::Pooling::Sum && !renormalized;
    const auto known = [&](RangeMode mode) {
        return comparable ? extents.of(mode, quantity) : std::nullopt;
    };
    if (const auto wider = known(choice.range); wider && choice.range != RangeMode::Head)
        extent = {static_cast<double>(*wider), 0};
    else if (const auto head = known(RangeMode::Head))
        extent.include({static_cast<double>(*head), 0});
    scene.scale = scaleFor(choice, quantity, extent, scene.theme.scheme);
    scene.scale.ranked = ranked;
    if (ranked && !ranked->empty() && ranked->back() > 0)
        scene.scale.high = static_cast<double>(ranked->back());
    // A renormalized pixel of several sources holds those from 1 on.
    scene.hidesSink =
        renormalized ? scene.geometry.cellsPerPixel() == 1 : choice.sink == SinkMode::Hidden;
    legend.renormalized = renormalized;
    legend.hasLayer = known(RangeMode::Layer).has_value();
    legend.hasModel = known(RangeMode::Model).has_value();
    legend.hiddenSources =
        scene.hidesSink && scene.geometry.src().begin == 0 ? scene.geometry.cellsPerPixel() : 0;
    legend.quantity = quantity;
    legend.choice = choice;
    legend.scale = scene.scale;
    const bool sink = !scene.hidesSink && scene.scale.exceeds(tileExtent.sink),
               rest = scene.scale.exceeds(tileExtent.withoutSink);
    legend.exceeded = sink || rest;
    legend.onlySinkExceeds = sink && !rest;
    legend.cellsPerPixel = scene.geometry.cellsPerPixel();
    legend.cellPixels = scene.cellPixels();
    legend.notComputed = !scene.geometry.isEmpty() && scene.rowsReady < scene.geometry.dest().end;
    legend.hasData = scene.tile.has_value();
    // Some row in view is longer than the window.
    const engine::Axis dest = scene.geometry.dest();
    legend.hasWindow =
        scene.window > 0 &&
        std::min(dest.end, scene.rowsReady) - scene.geometry.src().begin > scene.window;
}

void HeadHeatmap::Parts::takeProfiles() {
    scene.row.clear();
    scene.column.clear();
    if (!scene.selected) return;
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

std::optional<double> HeadHeatmap::Parts::drawnValue(MapCell cell) const {
    if (!scene.tile || stale || kindAt(cell) != CellKind::Value) return std::nullopt;
    const engine::Axis &dest = scene.tile->request.dest, &src = scene.tile->request.src;
    const std::int64_t p = scene.geometry.cellsPerPixel();
    const auto holds = [p](const engine::Axis& axis, std::int64_t at) {
        return axis.edges.empty() && axis.cells_per_pixel == p && axis.begin % p == 0 &&
               at >= axis.begin && at < axis.end;
    };
    if (!holds(dest, cell.dest) || !holds(src, cell.src) ||
        cell.dest / p * p >= scene.tile->rows_ready)
        return std::nullopt;
    const std::int64_t width = src.pixels(), area = width * dest.pixels();
    const std::int64_t at =
        area * scene.tileHead + (cell.dest - dest.begin) / p * width + (cell.src - src.begin) / p;
    return scene.tile->data.as<float>()[static_cast<std::size_t>(at)];
}

CellKind HeadHeatmap::Parts::kindAt(MapCell cell) const {
    return kindOf(scene.geometry.destBlock(cell.dest), scene.geometry.srcBlock(cell.src),
                  scene.window, scene.rowsReady);
}

ReadOutContent HeadHeatmap::Parts::contentFor(MapCell at,
                                              const std::optional<engine::Cell>& cell) const {
    ReadOutContent content;
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
    content.window = scene.window;
    content.softCap = scene.softCap;
    content.cell = cell;
    const engine::Quantity quantity =
        scene.tile ? scene.tile->request.quantity : engine::Quantity::Pattern;
    const bool renormalized = scene.tile && scene.tile->request.renormalized;
    content.drawnName = quantity == engine::Quantity::Pattern && !renormalized
                            ? QStringLiteral("p")
                            : quantityTitle(quantity, renormalized);
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

}  // namespace ui
