// SPDX-License-Identifier: GPL-3.0-or-later
// Pins and the Compare page of the real window where things go wrong or go fast: runs of different
// lengths, a run beside itself, runs that are gone, hands that do not wait; and what a session
// brings back of them.
#include <QComboBox>
#include <QLabel>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"
#include "tests/support/real_window.h"
#include "ui/compare/compare_page.h"
#include "ui/compare/compare_strip.h"
#include "ui/grid/head_grid.h"
#include "ui/grid/heads_panel.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/pinned_heads.h"
#include "ui/heatmap/scale_column.h"
#include "ui/painting/colour_bar.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/widgets/labelled_combo.h"

using engine::LayerHead;
using engine::Position;
using engine::to_int;
using fake::eventually;
using ui::CompareMaps;

namespace {

constexpr int kPatience = real::patience;

LayerHead head(int layer, int index) {
    return {engine::Layer(layer), engine::QueryHead(index)};
}

}  // namespace

class WindowCompareStatesTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase();
    void init() { failOnDroppedSignals(); }
    void cleanupTestCase();

    void shorterRunsSayWhatTheyLack();
    void rowsOfTheOtherRunAreNotSelected();
    void aRunBesideItselfHasNotMoved();
    void handsThatDoNotWait();
    void renormalizedAlike();
    void unpinnedWhileComputed();
    void smallWindowsShowIt_data();
    void smallWindowsShowIt();
    void theSameTokenIsNoDifference();
    void rowsOfTheTableAreWhole_data();
    void rowsOfTheTableAreWhole();
    void escapeKeepsPinsAndPair();
    void sessionsBringThemBack();
    void anotherPromptIsComparedNext();

  private:
    bool settle() const { return ::settle(*m_view, kPatience); }
    bool run(const QString& prompt, int tokens) const;
    bool fork(int at, int alternative) const;
    void key(Qt::Key which, Qt::KeyboardModifiers = {}) const;
    app::Session& session() const { return m_view->session(); }
    ui::ComparePage& page() const { return m_view->comparePage(); }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
};

bool WindowCompareStatesTest::run(const QString& prompt, int tokens) const {
    m_view->window().promptPanel().setPrompt(prompt);
    m_view->window().promptPanel().setTokensToGenerate(tokens);
    Q_EMIT m_view->window().runRequested();
    return eventually(
               [&] { return session().run().steps.size() == static_cast<std::size_t>(tokens); },
               kPatience) &&
           settle();
}

bool WindowCompareStatesTest::fork(int at, int alternative) const {
    const engine::RunId before = session().run().id;
    const engine::Step step = session().run().steps[static_cast<std::size_t>(at)];
    session().fork(step.position, step.alternatives[static_cast<std::size_t>(alternative)], {});
    return eventually([&] { return session().run().id != before; }, kPatience) && settle();
}

void WindowCompareStatesTest::key(Qt::Key which, Qt::KeyboardModifiers modifiers) const {
    m_view->window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&m_view->window()));
    QTest::keyClick(&m_view->window(), which, modifiers);
}

void WindowCompareStatesTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home);
    QVERIFY(real::begin(*m_view));
    QVERIFY(run(QStringLiteral("The cat sat on the mat and the dog"), 6));
    QVERIFY(fork(1, 1));
    QCOMPARE(session().run().name, std::string("B"));
}

void WindowCompareStatesTest::cleanupTestCase() {
    m_view.reset();
}

