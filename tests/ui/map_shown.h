// SPDX-License-Identifier: GPL-3.0-or-later
// The map in a window of its own, fed with tiles of given values, and where its cells are.
#pragma once
#include <QTest>
#include <QWheelEvent>

#include "tests/ui/map_support.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/read_out.h"

namespace ui {

struct Shown {
    HeadHeatmap map;
    std::vector<std::pair<std::int64_t, std::int64_t>> hovered, clicked;
    int left = 0;
    engine::Axis dest, src;

    Shown(int tokens, const CellValue& value, std::int64_t reserved = 0, std::int64_t rows = -1) {
        if (rows < 0) rows = tokens;
        QObject::connect(&map, &HeadHeatmap::viewWanted, &map,
                         [=, this](engine::Axis d, engine::Axis s, engine::Pooling) {
                             dest = d;
                             src = s;
                             map.setTile(tileOf(value, d, s, rows));
                         });
        QObject::connect(&map, &HeadHeatmap::cellHovered, &map,
                         [this](engine::Position d, engine::Position s) {
                             hovered.emplace_back(engine::to_int(d), engine::to_int(s));
                         });
        QObject::connect(&map, &HeadHeatmap::cellClicked, &map,
                         [this](engine::Position d, engine::Position s) {
                             clicked.emplace_back(engine::to_int(d), engine::to_int(s));
                         });
        QObject::connect(&map, &HeadHeatmap::hoverLeft, &map, [this] { ++left; });
        map.resize(600, 600);
        map.setSelection(selectionOf(0, 0, false));
        map.setTokens(manyTokens(tokens), tokens, reserved);
        map.show();
        QVERIFY(QTest::qWaitForWindowExposed(&map));
        QTest::qWait(1);
    }
    QPoint at(double dest_, double src_) const {
        return QPointF(map.xAxis->coordToPixel(src_), map.yAxis->coordToPixel(dest_)).toPoint();
    }
    void hover(double dest_, double src_) {
        QTest::mouseMove(&map, QPoint(1, 1));
        hovered.clear();
        QTest::mouseMove(&map, at(dest_, src_));
    }
    ReadOut* readOut() { return map.findChild<ReadOut*>(); }
    void wheel(QPoint where, int notches) {
        QWheelEvent event(where, map.mapToGlobal(where), {}, {0, 120 * notches}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&map, &event);
    }
};

inline engine::Cell cellAt(int dest, int src, float p) {
    return {testRun, testHead, engine::Position{dest}, engine::Position{src}, true, 0, p};
}

inline const CellValue hot32 = [](std::int64_t d, std::int64_t s) {
    return d == 3 && s == 2 ? 0.875F : 0.125F;
};

}  // namespace ui
