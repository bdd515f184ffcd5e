// SPDX-License-Identifier: GPL-3.0-or-later
// What the map's colours are measured by: ranges, ranks, and what becomes of the first source.
#include <QTest>
#include <array>
#include <cmath>

#include "tests/support/qt_warnings.h"
#include "tests/ui/map_shown.h"

using namespace ui;

class MapRangesTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() { loadFonts(); }

    void rangesBeyondTheHead() {
        Shown shown(4, hot32);
        shown.map.setExtents({0.875F, 0.9F, 0.95F, {}, {}});
        const auto high = [&](RangeMode range) {
            ScaleChoice choice;
            choice.range = range;
            shown.map.setScale(choice);
            return static_cast<float>(shown.map.legend().scale.high);
        };
        QCOMPARE(high(RangeMode::Head), 0.875F);
        QCOMPARE(high(RangeMode::Layer), 0.9F);
        QCOMPARE(high(RangeMode::Model), 0.95F);
        QCOMPARE(high(RangeMode::Fixed), 1.0F);
        QVERIFY(shown.map.legend().offersWider && !shown.map.legend().measuring);
        shown.map.setExtents({});  // not known: the head's own
        QCOMPARE(high(RangeMode::Model), 0.875F);
        QVERIFY(shown.map.legend().measuring);
        // What is asked for the range knows source 0 apart.
        shown.map.setExtents({0.875F, 0.9F, 0.95F, ui::ValueExtent{0.92, 0.99}, {}});
        QCOMPARE(high(RangeMode::Model), 0.92F);
        ScaleChoice choice;
        choice.range = RangeMode::Model;
        choice.sink = SinkMode::InScale;
        shown.map.setScale(choice);
        QCOMPARE(shown.map.legend().scale.high, 0.99);
    }

    void ranksBeyondTheHead() {
        Shown shown(4, hot32);
        ScaleChoice choice;
        choice.rank = true;
        choice.range = RangeMode::Layer;
        shown.map.setScale(choice);
        QVERIFY(shown.map.legend().measuring);  // among the cells in view till then
        QCOMPARE(shown.map.legend().rankedCells, 0);
        const std::vector<float> cells{0.01F, 0.02F, 0.2F, 0.9F, 0.95F};
        shown.map.setExtents({0.875F, 0.9F, 0.95F, ui::ValueExtent{0.95, 1},
                              std::make_shared<const std::vector<float>>(cells)});
        const MapLegend legend = shown.map.legend();
        QVERIFY(!legend.measuring);
        QCOMPARE(legend.rankedCells, 5);
        QCOMPARE(legend.scale.position(0.5), 0.6);  // above three of five
    }

    void hiddenSinkIsNotDrawn() {
        Shown shown(4, hot32);
        ScaleChoice choice;
        choice.sink = SinkMode::Hidden;
        shown.map.setScale(choice);
        QCOMPARE(shown.map.legend().hiddenSources, 1);
        const QImage picture = shown.map.grab().toImage();
        QCOMPARE(picture.pixel(shown.at(3, 0)), theme().base.rgb());
        QVERIFY(picture.pixel(shown.at(3, 1)) != theme().base.rgb());
        shown.hover(3, 0);  // its value can still be read
        QCOMPARE(shown.readOut()->content().drawn.value(), 0.125);
    }

    void renormalizedIsSaid() {
        Shown shown(4, hot32);
        engine::Tile tile = *shown.map.scene().tile;
        tile.request.renormalized = true;
        shown.map.setExtents({0.875F, 0.9F, 0.95F, {}, {}});
        QVERIFY(!shown.map.legend().renormalized);
        shown.map.setTile(tile);
        const MapLegend legend = shown.map.legend();
        QVERIFY(legend.renormalized);
        QCOMPARE(legend.hiddenSources, 1);
        ScaleChoice wide;
        wide.range = RangeMode::Layer;
        shown.map.setScale(wide);
        QVERIFY(shown.map.legend().measuring);  // the metrics' are of p as it is
        QCOMPARE(shown.map.grab().toImage().pixel(shown.at(3, 0)), theme().base.rgb());
        // Both p are read out, and which is which.
        shown.hover(3, 2);
        shown.map.setCell(cellAt(3, 2, 0.25F));
        const auto fields = shown.readOut()->fields();
        QCOMPARE(fields[0].name, QStringLiteral("p, renormalized"));
        QCOMPARE(fields[0].value, QStringLiteral("0.875000"));
        QCOMPARE(fields[1].name, QStringLiteral("p"));
        QCOMPARE(fields[1].value, QStringLiteral("0.250000"));
        shown.hover(3, 0);
        shown.map.setCell(cellAt(3, 0, 0.5F));
        QCOMPARE(shown.readOut()->fields()[0].value, QStringLiteral("left out"));
    }

    void ranksSpreadTheColours() {
        Shown shown(8, [](std::int64_t d, std::int64_t s) {
            return std::pow(10.0F, -static_cast<float>(d * 3 + s) / 4);
        });
        ScaleChoice choice;
        choice.rank = true;
        shown.map.setScale(choice);
        const ColourScale& scale = shown.map.scene().scale;
        QVERIFY(scale.ranked && scale.ranked->size() == 28);  // all cells but those of source 0
        // Equally many cells fall into each quarter of the colours.
        std::array<int, 4> quarters{};
        for (const float value : *scale.ranked)
            ++quarters[static_cast<std::size_t>(std::min(3.0, 4 * scale.position(value)))];
        for (const int count : quarters) QVERIFY2(std::abs(count - 7) <= 1, "uneven");
        QCOMPARE(scale.position(0), 0.0);
        for (const double share : {0.2, 0.5, 0.9})
            QVERIFY(std::abs(scale.position(scale.valueAt(share)) - share) < 0.03);
    }
};

QTEST_MAIN(MapRangesTest)
#include "map_ranges.moc"
