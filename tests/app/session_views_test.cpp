// SPDX-License-Identifier: GPL-3.0-or-later
// What the session's views hand to the widgets, against the fake engine's formulas.
#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/support/qt_warnings.h"
#include "tests/support/session_desk.h"
#include "ui/painting/map_geometry.h"

using namespace fake;

class SessionViewsTest : public QObject {
    Q_OBJECT
  private slots:
    void init() { failOnDroppedSignals(); }
    void firstHeadIsTheOneThatWritesMost();
    void theMapIsTheSelectedHeads();
    void lockedAndHoveredCellsAreExact();
    void pooledHoverShowsTheBlocksLargest();
    void thumbnailsFollowRowsByTheirOwnPixels_data();
    void thumbnailsFollowRowsByTheirOwnPixels();
    void metricsOverAllRows();
    void spanFollowsTheRows();
    void checksFollowARun();
    void targetIsTheUsersOrThePositionsOwn();
    void stepsJoinOneTriangle();
    void panelsAreOfOneRowWhileAPromptIsRead();
    void aCancelledPromptIsFollowedToItsEnd();
};

void SessionViewsTest::firstHeadIsTheOneThatWritesMost() {
    Desk desk;
    desk.open();
    QCOMPARE(desk.session->selection().at, head(0, 0));
    desk.read();
    QCOMPARE(desk.session->selection().at, head(2, 1));
    QCOMPARE(to_int(desk.session->selection().dest), 13);
    // The source is the strongest one that is not the sink.
    std::int64_t best = 1;
    for (std::int64_t s = 1; s <= 13; ++s)
        if (fake::pattern(head(2, 1), 13, s) > fake::pattern(head(2, 1), 13, best)) best = s;
    QCOMPARE(to_int(desk.session->selection().src), best);
    QVERIFY(desk.session->selection().locked);
    QVERIFY(desk.map.has_value());
    QCOMPARE(desk.map->request.heads.front(), head(2, 1));
}

void SessionViewsTest::theMapIsTheSelectedHeads() {
    Desk desk;
    desk.open();
    desk.read();
    desk.session->selectHead(head(1, 3));
    desk.views->setQuantity(engine::Quantity::Value);
    QVERIFY(desk.settle());
    QCOMPARE(desk.map->request.heads.front(), head(1, 3));
    const auto values = desk.map->data.as<float>();
    QCOMPARE(values.size(), 14u * 14u);
    for (std::int64_t d = 0; d < 14; ++d)
        for (std::int64_t s = 0; s < 14; ++s)
            QCOMPARE(values[static_cast<std::size_t>(d * 14 + s)],
                     fake::cell_value(engine::Quantity::Value, head(1, 3), d, s));
    for (std::int64_t s = 0; s < 14; ++s)
        QCOMPARE(desk.row[static_cast<std::size_t>(s)], fake::pattern(head(1, 3), 13, s));
    const std::int64_t src = to_int(desk.session->selection().src);
    for (std::int64_t d = 0; d < 14; ++d)
        QCOMPARE(desk.column[static_cast<std::size_t>(d)], fake::pattern(head(1, 3), d, src));
}

void SessionViewsTest::lockedAndHoveredCellsAreExact() {
    Desk desk;
    desk.open();
    desk.read();
    desk.session->selectCell(Position(10), Position(4));
    QVERIFY(desk.settle());
    QVERIFY(desk.session->selection().locked);
    QCOMPARE(desk.locked->dest, Position(10));
    QCOMPARE(desk.locked->pattern, fake::pattern(head(2, 1), 10, 4));
    desk.views->hoverCells({7, 8}, {2, 3});
    QVERIFY(eventually([&] { return desk.hovered.has_value(); }));
    QCOMPARE(desk.hovered->pattern, fake::pattern(head(2, 1), 7, 2));
    QCOMPARE(desk.session->selection().dest,
             Position(10));  // hovering previews, never moves the lock
    // Outside of what there is: nothing, and no failure.
    desk.hovered.reset();
    desk.views->hoverCells({50, 51}, {2, 3});
    desk.views->hoverCells({3, 4}, {9, 10});
    QTest::qWait(30);
    QVERIFY(!desk.hovered);
    desk.session->selectCell(Position(3), Position(9));
    desk.session->selectCell(Position(20), Position(3));
    desk.session->selectCell(Position(-1), Position(-1));
    QCOMPARE(desk.session->selection().dest, Position(10));
    QVERIFY(desk.failures.empty());
}