// B goes on: what A lacks has no value, no difference and its own sentence.
void WindowCompareStatesTest::shorterRunsSayWhatTheyLack() {
    m_view->window().showComparePage();
    m_view->window().promptPanel().setTokensToGenerate(4);
    const std::int64_t before = session().run().rows;
    Q_EMIT m_view->window().runRequested();
    QVERIFY(eventually([&] { return session().run().rows == before + 4; }, kPatience));
    QVERIFY(settle());
    const auto pair = *m_view->compare().pair();
    const std::int64_t a = session().reader()->rows(pair.a), b = session().reader()->rows(pair.b);
    QCOMPARE(b, a + 4);
    const CompareMaps::Values inB = page().maps().valuesAt({b - 1, 1});
    QVERIFY(!inB.a && inB.b && !inB.difference);
    const CompareMaps::Values inBoth = page().maps().valuesAt({a - 1, 1});
    QVERIFY(inBoth.a && inBoth.b && inBoth.difference);
    QCOMPARE(page().maps().picture(CompareMaps::A).scene().oneRunOnly, (engine::Rows{a, b}));
    QVERIFY(page().maps().describe({b - 1, 1}).contains(QStringLiteral("B − A –")));
    QVERIFY2(page().note().endsWith(QStringLiteral("; 4 only in B")), qPrintable(page().note()));
    QVERIFY(m_view->compare().changes());
    QCOMPARE(m_view->compare().changes()->rows.end, a);
}

void WindowCompareStatesTest::rowsOfTheOtherRunAreNotSelected() {
    const auto pair = *m_view->compare().pair();
    session().showRun(pair.a);
    QVERIFY(settle());
    QCOMPARE(*m_view->compare().pair(), pair);
    const std::int64_t last = session().run().rows - 1;
    session().selectCell(Position(last - 2), Position(1));
    const ui::Selection before = session().selection();
    CompareMaps& maps = page().maps();
    const ui::MapScene& scene = maps.picture(CompareMaps::B).scene();
    const auto click = [&](std::int64_t dest) {
        QTest::mouseClick(&maps, Qt::LeftButton, {},
                          scene.logical(scene.geometry.rectOf({dest, 2})).center().toPoint());
    };
    click(last + 2);
    QCOMPARE(session().selection(), before);
    QTest::mouseClick(&page().strip(), Qt::LeftButton, {},
                      page().strip().tokenRect(1, last + 1).center());
    QCOMPARE(session().selection(), before);
    click(last);
    QCOMPARE(to_int(session().selection().dest), last);
    session().showRun(pair.b);
    QVERIFY(settle());
}

void WindowCompareStatesTest::aRunBesideItselfHasNotMoved() {
    const auto before = *m_view->compare().pair();
    page().picker(CompareMaps::A).setCurrentIndex(1);
    Q_EMIT page().picker(CompareMaps::A).activated(1);
    QVERIFY(settle());
    QCOMPARE(m_view->compare().pair()->a, before.b);
    QCOMPARE(m_view->compare().pair()->b, before.b);
    const std::int64_t rows = session().reader()->rows(before.b);
    for (std::int64_t dest = 0; dest < rows; ++dest) {
        const CompareMaps::Values values = page().maps().valuesAt({dest, dest / 2});
        QVERIFY(values.a && values.a == values.b && values.difference == 0.0);
    }
    QVERIFY(m_view->compare().changes() && m_view->compare().changes()->rows.count() == 0);
    QVERIFY(page().note().contains(QStringLiteral("the same tokens")));
    page().picker(CompareMaps::A).setCurrentIndex(0);
    Q_EMIT page().picker(CompareMaps::A).activated(0);
    QVERIFY(settle());
    QCOMPARE(*m_view->compare().pair(), before);
}

// A fork of the token that was there anyway: no head is first of those that did not move, and a
// difference of 0 has no range.
void WindowCompareStatesTest::theSameTokenIsNoDifference() {
    m_view->window().showComparePage();
    const auto before = *m_view->compare().pair();
    QVERIFY(fork(2, 0));
    QVERIFY(eventually([&] { return m_view->compare().changes().has_value(); }, kPatience));
    QVERIFY(settle());
    QVERIFY(page().ranked().empty());
    for (const LayerHead at : {head(0, 0), head(0, 1), head(1, 2), head(29, 8)})
        QCOMPARE(m_view->grid().rankOf(at), 0);
    const ui::MapScene& scene = page().maps().picture(CompareMaps::Difference).scene();
    QVERIFY(scene.tile.has_value());
    QVERIFY(scene.scale.isZero);
    QVERIFY(!page().maps().picture(CompareMaps::A).scene().scale.isZero);
    QCOMPARE(ui::colourBarTicks(scene.scale, 200, 44), std::vector<double>{0});
    QVERIFY(page().maps().showsNoDifference());
    const auto labels = page().findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->isVisible() && label->text().startsWith(QStringLiteral("No difference"));
    }));
    m_view->compare().choose(before);
    QVERIFY(settle());
    QVERIFY(!page().ranked().empty() && !page().maps().showsNoDifference());
}

