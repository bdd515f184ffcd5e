// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of reference pictures draw: one sentence, one pattern, and a view as a picture.
#pragma once
#include <QHBoxLayout>
#include <QTest>
#include <functional>
#include <vector>

#include "tests/support/reference_image.h"
#include "tests/ui/map_support.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/scale_column.h"
#include "ui/painting/theme.h"

namespace reference {

// Before the application is made: a font of the system's that has a bundled one's name must not
// stand in for it, nor one for a character that is missing.
inline const bool onlyBundledFonts = qputenv("FONTCONFIG_FILE", TEST_DATA "/reference/fonts.conf");

inline engine::LayerHead at(int layer, int head) {
    return {engine::Layer{layer}, engine::QueryHead{head}};
}

inline std::vector<engine::Token> sentence() {
    return tokensOf({"When", " Mary", " and", " John", " went", " to", " the", " store", ",",
                     " John", " gave", " a", " drink", " to"});
}

// A head that looks at source 0, at the token before, at the one 7 before and at every fifth: no
// two of its axes, corners or halves are alike.
inline float weight(std::int64_t dest, std::int64_t src) {
    return 0.01F + (src == 0 ? 0.6F : 0.0F) + (src == dest - 1 ? 0.9F : 0.0F) +
           (src == dest - 7 ? 0.4F : 0.0F) + (src % 5 == 3 ? 0.15F : 0.0F);
}
inline CellValue patternOf(std::int64_t tokens) {
    std::vector<float> totals;
    for (std::int64_t d = 0; d < tokens; ++d) {
        totals.push_back(0);
        for (std::int64_t s = 0; s <= d; ++s) totals.back() += weight(d, s);
    }
    return [totals](std::int64_t d, std::int64_t s) {
        return weight(d, s) / totals[static_cast<std::size_t>(d)];
    };
}

inline QImage pictureOf(QWidget& widget, QSize size) {
    widget.resize(size);
    widget.show();
    if (!QTest::qWaitForWindowExposed(&widget)) return {};
    QTest::qWait(20);  // what was asked for and is laid out a turn later
    return widget.grab().toImage().convertToFormat(QImage::Format_RGB32);
}

using TileAnswer = std::function<engine::Tile(const engine::Axis&, const engine::Axis&)>;

// The map and its scale, side by side as on the Head page.
struct Map {
    QWidget page;
    ui::HeadHeatmap* map = new ui::HeadHeatmap;
    ui::ScaleColumn* scale = new ui::ScaleColumn;

    Map(std::vector<engine::Token> tokens, const TileAnswer& answer) {
        page.setPalette(ui::theme().palette());
        page.setAutoFillBackground(true);
        auto* line = new QHBoxLayout(&page);
        line->addWidget(map, 1);
        scale->setFixedWidth(150);
        line->addWidget(scale);
        QObject::connect(map, &ui::HeadHeatmap::legendChanged, scale, &ui::ScaleColumn::setLegend);
        QObject::connect(map, &ui::HeadHeatmap::viewWanted, map,
                         [this, answer](const engine::Axis& dest, const engine::Axis& src) {
                             map->setTile(answer(dest, src));
                         });
        map->setSelection(selectionOf(9, 2, false));
        const auto count = static_cast<std::int64_t>(tokens.size());
        map->setTokens(std::move(tokens), count, 0);
    }
    QImage picture() { return pictureOf(page, {500, 360}); }
};

}  // namespace reference