// Chunks come faster than the tables of a row.
void SessionViewsTest::panelsAreOfOneRowWhileAPromptIsRead() {
    Desk desk;
    desk.world->shape.chunk = 5;
    desk.world->layer_delay = 0.05;
    desk.world->table_delay = 0.3;
    desk.open();
    std::vector<std::int64_t> rows;  // of the tables that came
    bool same = true;
    const auto follow = [&](Position of) {
        same = same && of == desk.session->selection().dest;
        if (rows.empty() || rows.back() != to_int(of)) rows.push_back(to_int(of));
    };
    connect(desk.views.get(), &TraceViews::logitsReady, this,
            [&](const engine::TopTokens& top) { follow(top.position); });
    connect(desk.views.get(), &TraceViews::contributionsReady, this,
            [&](const engine::ContributionTable& table) { follow(table.position); });
    desk.session->read(prompt(fake::words(60)));
    QVERIFY(eventually([&] { return desk.session->run().promptRead; }));
    QVERIFY(same);
    desk.world->table_delay = 0;
    QVERIFY2(rows.size() >= 2 && rows.front() == 4, "the first chunk's last row, and on from it");
    QVERIFY(desk.settle());
    QVERIFY(same);
    QCOMPARE(rows.back(), 59);
    QCOMPARE(to_int(desk.session->selection().dest), 59);
}

void SessionViewsTest::aCancelledPromptIsFollowedToItsEnd() {
    Desk desk;
    desk.world->shape.chunk = 5;
    desk.world->layer_delay = 0.02;
    desk.open();
    desk.session->read(prompt(fake::words(200)));
    QVERIFY(eventually([&] { return desk.session->run().rows >= 15; }));
    desk.session->stop();
    QVERIFY(desk.settle());
    QVERIFY(!desk.session->run().promptRead);
    QCOMPARE(to_int(desk.session->selection().dest), desk.session->run().rows - 1);
    QCOMPARE(desk.views->contributions()->position, desk.session->selection().dest);
}

void SessionViewsTest::pooledHoverShowsTheBlocksLargest() {
    Desk desk;
    desk.open();
    desk.read();
    desk.views->hoverCells({8, 12}, {4, 8});
    QVERIFY(eventually([&] { return desk.hovered.has_value(); }));
    for (std::int64_t d = 8; d < 12; ++d)
        for (std::int64_t s = 4; s < 8; ++s)
            QVERIFY(fake::pattern(head(2, 1), d, s) <= desk.hovered->pattern);
}

void SessionViewsTest::thumbnailsFollowRowsByTheirOwnPixels_data() {
    QTest::addColumn<int>("pixels");
    QTest::addColumn<int>("generate");
    QTest::newRow("a cell a pixel") << 32 << 6;
    QTest::newRow("pooled") << 7 << 6;
    QTest::newRow("no tokens") << 7 << 0;
}

void SessionViewsTest::thumbnailsFollowRowsByTheirOwnPixels() {
    QFETCH(int, pixels);
    QFETCH(int, generate);
    Desk desk;
    desk.open();
    desk.showViews(14 + generate);
    desk.views->setThumbnailView({head(0, 0), head(2, 1), head(3, 3)}, pixels);
    desk.world->step_delay = 0.04;
    desk.world->shape.chunk = 5;
    desk.session->run(prompt(kFourteen, generate));
    QVERIFY(desk.settle());
    const std::int64_t rows = 14 + generate;
    for (const LayerHead at : {head(0, 0), head(2, 1), head(3, 3)}) {
        const engine::Tile& tile = desk.thumbnails[at];
        engine::TileRequest request = tile.request;
        QCOMPARE(request.dest, ui::wholeAxis(rows, pixels));
        QCOMPARE(tile.rows_ready, rows);
        request.heads = {at};
        const engine::Tile direct = desk.session->reader()->tile(request);
        const auto index = static_cast<std::size_t>(
            std::find(tile.request.heads.begin(), tile.request.heads.end(), at) -
            tile.request.heads.begin());
        const auto expected = direct.data.as<float>();
        const auto got = tile.data.as<float>().subspan(index * expected.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) QCOMPARE(got[i], expected[i]);
    }
}

void SessionViewsTest::metricsOverAllRows() {
    Desk desk;
    desk.open();
    desk.showViews(20);
    desk.world->step_delay = 0.02;
    desk.session->run(prompt(kFourteen, 6));
    QVERIFY(desk.settle());
    const engine::HeadTable whole =
        desk.session->reader()->metrics({{}, desk.session->run().id, {}});
    QCOMPARE(desk.metrics->dest, (engine::Rows{0, 20}));
    for (std::size_t i = 0; i < whole.sink.size(); ++i) {
        QVERIFY(std::fabs(desk.metrics->sink[i] - whole.sink[i]) < 1e-6f);
        QCOMPARE(desk.metrics->max_pattern[i], whole.max_pattern[i]);
    }
}