void WindowCompareStatesTest::rowsOfTheTableAreWhole_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<int>("rows");
    QTest::addRow("1440 x 900") << QSize(1440, 900) << 4;
    QTest::addRow("1280 x 800") << QSize(1280, 800) << 3;
}

// Steps has a lane for each run by now.
void WindowCompareStatesTest::rowsOfTheTableAreWhole() {
    QFETCH(QSize, size);
    QFETCH(int, rows);
    m_view->window().showComparePage();
    m_view->window().resize(size);
    QVERIFY(settle());
    QTableView& table = page().table();
    table.scrollToTop();
    const QRect last = table.visualRect(table.model()->index(rows - 1, 0));
    QVERIFY2(
        last.bottom() < table.viewport()->height(),
        qPrintable(QStringLiteral("%1 of %2").arg(last.bottom()).arg(table.viewport()->height())));
    m_view->window().resize(1440, 900);
}

// Heads, pages, quantities and pairs faster than any answer comes: the last one is what is shown.
void WindowCompareStatesTest::handsThatDoNotWait() {
    const auto pair = *m_view->compare().pair();
    for (int i = 0; i < 40; ++i) {
        session().selectHead(head(i % 30, i % 9));
        if (i % 3 == 0) m_view->compare().choose({pair.b, pair.a});
        if (i % 3 == 1) m_view->compare().choose(pair);
        Q_EMIT m_view->window().quantityRequested(static_cast<engine::Quantity>(i % 4));
        if (i % 5 == 0) m_view->window().showHeadPage();
        if (i % 5 == 2) m_view->window().showComparePage();
        m_view->pins().toggle(head(i % 7, 3));
        page().maps().zoom(i % 4 == 3 ? 0 : 1);
        if (i % 8 == 0) QTest::qWait(5);
    }
    m_view->pins().clear();
    m_view->compare().choose(pair);
    session().selectHead(head(21, 1));
    Q_EMIT m_view->window().quantityRequested(engine::Quantity::Pattern);
    m_view->window().showComparePage();
    page().maps().zoom(0);
    QVERIFY(settle());
    for (const auto panel : {CompareMaps::A, CompareMaps::B, CompareMaps::Difference}) {
        const auto& tile = page().maps().picture(panel).scene().tile;
        QVERIFY(tile && tile->request.heads == std::vector{head(21, 1)});
        QCOMPARE(tile->request.quantity, engine::Quantity::Pattern);
        QCOMPARE(tile->request.run, panel == CompareMaps::A ? pair.a : pair.b);
    }
    const auto dumped =
        session().reader()->read(pair.a, {"pattern", engine::Layer(21), {}}, {5, 6});
    const std::int64_t width = dumped.data.elements() / 9;
    QVERIFY(std::abs(*page().maps().valuesAt({5, 2}).a -
                     static_cast<double>(
                         dumped.data.as<float>()[static_cast<std::size_t>(width + 2)])) < 1e-6);
    QVERIFY(m_view->window().messages().isEmpty());
}

