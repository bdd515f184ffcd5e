// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/thumbnail.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/painting/cell_kind.h"
#include "ui/painting/map_image.h"
#include "ui/painting/palette.h"

namespace ui {

namespace {

// Entries of the colour table, one a tile pixel.
class Entries {
  public:
    Entries(const engine::Tile& tile, int index) : m_width(tile.request.src.pixels()) {
        const std::int64_t offset = index * m_width * tile.request.dest.pixels();
        if (tile.data.dtype == engine::DType::U8)
            m_bytes = tile.data.as<std::uint8_t>().data() + offset;
        else
            m_floats = tile.data.as<float>().data() + offset;
    }
    // −1: not a number, which bytes cannot say.
    int at(std::int64_t row, std::int64_t column) const {
        if (m_bytes) return m_bytes[row * m_width + column];
        const float p = m_floats[row * m_width + column];
        if (std::isnan(p)) return -1;
        return static_cast<int>(std::lround(255 * std::sqrt(std::clamp(p, 0.0F, 1.0F))));
    }

  private:
    std::int64_t m_width;
    const std::uint8_t* m_bytes = nullptr;
    const float* m_floats = nullptr;
};

struct PixelSpan {
    std::int64_t from, to;
};

// Tile pixels under device pixel i of `side`; at least one.
PixelSpan under(int i, int side, std::int64_t pixels) {
    const std::int64_t from = i * pixels / side;
    return {from, std::max(from + 1, ((i + 1) * pixels + side - 1) / side)};
}

engine::Rows cellsOf(const engine::Axis& axis, PixelSpan span) {
    return {axis.cells_of(span.from).begin, axis.cells_of(span.to - 1).end};
}

// p of the colour table's entry.
float patternOf(int entry) {
    const float root = static_cast<float>(entry) / 255;
    return root * root;
}

}  // namespace

std::optional<engine::Tile> foldedTile(const std::vector<TileHead>& heads, FoldPooling pooling) {
    if (heads.empty() || !heads.front().tile) return {};
    engine::Tile folded = *heads.front().tile;
    const std::int64_t edge = folded.request.src.pixels(), rows = folded.request.dest.pixels();
    std::vector<float> sums(static_cast<std::size_t>(edge * rows), 0);
    for (const TileHead& head : heads) {
        if (!head.tile || head.tile->request.src != folded.request.src ||
            head.tile->request.dest != folded.request.dest)
            return {};
        folded.rows_ready = std::min(folded.rows_ready, head.tile->rows_ready);
        const Entries entries(*head.tile, head.index);
        for (std::int64_t y = 0; y < rows; ++y)
            for (std::int64_t x = 0; x < edge; ++x) {
                const int entry = entries.at(y, x);
                const float p =
                    entry < 0 ? std::numeric_limits<float>::quiet_NaN() : patternOf(entry);
                float& sum = sums[static_cast<std::size_t>(y * edge + x)];
                // A head without a number leaves none: NaN stays in either.
                sum = pooling == FoldPooling::Max && !std::isnan(p) && !std::isnan(sum)
                          ? std::max(sum, p)
                          : sum + p;
            }
    }
    const float parts = pooling == FoldPooling::Max ? 1 : static_cast<float>(heads.size());
    folded.request.heads.resize(1);
    if (folded.data.dtype == engine::DType::F32) {
        for (float& sum : sums) sum /= parts;
        folded.data = engine::make_payload(engine::DType::F32, {1, rows, edge}, std::move(sums));
        return folded;
    }
    std::vector<std::uint8_t> bytes;
    bytes.reserve(sums.size());
    for (const float sum : sums)
        bytes.push_back(std::isnan(sum)
                            ? std::uint8_t{0}
                            : static_cast<std::uint8_t>(std::lround(255 * std::sqrt(sum / parts))));
    folded.data = engine::make_payload(engine::DType::U8, {1, rows, edge}, std::move(bytes));
    return folded;
}

QImage thumbnailImage(const engine::Tile& tile, int index, int window, int side, double ratio,
                      const Theme& theme) {
    QImage image(std::max(side, 1), std::max(side, 1), QImage::Format_RGB32);
    const NoValuePaint paint(theme, ratio, theme.maskedThumbnail.rgb());
    image.fill(paint.masked());
    const engine::Axis &dest = tile.request.dest, &src = tile.request.src;
    if (dest.pixels() == 0 || src.pixels() == 0) return image;
    const ColourTable& table = sequentialTable(theme.scheme);
    const Entries entries(tile, index);
    // Fewer pixels than the side: each covers several device pixels, whose overlap must not be
    // pooled.
    const bool finer = dest.pixels() > side;
    for (int y = 0; y < image.height(); ++y) {
        PixelSpan rows = under(y, side, dest.pixels());
        if (!finer) rows.to = rows.from + 1;
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        for (int x = 0; x < image.width(); ++x) {
            PixelSpan columns = under(x, side, src.pixels());
            if (!finer) columns.to = columns.from + 1;
            switch (kindOf(cellsOf(dest, rows), cellsOf(src, columns), window, tile.rows_ready)) {
                case CellKind::Masked: break;
                case CellKind::OutOfWindow: line[x] = paint.outOfWindow(x, y); break;
                case CellKind::NotComputed: line[x] = paint.notComputed(x, y); break;
                case CellKind::Value: {
                    int entry = -1;
                    for (std::int64_t r = rows.from; r < rows.to; ++r)
                        for (std::int64_t c = columns.from; c < columns.to; ++c)
                            entry = std::max(entry, entries.at(r, c));
                    line[x] =
                        entry < 0 ? paint.noNumber(x, y) : table[static_cast<std::size_t>(entry)];
                }
            }
        }
    }
    return image;
}

}  // namespace ui