void SessionViewsTest::spanFollowsTheRows() {
    Desk desk;
    desk.open();
    desk.read();
    const auto isRight = [&](engine::Rows span, std::int64_t rows) {
        for (int i = 0; i < 16; ++i) {
            double mass = 0;
            for (std::int64_t d = span.begin; d < rows; ++d)
                for (std::int64_t s = span.begin; s < std::min(span.end, d + 1); ++s)
                    mass += static_cast<double>(fake::pattern(head(i / 4, i % 4), d, s));
            const double mean = mass / static_cast<double>(rows - span.begin);
            if (std::fabs(static_cast<double>(desk.span[static_cast<std::size_t>(i)]) - mean) >
                1e-6)
                return false;
        }
        return true;
    };
    desk.views->setSpan(engine::Rows{3, 6});
    QVERIFY(desk.settle());
    QVERIFY(desk.span.size() == 16 && isRight({3, 6}, 14));
    for (int i = 0; i < 3; ++i) {
        desk.session->step(prompt(kFourteen));
        QVERIFY(desk.settle());
    }
    QVERIFY(eventually([&] { return isRight({3, 6}, 17); }));
    desk.views->setSpan(engine::Rows{16, 17});  // the newest token alone
    QVERIFY(desk.settle());
    QVERIFY(isRight({16, 17}, 17));
    desk.span.clear();
    desk.views->setSpan(engine::Rows{40, 41});  // has no row yet: nothing is said of it
    desk.views->setSpan({});
    QVERIFY(desk.settle());
    QVERIFY(desk.span.empty());
}

void SessionViewsTest::checksFollowARun() {
    Desk desk;
    desk.open();
    desk.read();
    QCOMPARE(desk.checks.size(), 4u);
    QCOMPARE(desk.checks[3].rows, 14);
    desk.session->step(prompt(kFourteen));
    QVERIFY(desk.settle());
    QCOMPARE(desk.checks[3].rows, 15);
}

void SessionViewsTest::targetIsTheUsersOrThePositionsOwn() {
    Desk desk;
    desk.open();
    desk.read();
    const auto own = desk.session->reader()->logits(desk.session->run().id, Position(13), 1);
    QVERIFY(desk.views->target() == own.candidates.front().token);
    desk.views->setTarget(engine::TokenId(5));
    desk.views->setDistractor(engine::TokenId(6));
    QVERIFY(desk.settle());
    QVERIFY(desk.views->target() == engine::TokenId(5));
    QVERIFY(desk.views->contributions()->target == engine::TokenId(5));
    QVERIFY(desk.views->contributions()->distractor == engine::TokenId(6));
    desk.views->setTarget({});
    desk.session->selectDest(Position(4));
    QVERIFY(desk.settle());
    const auto there = desk.session->reader()->logits(desk.session->run().id, Position(4), 1);
    QVERIFY(desk.views->target() == there.candidates.front().token);
    // Chosen, they stay for the model's other runs, and go with it.
    desk.views->setTarget(engine::TokenId(5));
    desk.session->read(prompt("Another prompt"));
    QVERIFY(desk.settle());
    QVERIFY(desk.views->contributions()->run == desk.session->run().id);
    QVERIFY(desk.views->contributions()->target == engine::TokenId(5));
    QVERIFY(desk.views->contributions()->distractor == engine::TokenId(6));
    desk.open();
    QVERIFY(!desk.views->chosenTarget() && !desk.views->distractor());
}

void SessionViewsTest::stepsJoinOneTriangle() {
    // Prompt 6 and 3 steps: rows of 7, 8 and 9 sources, and one 9 x 9 map.
    Desk desk;
    desk.open();
    desk.showViews(9);
    std::vector<std::size_t> widths;
    desk.session->read(prompt("One two three four five six"));
    QVERIFY(desk.settle());
    widths.push_back(desk.row.size());
    for (int i = 0; i < 3; ++i) {
        desk.session->step(prompt("One two three four five six"));
        QVERIFY(desk.settle());
        widths.push_back(desk.row.size());
    }
    QVERIFY((widths == std::vector<std::size_t>{6, 7, 8, 9}));
    QCOMPARE(desk.map->rows_ready, 9);
    QVERIFY((desk.map->data.shape == std::vector<std::int64_t>{1, 9, 9}));
}

QTEST_GUILESS_MAIN(SessionViewsTest)
#include "session_views_test.moc"