// Key B takes source 0 out of pins and of both runs as out of the large map: p over the rest of its
// row, each run by its own.
void WindowCompareStatesTest::renormalizedAlike() {
    const auto pair = *m_view->compare().pair();
    const LayerHead at = session().selection().at;
    m_view->pins().set({at});
    for (int i = 0; i < 3; ++i) key(Qt::Key_B);
    QCOMPARE(m_view->headPage().scaleColumn().choice().sink, ui::SinkMode::Renormalized);
    QVERIFY(settle());
    constexpr std::int64_t dest = 11, src = 4;
    const auto expected = [&](engine::RunId run) {
        const auto all = session().reader()->read(run, {"pattern", at.layer, {}}, {0, dest + 1});
        const float* row =
            all.data.as<float>().data() + (to_int(at.head) * (dest + 1) + dest) * (dest + 1);
        double rest = 0;
        for (std::int64_t i = 1; i <= dest; ++i) rest += static_cast<double>(row[i]);
        return static_cast<double>(row[src]) / rest;
    };
    const double a = expected(pair.a), b = expected(pair.b);
    const CompareMaps::Values values = page().maps().valuesAt({dest, src});
    QVERIFY(values.a && std::abs(*values.a - a) < 1e-5);
    QVERIFY(values.b && std::abs(*values.b - b) < 1e-5);
    QVERIFY(values.difference && std::abs(*values.difference - (b - a)) < 1e-5);
    QVERIFY(!page().maps().valuesAt({dest, 0}).a);  // left out, and not 0
    m_view->window().showHeadPage();
    QVERIFY(settle());
    const auto pinned = m_view->headPage().pinnedHeads().map(at)->picture().valueAt({dest, src});
    QVERIFY(pinned && std::abs(*pinned - expected(session().run().id)) < 1e-5);
    key(Qt::Key_B);
    m_view->pins().clear();
    QVERIFY(settle());
}

void WindowCompareStatesTest::unpinnedWhileComputed() {
    m_view->window().showHeadPage();
    for (int i = 0; i < 20; ++i) {
        m_view->pins().add({head(i, 2), head(i, 4)});
        if (i % 4 == 0) QTest::qWait(2);
        m_view->pins().remove(head(i, 2));
        if (i % 2) m_view->pins().remove(head(i, 4));
    }
    QVERIFY(settle());
    const std::vector<LayerHead> left = m_view->pins().heads();
    QCOMPARE(left.size(), 10u);
    QCOMPARE(m_view->headPage().pinnedHeads().pins(), left);
    for (const LayerHead at : left) {
        const auto value = m_view->headPage().pinnedHeads().map(at)->picture().valueAt({1, 0});
        const auto cell =
            session().reader()->read(session().run().id, {"pattern", at.layer, {}}, {1, 2});
        const auto width = cell.data.elements() / 9;
        QVERIFY(value &&
                std::abs(
                    *value -
                    static_cast<double>(
                        cell.data.as<float>()[static_cast<std::size_t>(to_int(at.head) * width)])) <
                    1e-6);
    }
    m_view->pins().set({head(23, 3), head(2, 1)});
    QVERIFY(settle());
}

void WindowCompareStatesTest::smallWindowsShowIt_data() {
    QTest::addColumn<QSize>("size");
    QTest::addRow("smallest") << QSize(960, 600);
    QTest::addRow("small") << QSize(1280, 800);
    QTest::addRow("large") << QSize(2560, 1440);
    QTest::addRow("usual") << QSize(1440, 900);
}

void WindowCompareStatesTest::smallWindowsShowIt() {
    QFETCH(QSize, size);
    m_view->window().showComparePage();
    m_view->window().resize(size);
    QVERIFY(settle());
    CompareMaps& maps = page().maps();
    QRectF before;
    for (const auto panel : {CompareMaps::A, CompareMaps::B, CompareMaps::Difference}) {
        const QRectF map = maps.picture(panel).scene().mapRect();
        QVERIFY2(map.width() >= 90, qPrintable(QString::number(map.width())));
        QVERIFY(QRectF(maps.rect()).contains(map));
        QVERIFY(before.isNull() || map.left() > before.right());
        before = map;
    }
    QVERIFY(maps.valuesAt({3, 1}).difference.has_value());
    QVERIFY(page().table().viewport()->height() >= 3 * 19);
    // The table is in sight, not below the page.
    const QWidget* view = page().parentWidget();
    const QRect table(page().table().mapTo(view, QPoint()), page().table().size());
    QVERIFY2(view->rect().contains(table), qPrintable(QString::number(table.bottom())));
    // And what the heads are ranked by.
    QCOMPARE(m_view->headsPanel().rankBy().shownValue(), page().rankText());
}

