// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/map_image.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ui/painting/cell_kind.h"

namespace ui {

NoValuePaint::NoValuePaint(const Theme& theme, double ratio, QRgb masked)
    : m_masked(masked),
      m_hatchLine(theme.outOfWindowLine.rgb()),
      m_ground(theme.notComputedGround.rgb()),
      m_dot(theme.notComputedDot.rgb()),
      m_line(std::max(1, static_cast<int>(std::lround(ratio)))),
      m_hatch(std::max(2, static_cast<int>(std::lround(6 * ratio)))),
      m_dots(std::max(2, static_cast<int>(std::lround(8 * ratio)))) {}

namespace {

// The tile's pixel that holds a position, −1 when it has none: a tile of
// another zoom stands in until the asked one is there.
std::vector<int> tilePixels(const MapScene& scene, const engine::Axis& shown,
                            const engine::Axis* held) {
    std::vector<int> pixels(static_cast<std::size_t>(shown.pixels()), -1);
    if (held == nullptr) return pixels;
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        const std::int64_t first = shown.cells_of(static_cast<std::int64_t>(i)).begin;
        pixels[i] = static_cast<int>(pixelAt(*held, scene.units.tokensOf(first).begin));
    }
    return pixels;
}

// What one row of tile pixels looks like before the hatching: a colour, or a
// kind to be painted pixel by pixel.
struct Look {
    CellKind kind = CellKind::Masked;
    QRgb colour = 0;
    bool oneRunOnly = false;  // not computed here, but in the other run
    bool noNumber = false;    // computed, but NaN
};

class RowLooks {
  public:
    RowLooks(const MapScene& scene, const NoValuePaint& paint)
        : m_scene(scene),
          m_paint(paint),
          m_src(scene.geometry.src()),
          m_rows(tilePixels(scene, scene.geometry.dest(),
                            scene.tile ? &scene.tile->request.dest : nullptr)),
          m_columns(tilePixels(scene, m_src, scene.tile ? &scene.tile->request.src : nullptr)) {
        for (std::int64_t x = 0; x < m_src.pixels(); ++x)
            m_sources.push_back(scene.units.tokensOf(m_src.cells_of(x)));
        m_hidesFirst = scene.hidesSink && m_src.begin == 0;
        if (!scene.tile) return;
        m_width = scene.tile->request.src.pixels();
        const std::int64_t area = m_width * scene.tile->request.dest.pixels();
        m_values = scene.tile->data.as<float>().subspan(
            static_cast<std::size_t>(area * scene.tileHead), static_cast<std::size_t>(area));
    }

    void fill(std::int64_t y, std::vector<Look>& looks) const {
        const engine::Rows dest = m_scene.units.tokensOf(m_scene.geometry.dest().cells_of(y));
        const int row = m_rows[static_cast<std::size_t>(y)];
        const bool has = row >= 0 && dest.begin < m_scene.tile->rows_ready;
        for (std::size_t x = 0; x < looks.size(); ++x) {
            Look& look = looks[x];
            look.kind = kindOf(dest, m_sources[x], m_scene.window, m_scene.rowsReady);
            if (look.kind == CellKind::Masked) look.colour = m_paint.masked();
            look.noNumber = false;
            look.oneRunOnly =
                dest.begin >= m_scene.oneRunOnly.begin && dest.begin < m_scene.oneRunOnly.end;
            if (look.kind != CellKind::Value) continue;
            if (x == 0 && m_hidesFirst) {
                look.colour = m_scene.theme.base.rgb();
                continue;
            }
            const int column = m_columns[x];
            const bool known = has && column >= 0;
            look.noNumber = known && std::isnan(value(row, column));
            look.colour = known ? m_scene.scale.colour(value(row, column)) : m_paint.pending();
        }
    }

  private:
    double value(int row, int column) const {
        return m_values[static_cast<std::size_t>(row * m_width + column)];
    }

    const MapScene& m_scene;
    const NoValuePaint& m_paint;
    engine::Axis m_src;
    std::vector<int> m_rows, m_columns;
    std::vector<engine::Rows> m_sources;  // tokens of each pixel of a row
    bool m_hidesFirst = false;            // the pixels that hold source 0
    std::int64_t m_width = 0;
    std::span<const float> m_values;
};

// A block at a time: rows of the one and columns of the other stay in the cache. The looks of what
// has no data are the same across the diagonal.
QImage transposedOf(const QImage& image) {
    constexpr int block = 32;
    const int side = image.width();
    QImage turned(side, side, image.format());
    for (int top = 0; top < side; top += block)
        for (int left = 0; left < side; left += block)
            for (int y = top; y < std::min(top + block, side); ++y) {
                const auto* from = reinterpret_cast<const QRgb*>(image.constScanLine(y));
                for (int x = left; x < std::min(left + block, side); ++x)
                    reinterpret_cast<QRgb*>(turned.scanLine(x))[y] = from[x];
            }
    return turned;
}

}  // namespace

QImage mapImage(const MapScene& scene) {
    const int side = scene.geometry.side();
    QImage image(side, side, QImage::Format_RGB32);
    if (side == 0) return image;
    const NoValuePaint paint(scene.theme, scene.ratio, scene.theme.maskedMap.rgb());
    image.fill(paint.masked());
    const RowLooks rows(scene, paint);
    const std::vector<int>& edges = scene.geometry.edges();
    std::vector<Look> looks(static_cast<std::size_t>(scene.geometry.src().pixels()));
    for (std::int64_t row = 0; row < scene.geometry.dest().pixels(); ++row) {
        rows.fill(row, looks);
        const int top = edges[static_cast<std::size_t>(row)];
        const int bottom = edges[static_cast<std::size_t>(row) + 1];
        bool plain = true;  // the same in every device row
        for (int y = top; y < bottom; ++y) {
            auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
            if (y > top && plain) {
                std::memcpy(line, image.constScanLine(top),
                            static_cast<std::size_t>(side) * sizeof(QRgb));
                continue;
            }
            for (std::size_t i = 0; i < looks.size(); ++i) {
                const Look& look = looks[i];
                const int from = edges[i], to = edges[i + 1];
                if ((look.kind == CellKind::Value && !look.noNumber) ||
                    look.kind == CellKind::Masked) {
                    std::fill(line + from, line + to, look.colour);
                    continue;
                }
                plain = false;
                for (int x = from; x < to; ++x)
                    line[x] = look.noNumber                        ? paint.noNumber(x, y)
                              : look.kind == CellKind::OutOfWindow ? paint.outOfWindow(x, y)
                              : look.oneRunOnly                    ? paint.oneRunOnly(x, y)
                                                                   : paint.notComputed(x, y);
            }
        }
    }
    return scene.transposed ? transposedOf(image) : image;
}

}  // namespace ui
