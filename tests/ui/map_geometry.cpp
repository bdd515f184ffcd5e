// SPDX-License-Identifier: GPL-3.0-or-later
// Cells, kinds and colours of a map, without a window.
#include <QFontMetricsF>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "tests/ui/map_support.h"
#include "ui/heatmap/read_out.h"
#include "ui/painting/cell_kind.h"
#include "ui/painting/colour_bar.h"
#include "ui/painting/map_image.h"
#include "ui/painting/map_labels.h"
#include "ui/painting/map_profiles.h"
#include "ui/painting/theme.h"

using namespace ui;

class MapGeometryTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase() { loadFonts(); }

    void cellSizes_data() {
        QTest::addColumn<int>("tokens");
        QTest::addColumn<int>("room");
        QTest::addColumn<int>("side");
        QTest::addColumn<int>("perPixel");
        QTest::addRow("one cell of at most 96") << 1 << 500 << 96 << 1;
        QTest::addRow("whole pixels") << 14 << 470 << 14 * 33 << 1;
        QTest::addRow("4 px") << 100 << 431 << 400 << 1;
        QTest::addRow("below 4 fills") << 101 << 400 << 400 << 1;
        QTest::addRow("1 px") << 400 << 400 << 400 << 1;
        QTest::addRow("pooled 2") << 401 << 400 << 201 << 2;
        QTest::addRow("pooled 20") << 8192 << 420 << 410 << 20;
    }
    void cellSizes() {
        QFETCH(int, tokens);
        QFETCH(int, room);
        QFETCH(int, side);
        QFETCH(int, perPixel);
        const MapGeometry geometry({0, 0, tokens}, tokens, room, 96);
        QCOMPARE(geometry.side(), side);
        QCOMPARE(geometry.cellsPerPixel(), perPixel);
        QCOMPARE(geometry.dest().pixels() + 1, std::ssize(geometry.edges()));
        for (std::size_t i = 1; i < geometry.edges().size(); ++i)
            QVERIFY(geometry.edges()[i] > geometry.edges()[i - 1]);
    }

    void everyPointFindsItsOwnCell() {
        for (const int tokens : {1, 3, 14, 57, 201, 399, 1000}) {
            const MapGeometry geometry({0, 0, tokens}, tokens, 400, 96);
            for (int y = 0; y < geometry.side(); y += 3)
                for (int x = 0; x < geometry.side(); x += 3) {
                    const auto cell = geometry.cellAt(x + 0.5, y + 0.5);
                    QVERIFY(cell);
                    QVERIFY(geometry.rectOf(*cell).contains(x, y));
                }
            for (const double out : {-0.01, static_cast<double>(geometry.side()), std::nan("")}) {
                QVERIFY(!geometry.cellAt(out, 1));
                QVERIFY(!geometry.cellAt(1, out));
            }
        }
    }

    // The oracle asks every cell of the pixel.
    void kindsAreThoseOfTheCells() {
        for (const int window : {0, 1, 3, 5})
            for (const int rows : {0, 4, 12})
                for (int d = 0; d < 12; d += 3)
                    for (int s = 0; s < 12; s += 2) {
                        bool value = false, computed = false, past = false;
                        for (int dd = d; dd < d + 3; ++dd)
                            for (int ss = s; ss < s + 2; ++ss) {
                                if (dd >= rows) continue;
                                computed = true;
                                value |= ss <= dd && (window == 0 || dd - ss < window);
                                past |= ss <= dd;
                            }
                        const CellKind want = !computed ? CellKind::NotComputed
                                              : value   ? CellKind::Value
                                              : past    ? CellKind::OutOfWindow
                                                        : CellKind::Masked;
                        QCOMPARE(int(kindOf({d, d + 3}, {s, s + 2}, window, rows)), int(want));
                    }
    }

    void zeroRecedes() {
        ColourScale sequential = scaleFor({}, engine::Quantity::Pattern, {0.8, 1}, Scheme::Light);
        QCOMPARE(sequential.colour(0), 0xFFFCF4D9U);
        QCOMPARE(scaleFor({}, engine::Quantity::Pattern, {0.8, 1}, Scheme::Dark).colour(0),
                 0xFF031327U);
        QCOMPARE(scaleFor({}, engine::Quantity::Scores, {3, 9}, Scheme::Light).colour(0),
                 0xFFECE5E0U);
        QCOMPARE(scaleFor({}, engine::Quantity::Scores, {3, 9}, Scheme::Dark).colour(0),
                 0xFF190C09U);
        QVERIFY(sequential.exceeds(0.81) && !sequential.exceeds(0.8));
        QCOMPARE(sequential.entry(5), 255);
        QCOMPARE(sequential.entry(std::nan("")), 0);
    }

    void scalesInvert_data() {
        QTest::addColumn<int>("transfer");
        QTest::addColumn<bool>("isSigned");
        for (int t = 0; t < 3; ++t) QTest::addRow("sequential %d", t) << t << false;
        for (int t = 0; t < 2; ++t) QTest::addRow("diverging %d", t) << t << true;
    }
    void scalesInvert() {
        QFETCH(int, transfer);
        QFETCH(bool, isSigned);
        ScaleChoice choice;
        choice.transfer = static_cast<engine::Transfer>(transfer);
        const ColourScale scale =
            scaleFor(choice, isSigned ? engine::Quantity::Attribution : engine::Quantity::Pattern,
                     {2.5, 7}, Scheme::Light);
        for (double p = 0; p <= 1; p += 0.125)
            QVERIFY(std::abs(scale.position(scale.valueAt(p)) - p) < 1e-9);
        const std::vector<double> ticks = colourBarTicks(scale, 200, 40);
        QVERIFY(ticks.size() >= 3 && ticks.back() == 2.5);
        for (std::size_t i = 1; i < ticks.size(); ++i)
            QVERIFY((scale.position(ticks[i]) - scale.position(ticks[i - 1])) * 200 >= 40 - 1e-6);
    }

    // The numbers below a colour bar never touch, however short it is, and its upper end is one.
    void barNumbersNeverTouch_data() {
        QTest::addColumn<double>("width");
        QTest::addColumn<double>("high");
        QTest::addColumn<bool>("isSigned");
        for (const double width : {20.0, 47.0, 59.0, 70.0, 88.0, 92.0, 151.0, 300.0})
            for (const double high : {1e-7, 0.25, 1.0, 7.25, 123456.0})
                for (const bool isSigned : {false, true})
                    QTest::addRow("%g px, %g%s", width, high, isSigned ? ", signed" : "")
                        << width << high << isSigned;
    }
    void barNumbersNeverTouch() {
        QFETCH(double, width);
        QFETCH(double, high);
        QFETCH(bool, isSigned);
        ScaleChoice choice;
        const ColourScale scale =
            scaleFor(choice, isSigned ? engine::Quantity::Attribution : engine::Quantity::Value,
                     {high, high}, Scheme::Light);
        const QFontMetricsF metrics(monoFont(10));
        const auto numbers = colourBarNumbers(scale, width, metrics);
        QVERIFY(!numbers.empty());
        QCOMPARE(numbers.back().value, high);
        double after = -4;
        for (const ColourBarNumber& one : numbers) {
            QVERIFY2(one.left >= after + 4, qPrintable(one.text));
            QCOMPARE(one.width, metrics.horizontalAdvance(one.text));
            after = one.left + one.width;
            if (numbers.size() > 1) QVERIFY(after <= width + 1e-9);
        }
        if (width >= 151 && high < 100) QVERIFY(numbers.size() >= 3);
    }
    // What has no room loses its leading 0 before it loses its place.
    void shortBarKeepsItsEnds() {
        const ColourScale scale =
            scaleFor({}, engine::Quantity::Attribution, {0.25, 0.25}, Scheme::Light);
        const QFontMetricsF metrics(monoFont(10));
        const auto texts = [&](double width) {
            QStringList all;
            for (const ColourBarNumber& one : colourBarNumbers(scale, width, metrics))
                all << one.text;
            return all.join(u' ');
        };
        const double sign = metrics.horizontalAdvance(u'0');
        QCOMPARE(texts(11 * sign + 9), QStringLiteral("−0.25 0 +0.25"));
        QCOMPARE(texts(9 * sign + 9), QStringLiteral("−.25 0 +.25"));
        QCOMPARE(texts(8 * sign + 5), QStringLiteral("−.25 +.25"));
        QCOMPARE(texts(6 * sign), QStringLiteral("+0.25"));
    }

    // One hot column of 2000 stays visible at every width, wherever it stands.
    void hotColumnIsNeverLost_data() {
        QTest::addColumn<int>("width");
        for (const int width : {150, 300, 333, 640, 999, 1200}) QTest::addRow("%d", width) << width;
    }
    void hotColumnIsNeverLost() {
        QFETCH(int, width);
        constexpr int tokens = 2000, positions = 200;
        const MapGeometry geometry({0, 0, tokens}, tokens, width, 96);
        const auto below = static_cast<int>(tokens - geometry.cellsPerPixel());
        for (int i = 0; i < positions; ++i) {
            const int hot = (2 * i + 1) * below / (2 * positions);
            MapScene scene;
            scene.theme = themeOf(Scheme::Light);
            scene.geometry = geometry;
            scene.rowsReady = tokens;
            const CellValue value = [hot](std::int64_t, std::int64_t s) {
                return s == hot ? 1.0F : 0.0F;
            };
            // Rows below the hot one only: the tile's values are the same in each of them.
            scene.tile = tileOf(value,
                                {tokens - scene.geometry.cellsPerPixel(),
                                 tokens,
                                 scene.geometry.cellsPerPixel(),
                                 {}},
                                scene.geometry.src(), tokens);
            scene.scale = scaleFor({}, engine::Quantity::Pattern, {1, 1}, Scheme::Light);
            const QImage image = mapImage(scene);
            QCOMPARE(image.width(), scene.geometry.side());
            int hottest = 0;
            const QRect rect = scene.geometry.rectOf({tokens - 1, hot});
            for (int x = 0; x < image.width(); ++x)
                if (image.pixel(x, image.height() - 1) == scene.scale.table->back()) {
                    ++hottest;
                    QVERIFY(x >= rect.left() && x <= rect.right());
                }
            QVERIFY2(hottest >= 1, qPrintable(QStringLiteral("column %1").arg(hot)));
        }
    }

    void noValueHasItsOwnLooks() {
        MapScene scene;
        scene.theme = themeOf(Scheme::Light);
        scene.geometry = MapGeometry({0, 0, 10}, 10, 200, 96);
        scene.rowsReady = 8;
        scene.window = 3;
        scene.tile = tileOf([](std::int64_t, std::int64_t) { return 0.0F; }, scene.geometry.dest(),
                            scene.geometry.src(), 8);
        scene.scale = scaleFor({}, engine::Quantity::Pattern, {1, 1}, Scheme::Light);
        const QImage image = mapImage(scene);
        const auto colours = [&](MapCell cell) {
            std::set<QRgb> found;
            const QRect rect = scene.geometry.rectOf(cell);
            for (int y = rect.top(); y <= rect.bottom(); ++y)
                for (int x = rect.left(); x <= rect.right(); ++x) found.insert(image.pixel(x, y));
            return found;
        };
        const Theme& t = scene.theme;
        QCOMPARE(colours({2, 7}), std::set<QRgb>{t.maskedMap.rgb()});
        QCOMPARE(colours({7, 6}), std::set<QRgb>{0xFFFCF4D9U});
        QCOMPARE(colours({7, 1}), (std::set<QRgb>{t.maskedMap.rgb(), t.outOfWindowLine.rgb()}));
        QCOMPARE(colours({8, 1}),
                 (std::set<QRgb>{t.notComputedGround.rgb(), t.notComputedDot.rgb()}));
    }

    void labelsThin_data() {
        QTest::addColumn<double>("cell");
        QTest::addColumn<bool>("pooled");
        QTest::addColumn<int>("step");
        QTest::addRow("33 px") << 33.0 << false << 1;
        QTest::addRow("12 px") << 12.0 << false << 1;
        QTest::addRow("11 px") << 11.0 << false << 2;
        QTest::addRow("1.8 px") << 1.8 << false << 10;
        QTest::addRow("pooled 4") << 0.25 << true << 64;
    }
    void labelsThin() {
        QFETCH(double, cell);
        QFETCH(bool, pooled);
        QFETCH(int, step);
        QCOMPARE(labelStep(cell, 12, pooled), step);
    }

    void selectedLabelPushesNeighboursOut() {
        LabelWish wish{{0, 201, 1, {}}, 1.8, 12, 18, 99, 8};
        std::vector<std::int64_t> shown;
        for (const TokenLabel& label : tokenLabels(manyTokens(201), wish)) {
            shown.push_back(label.position);
            QCOMPARE(label.selected, label.position == 99);
        }
        const auto has = [&](std::int64_t at) {
            return std::find(shown.begin(), shown.end(), at) != shown.end();
        };
        QVERIFY(has(0) && has(80) && has(99) && has(110) && has(200));
        QVERIFY(!has(90) && !has(100));
        QVERIFY(std::is_sorted(shown.begin(), shown.end()));
        wish.selected = 200;
        QCOMPARE(tokenLabels(manyTokens(201), wish).back().position, 200);
    }

    void profilesKeepTheLargest() {
        std::vector<float> p(1000, 0.001F);
        p[777] = 0.9F;
        const std::vector<float> bars = profileBars(p, {0, 1000, 10, {}});
        QCOMPARE(bars.size(), 100U);
        QCOMPARE(bars[77], 0.9F);
        QCOMPARE(numberedBars(bars, 1), std::vector<int>{77});
        QCOMPARE(numberedBars({0.1F, 0.4F, 0.2F, 0.15F, 0.05F, 0.1F}, 20),
                 (std::vector<int>{1, 2, 3, 0, 5}));
        QCOMPARE(numberedBars({0.1F, 0.4F, 0.2F}, 10), (std::vector<int>{1, 2}));
    }

    // The smallest window's map has no room for the read-out in its masked triangle.
    void readOutLeavesLabelsReadable() {
        const QRect viewport(0, 0, 465, 340), map(100, 55, 196, 196);
        const QSize size(205, 120);
        constexpr int count = 14;
        for (int d = 0; d < count; ++d)
            for (int s = 0; s <= d; ++s) {
                const QRectF at(map.left() + s * 14, map.top() + d * 14, 14, 14);
                const QRect box(placeReadOut(size, {viewport, map, at, {0, 0, count}, 14}), size);
                const QByteArray which = QByteArray::number(d) + ' ' + QByteArray::number(s);
                QVERIFY2(viewport.contains(box), which);
                QVERIFY2(!box.intersects(QRect(0, 55, 100, 196)), which);
                QVERIFY2(!box.intersects(QRect(0, 252, 465, 88)), which);
                QVERIFY2(!box.intersects(at.toRect()), which);
            }
    }

    void readOutTakesWhatIsFree_data() {
        QTest::addColumn<QSize>("widget");
        QTest::addColumn<int>("side");
        QTest::addColumn<int>("count");
        QTest::addColumn<qint64>("from");
        QTest::addColumn<bool>("transposed");
        for (const bool transposed : {false, true}) {
            const char* how = transposed ? ", transposed" : "";
            QTest::addRow("1280 x 800%s", how) << QSize(536, 476) << 336 << 14 << 0LL << transposed;
            QTest::addRow("1280 x 800, closer%s", how)
                << QSize(536, 476) << 333 << 9 << 5LL << transposed;
            QTest::addRow("1440 x 900, closer%s", how)
                << QSize(603, 598) << 384 << 4 << 10LL << transposed;
            QTest::addRow("four cells%s", how) << QSize(536, 476) << 340 << 4 << 10LL << transposed;
        }
    }

    // Where a place hides neither data, names nor bars, nothing of them is hidden.
    void readOutTakesWhatIsFree() {
        QFETCH(QSize, widget);
        QFETCH(int, side);
        QFETCH(int, count);
        QFETCH(qint64, from);
        QFETCH(bool, transposed);
        const QRect viewport = QRect(QPoint(), widget).adjusted(2, 2, -2, -2);
        const QRect map(98, 52, side, side);
        const QSize size(213, 121);
        const double cell = static_cast<double>(side) / count;
        const MapView view{from, from, count};
        const MapCell selected{from + count - 1, from + count - 1};
        const auto indexAt = [&](int at, int begin) { return std::floor((at - begin) / cell); };
        const int wide = widget.width(), high = widget.height();
        std::vector<int> sums(static_cast<std::size_t>((wide + 1) * (high + 1)));
        const auto sum = [&](int x, int y) -> int& {
            return sums[static_cast<std::size_t>(y * (wide + 1) + x)];
        };
        for (int y = 0; y < high; ++y)
            for (int x = 0; x < wide; ++x) {
                const double across = indexAt(x, map.left()), down = indexAt(y, map.top());
                const bool inX = across >= 0 && across < count, inY = down >= 0 && down < count;
                const double dest = transposed ? across : down, src = transposed ? down : across;
                const double last = count - 1;  // selected, in view
                const double number = 24 / cell;
                bool taken = inX && inY && src <= dest;
                taken = taken || (inY && x < map.left()) || y > map.bottom();
                if (y < map.top() && y >= map.top() - 48 && inX)
                    taken = taken || !transposed || across > last - number;
                if (x > map.right() && x <= map.right() + 48 && inY)
                    taken = taken || transposed || down > last - number;
                sum(x + 1, y + 1) = (taken ? 1 : 0) + sum(x, y + 1) + sum(x + 1, y) - sum(x, y);
            }
        const auto hidden = [&](const QRect& box) {
            return sum(box.right() + 1, box.bottom() + 1) - sum(box.left(), box.bottom() + 1) -
                   sum(box.right() + 1, box.top()) + sum(box.left(), box.top());
        };
        int free = 0;
        for (int d = 0; d < count; ++d)
            for (int s = 0; s <= d; ++s) {
                const double x = (transposed ? d : s) * cell, y = (transposed ? s : d) * cell;
                const QRectF at(map.left() + x, map.top() + y, cell, cell);
                const QRectF near = at.adjusted(-16, -16, 16, 16);
                bool hasPlace = false;
                for (int top = viewport.top(); top + size.height() - 1 <= viewport.bottom(); ++top)
                    for (int left = viewport.left();
                         left + size.width() - 1 <= viewport.right() && !hasPlace; ++left) {
                        const QRect box(QPoint(left, top), size);
                        hasPlace = hidden(box) == 0 && !QRectF(box).intersects(near);
                    }
                if (!hasPlace) continue;
                ++free;
                const QRect box(
                    placeReadOut(size, {viewport, map, at, view, cell, transposed, selected}),
                    size);
                QVERIFY2(hidden(box) == 0, qPrintable(QStringLiteral("%1 ← %2: at %3, %4 hides %5")
                                                          .arg(d)
                                                          .arg(s)
                                                          .arg(box.left())
                                                          .arg(box.top())
                                                          .arg(hidden(box))));
            }
        qInfo("%d cells leave room", free);
    }

    void readOutNeverHidesItsRowOrColumn() {
        const QRect viewport(0, 0, 700, 600), map(100, 60, 460, 460);
        const QSize size(210, 120);
        for (int count : {10, 100}) {
            const double cell = 460.0 / count;
            for (int d = 0; d < count; d += count / 10)
                for (int s = 0; s <= d; s += count / 10) {
                    // A view below the diagonal has no masked triangle to hide in.
                    const MapView view{d % 2 ? 0 : 1000, 0, count};
                    const QRectF at(map.left() + s * cell, map.top() + d * cell, cell, cell);
                    const QRect box(placeReadOut(size, {viewport, map, at, view, cell}), size);
                    QVERIFY(viewport.contains(box));
                    if (view.dest == 0)
                        QCOMPARE(box.topRight(), QPoint(map.right() - 8, map.top() + 8));
                    else if (at.left() - 16 - size.width() >= 0 ||
                             at.right() + 16 + size.width() <= 700)
                        QVERIFY(!QRectF(box).intersects(QRectF(0, at.top(), 700, at.height())) ||
                                at.top() - 16 < size.height());
                }
        }
    }
};

QTEST_MAIN(MapGeometryTest)
#include "map_geometry.moc"
