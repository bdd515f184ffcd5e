// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/thumbnail_store.h"

#include <algorithm>

#include "ui/painting/map_geometry.h"

namespace app {

void ThumbnailStore::reset(engine::RunId run) {
    m_run = run;
    m_axis = {};
    m_thumbnails.clear();
}

std::optional<engine::TileRequest> ThumbnailStore::request(
    const std::vector<engine::LayerHead>& heads, std::int64_t positions, int pixels,
    std::int64_t rows) {
    if (heads.empty() || rows == 0 || pixels <= 0) return {};
    const engine::Axis axis = ui::wholeAxis(positions, pixels);
    if (axis != m_axis) {
        m_axis = axis;
        m_thumbnails.clear();
    }
    engine::TileRequest request;
    std::int64_t known = rows;
    for (const engine::LayerHead head : heads) {
        const auto it = m_thumbnails.find(head);
        const std::int64_t has = it == m_thumbnails.end() ? 0 : it->second.rows;
        if (has >= rows) continue;
        request.heads.push_back(head);
        known = std::min(known, has);
    }
    if (request.heads.empty()) return {};
    const std::int64_t step = axis.cells_per_pixel;
    request.run = m_run;
    request.src = axis;
    request.dest = axis;
    request.dest.begin =
        known / step * step;  // a pixel that holds an old and a new row is asked again
    request.dest.end = std::min(axis.end, (rows + step - 1) / step * step);
    request.quantity = engine::Quantity::Pattern;
    request.pooling = step == 1 ? engine::Pooling::None : engine::Pooling::Max;
    return request;
}

std::optional<engine::Tile> ThumbnailStore::absorb(const engine::Tile& part) {
    if (part.request.run != m_run || part.request.src != m_axis) return {};
    const std::size_t edge = side();
    const auto top = static_cast<std::size_t>(part.request.dest.begin / m_axis.cells_per_pixel);
    const auto values = part.data.as<float>();
    const std::size_t partSize = static_cast<std::size_t>(part.request.dest.pixels()) * edge;

    engine::Tile whole = part;
    whole.request.dest = m_axis;
    std::vector<float> pixels;
    pixels.reserve(edge * edge * part.request.heads.size());
    std::size_t offset = 0;
    for (const engine::LayerHead head : part.request.heads) {
        Thumbnail& kept = m_thumbnails[head];
        kept.pixels.resize(edge * edge);
        const auto piece = values.subspan(offset, partSize);
        std::copy(piece.begin(), piece.end(),
                  kept.pixels.begin() + static_cast<std::ptrdiff_t>(top * edge));
        offset += partSize;
        // Rows below the piece's first were there; no gap can arise.
        kept.rows = std::min(part.rows_ready, part.request.dest.end);
        whole.rows_ready = kept.rows;
        pixels.insert(pixels.end(), kept.pixels.begin(), kept.pixels.end());
    }
    whole.data = engine::make_payload(
        engine::DType::F32,
        {static_cast<std::int64_t>(part.request.heads.size()), m_axis.pixels(), m_axis.pixels()},
        std::move(pixels));
    return whole;
}

}  // namespace app