void WindowCompareStatesTest::escapeKeepsPinsAndPair() {
    const auto pair = *m_view->compare().pair();
    session().selectCell(Position(4), Position(2));
    QVERIFY(session().selection().locked);
    for (int i = 0; i < 4; ++i) key(Qt::Key_Escape);
    QVERIFY(!session().selection().locked);
    QVERIFY(m_view->window().isCompareShown());
    QCOMPARE(*m_view->compare().pair(), pair);
    QCOMPARE(m_view->pins().heads(), (std::vector{head(23, 3), head(2, 1)}));
}

void WindowCompareStatesTest::sessionsBringThemBack() {
    const auto pair = *m_view->compare().pair();
    m_view->compare().choose({pair.b, pair.a});  // not what a new fork would be compared with
    m_view->window().showComparePage();
    QVERIFY(settle());
    const QString path = m_home.folder.filePath(QStringLiteral("compared.headscope"));
    key(Qt::Key_S, Qt::ControlModifier);
    QVERIFY(real::answer(*m_view, "saveSessionDialog", path));
    QVERIFY(eventually([&] { return QFile::exists(path); }, kPatience));
    m_view->pins().set({head(0, 0)});
    QVERIFY(run(QStringLiteral("The quick brown fox"), 2));
    QVERIFY(m_view->compare().pair()->b == session().run().id);  // with what was on screen
    m_view->window().showHeadPage();
    const std::vector<LayerHead> expected{head(23, 3), head(2, 1)};
    Q_EMIT m_view->window().sessionChosen(path);
    QVERIFY(eventually([&] { return m_view->pins().heads() == expected; }, kPatience));
    QVERIFY(settle());
    QVERIFY(m_view->window().isCompareShown() && !page().isEmpty());
    const auto& back = m_view->compare().pair();
    QVERIFY(back);
    QCOMPARE(m_view->compare().run(back->a)->name, std::string("B"));
    QCOMPARE(m_view->compare().run(back->b)->name, std::string("A"));
    QCOMPARE(page().maps().title(CompareMaps::Difference), QStringLiteral("A − B"));
    QCOMPARE(page().picker(CompareMaps::A).currentIndex(), 1);
    QVERIFY(page().maps().valuesAt({3, 1}).difference.has_value());
    QCOMPARE(m_view->headPage().pinnedHeads().pins(), expected);
    QVERIFY(m_view->window().messages().isEmpty());
}

// The pair is another while the page is in front and its maps are on their way.
void WindowCompareStatesTest::anotherPromptIsComparedNext() {
    const engine::RunId before = session().run().id;
    m_view->window().showComparePage();
    session().selectHead(head(11, 5));
    m_view->window().promptPanel().setPrompt(QStringLiteral("Once upon a time"));
    m_view->window().promptPanel().setTokensToGenerate(3);
    Q_EMIT m_view->window().runRequested();
    for (int i = 0; i < 20; ++i) {
        session().selectHead(head(i, 5));
        m_view->window().showHeadPage();
        m_view->window().showComparePage();
        QTest::qWait(3);
    }
    QVERIFY(eventually([&] { return session().run().steps.size() == 3; }, kPatience));
    QVERIFY(settle());
    QCOMPARE(m_view->compare().pair()->a, before);
    QCOMPARE(m_view->compare().pair()->b, session().run().id);
    QVERIFY(!page().isEmpty() && page().note().startsWith(QStringLiteral("aligned by token")));
    QVERIFY(m_view->window().isCompareShown());
    QVERIFY(fork(0, 1));
    QVERIFY(m_view->compare().pair() && !page().isEmpty());
    QVERIFY(page().maps().valuesAt({3, 1}).difference.has_value());
    QVERIFY(m_view->window().messages().isEmpty());
}

QTEST_MAIN(WindowCompareStatesTest)
#include "window_compare_states_test.moc"
