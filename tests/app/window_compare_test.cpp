// SPDX-License-Identifier: GPL-3.0-or-later
// The real window on the real engine: heads pinned with the mouse and the keyboard, two runs side
// by side, and both as files. Values are compared with what a dump holds, differences in fp64.
#include <QFileDialog>
#include <QLineEdit>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <cstring>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/real_window.h"
#include "ui/compare/compare_page.h"
#include "ui/compare/compare_strip.h"
#include "ui/finder/head_finder.h"
#include "ui/grid/head_grid.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/pinned_heads.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/steps/step_bar.h"

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

class WindowCompareTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }

    void oneRunSaysHowToGetAnother();
    void ctrlClickPinsAHead();
    void pinsHoldTheDumpsValues_data();
    void pinsHoldTheDumpsValues();
    void keysPinTheFocusedHead();
    void finderPins();
    void clickFocusesDoubleClickSolos();
    void pinsFollowSteps();
    void pinsAreOneFigure_data();
    void pinsAreOneFigure();
    void aForkIsComparedWithItsParent();
    void differenceIsTheDumps_data();
    void differenceIsTheDumps();
    void headsAreSortedByWhatMoved();
    void cellsAreSelectedFromCompare();
    void differenceIsWritten_data();
    void differenceIsWritten();
    void pinsOutliveARun();

  private:
    bool settle() { return ::settle(*m_view, kPatience); }
    void key(Qt::Key which, Qt::KeyboardModifiers = {});
    std::vector<float> dumped(engine::RunId, LayerHead, std::int64_t rows) const;  // pattern
    app::Session& session() const { return m_view->session(); }
    ui::PinnedHeads& shownPins() const { return m_view->headPage().pinnedHeads(); }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
};

void WindowCompareTest::key(Qt::Key which, Qt::KeyboardModifiers modifiers) {
    m_view->window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&m_view->window()));
    QTest::keyClick(&m_view->window(), which, modifiers);
}

std::vector<float> WindowCompareTest::dumped(engine::RunId run, LayerHead at,
                                             std::int64_t rows) const {
    const auto all = session().reader()->read(run, {"pattern", at.layer, {}}, {0, rows});
    const float* own = all.data.as<float>().data() + to_int(at.head) * rows * rows;
    return {own, own + rows * rows};
}

void WindowCompareTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home);
    QVERIFY(real::begin(*m_view));
}

void WindowCompareTest::oneRunSaysHowToGetAnother() {
    key(Qt::Key_3, Qt::ControlModifier);
    QVERIFY(m_view->window().isCompareShown());
    QVERIFY(m_view->comparePage().isEmpty());
    Q_EMIT m_view->window().exportDifferenceRequested();  // says why not
    QVERIFY(!m_view->window().findChild<QFileDialog*>(QStringLiteral("exportDialog")));
    key(Qt::Key_1, Qt::ControlModifier);
    QVERIFY(!m_view->window().isCompareShown());
}

void WindowCompareTest::ctrlClickPinsAHead() {
    const LayerHead focused = session().selection().at;
    for (const LayerHead at : {head(21, 1), head(23, 3), head(2, 1)})
        QTest::mouseClick(m_view->grid().viewport(), Qt::LeftButton, Qt::ControlModifier,
                          m_view->grid().headRect(at).center());
    QCOMPARE(m_view->pins().heads(), (std::vector{head(21, 1), head(23, 3), head(2, 1)}));
    QCOMPARE(shownPins().pins(), m_view->pins().heads());
    QCOMPARE(session().selection().at, focused);
    QVERIFY(m_view->grid().isPinned(head(23, 3)));
    QVERIFY(!shownPins().isHidden());
    QTest::mouseClick(m_view->grid().viewport(), Qt::LeftButton, Qt::ControlModifier,
                      m_view->grid().headRect(head(2, 1)).center());
    QCOMPARE(shownPins().pins(), (std::vector{head(21, 1), head(23, 3)}));
    QVERIFY(settle());
}

void WindowCompareTest::pinsHoldTheDumpsValues_data() {
    QTest::addColumn<int>("layer");
    QTest::addColumn<int>("index");
    QTest::addRow("L21.H1") << 21 << 1;
    QTest::addRow("L23.H3") << 23 << 3;
}

void WindowCompareTest::pinsHoldTheDumpsValues() {
    QFETCH(int, layer);
    QFETCH(int, index);
    const ui::MapPicture& picture = shownPins().map(head(layer, index))->picture();
    const std::int64_t n = session().run().rows;
    const std::vector<float> expected = dumped(session().run().id, head(layer, index), n);
    for (std::int64_t dest = 0; dest < n; ++dest)
        for (std::int64_t src = 0; src < n; ++src) {
            const auto value = picture.valueAt({dest, src});
            QCOMPARE(value.has_value(), src <= dest);
            if (value)
                QVERIFY(std::abs(*value - static_cast<double>(
                                              expected[static_cast<std::size_t>(dest * n + src)])) <
                        1e-6);
        }
    QVERIFY(picture.scene().scale == m_view->headPage().heatmap().legend().scale);
}

void WindowCompareTest::keysPinTheFocusedHead() {
    session().selectHead(head(5, 4));
    key(Qt::Key_P);
    QVERIFY(m_view->pins().has(head(5, 4)));
    key(Qt::Key_P);
    QVERIFY(!m_view->pins().has(head(5, 4)));
    key(Qt::Key_2);  // the pins show the map's quantity
    key(Qt::Key_1);
    QVERIFY(settle());
    const ui::MapScene& scene = shownPins().map(head(21, 1))->picture().scene();
    QVERIFY(scene.tile && scene.tile->request.quantity == engine::Quantity::Scores);
    const auto scores =
        session().reader()->read(session().run().id, {"scores", engine::Layer(21), {}}, {13, 14});
    QVERIFY(std::abs(*shownPins().map(head(21, 1))->picture().valueAt({13, 3}) -
                     static_cast<double>(scores.data.as<float>()[14 + 3])) < 1e-5);
    key(Qt::Key_2);
    QVERIFY(settle());
    // In a text field P is a letter.
    QLineEdit* filter = &m_view->finder().filter();
    m_view->window().showFinderPage();
    filter->setFocus();
    QTest::keyClicks(filter, QStringLiteral("p"));
    QCOMPARE(filter->text(), QStringLiteral("p"));
    QCOMPARE(m_view->pins().heads().size(), 2u);
    filter->clear();
}

void WindowCompareTest::finderPins() {
    m_view->window().showFinderPage();
    QTableView& table = m_view->finder().table();
    table.scrollToTop();
    const LayerHead third = m_view->finder().ranked()[2], focused = session().selection().at;
    const QPoint place = table.visualRect(table.model()->index(2, 0)).center();
    const bool had = m_view->pins().has(third);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, Qt::ControlModifier, place);
    QCOMPARE(m_view->pins().has(third), !had);
    QCOMPARE(session().selection().at, focused);
    QVERIFY(m_view->finder().model().isPinned(third) == !had);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, Qt::ControlModifier, place);
    QCOMPARE(m_view->pins().has(third), had);
    m_view->window().showHeadPage();
    QVERIFY(settle());
}

void WindowCompareTest::clickFocusesDoubleClickSolos() {
    ui::PinnedMap* pin = shownPins().map(head(23, 3));
    QTest::mouseClick(pin, Qt::LeftButton, {}, pin->rect().center());
    QCOMPARE(session().selection().at, head(23, 3));
    QVERIFY(!m_view->window().isSolo());
    QTest::mouseDClick(pin, Qt::LeftButton, {}, pin->rect().center());
    QVERIFY(m_view->window().isSolo());
    session().unlock();
    key(Qt::Key_Escape);
    QVERIFY(!m_view->window().isSolo());
    QTest::mouseClick(m_view->grid().viewport(), Qt::LeftButton, Qt::ControlModifier,
                      m_view->grid().headRect(head(0, 0)).center());
    pin = shownPins().map(head(0, 0));
    QVERIFY(pin);
    QTest::mouseClick(pin, Qt::LeftButton, {}, pin->unpinRect().center());
    QVERIFY(!m_view->pins().has(head(0, 0)));
    QCOMPARE(session().selection().at, head(23, 3));
    QVERIFY(settle());
}

void WindowCompareTest::pinsFollowSteps() {
    m_view->window().promptPanel().setTokensToGenerate(6);
    Q_EMIT m_view->window().runRequested();
    QVERIFY(eventually([&] { return session().run().steps.size() == 6; }, kPatience));
    QVERIFY(settle());
    const std::int64_t n = session().run().rows;
    const ui::MapPicture& picture = shownPins().map(head(21, 1))->picture();
    const std::vector<float> expected = dumped(session().run().id, head(21, 1), n);
    for (std::int64_t src = 0; src < n; ++src)
        QVERIFY(std::abs(*picture.valueAt({n - 1, src}) -
                         static_cast<double>(
                             expected[static_cast<std::size_t>((n - 1) * n + src)])) < 1e-6);
    QCOMPARE(picture.scene().selected->dest, n - 1);
}

void WindowCompareTest::pinsAreOneFigure_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("begins");
    QTest::addRow("png") << QStringLiteral("pins.png") << QByteArray("\x89PNG");
    QTest::addRow("svg") << QStringLiteral("pins.svg") << QByteArray("<?xml");
    QTest::addRow("pdf") << QStringLiteral("pins.pdf") << QByteArray("%PDF");
    QTest::addRow("csv") << QStringLiteral("pins.csv") << QByteArray("layer,head,dest");
    QTest::addRow("npy") << QStringLiteral("pins.npy") << QByteArray("\x93NUMPY");
}

void WindowCompareTest::pinsAreOneFigure() {
    QFETCH(QString, name);
    QFETCH(QByteArray, begins);
    Q_EMIT m_view->window().exportPinsRequested();
    const QString path = real::answerExport(*m_view, m_home, name);
    QVERIFY(!path.isEmpty());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    QVERIFY(bytes.startsWith(begins));
    const std::int64_t n = session().run().rows;
    if (name.endsWith(QStringLiteral("npy"))) {
        QVERIFY(bytes.contains(QStringLiteral("'shape': (2, %1, %1, )").arg(n).toLatin1()));
        const char* values = bytes.constData() + bytes.size() - 2 * n * n * 4;
        for (const LayerHead at : m_view->pins().heads()) {
            const std::vector<float> expected = dumped(session().run().id, at, n);
            std::vector<float> written(expected.size());
            std::memcpy(written.data(), values, written.size() * 4);
            for (std::size_t i = 0; i < expected.size(); ++i)
                QVERIFY(std::abs(written[i] - expected[i]) < 1e-6F);
            values += n * n * 4;
        }
    } else if (name.endsWith(QStringLiteral("csv"))) {
        QCOMPARE(bytes.count('\n'), 1 + n * (n + 1));
    } else if (name.endsWith(QStringLiteral("png"))) {
        const QImage image = QImage::fromData(bytes);
        QVERIFY(image.width() > image.height());  // side by side
        QVERIFY(image.text(QStringLiteral("Description"))
                    .startsWith(QStringLiteral("L21.H1, L23.H3, pattern")));
    } else if (name.endsWith(QStringLiteral("svg"))) {
        QVERIFY(bytes.contains("L21.H1") && bytes.contains("L23.H3"));
    }
    QVERIFY(m_view->window().messages().isEmpty());
}

void WindowCompareTest::aForkIsComparedWithItsParent() {
    const app::RunView parent = session().run();
    ui::StepBar& steps = m_view->window().stepBar();
    QTest::mouseClick(steps.canvas(), Qt::LeftButton, {},
                      steps.canvas()->mapFrom(&steps, steps.alternativeRect(2, 0).center()));
    QVERIFY(eventually([&] { return session().run().id != parent.id; }, kPatience));
    QVERIFY(settle());
    key(Qt::Key_3, Qt::ControlModifier);
    QVERIFY(!m_view->comparePage().isEmpty());
    QVERIFY(settle());
    const auto& pair = m_view->compare().pair();
    QVERIFY(pair.has_value());
    QCOMPARE(pair->a, parent.id);
    QCOMPARE(pair->b, session().run().id);
    QCOMPARE(m_view->compare().sharedTokens(), parent.promptTokens + 2);
    QVERIFY(m_view->comparePage().strip().differs(parent.promptTokens + 2));
    QVERIFY(!m_view->comparePage().strip().differs(parent.promptTokens + 1));
    QCOMPARE(m_view->comparePage().maps().title(CompareMaps::Difference), QStringLiteral("B − A"));
}

void WindowCompareTest::differenceIsTheDumps_data() {
    QTest::addColumn<int>("layer");
    QTest::addColumn<int>("index");
    QTest::addRow("L0.H0") << 0 << 0;
    QTest::addRow("L17.H3") << 17 << 3;
    QTest::addRow("L29.H8") << 29 << 8;
}

void WindowCompareTest::differenceIsTheDumps() {
    QFETCH(int, layer);
    QFETCH(int, index);
    const LayerHead at = head(layer, index);
    session().selectHead(at);
    QVERIFY(settle());
    const auto pair = *m_view->compare().pair();
    const std::int64_t a = session().reader()->rows(pair.a), b = session().reader()->rows(pair.b),
                       both = std::min(a, b);
    const std::vector<float> left = dumped(pair.a, at, both), right = dumped(pair.b, at, both);
    double most = 0;
    for (std::int64_t dest = 0; dest < both; ++dest)
        for (std::int64_t src = 0; src <= dest; ++src) {
            const auto i = static_cast<std::size_t>(dest * both + src);
            const double expected = static_cast<double>(right[i]) - static_cast<double>(left[i]);
            const CompareMaps::Values values = m_view->comparePage().maps().valuesAt({dest, src});
            QVERIFY(values.a && values.b && values.difference);
            QVERIFY(std::abs(*values.difference - expected) < 1e-6);
            QVERIFY(std::abs(*values.a - static_cast<double>(left[i])) < 1e-6);
            QVERIFY(std::abs(*values.b - static_cast<double>(right[i])) < 1e-6);
            if (dest < m_view->compare().sharedTokens()) QCOMPARE(*values.difference, 0.0);
            most = std::max(most, std::abs(expected));
        }
    QVERIFY(most > 1e-4);
}

void WindowCompareTest::headsAreSortedByWhatMoved() {
    QVERIFY(eventually([&] { return m_view->compare().changes().has_value(); }, kPatience));
    const ui::ChangeTable& changes = *m_view->compare().changes();
    const auto pair = *m_view->compare().pair();
    QCOMPARE(changes.rows.begin, m_view->compare().sharedTokens());
    const std::int64_t both =
        std::min(session().reader()->rows(pair.a), session().reader()->rows(pair.b));
    QCOMPARE(changes.rows.end, both);
    for (const LayerHead at : {head(0, 2), head(13, 5), head(29, 8)}) {
        const std::vector<float> a = dumped(pair.a, at, both), b = dumped(pair.b, at, both);
        double total = 0;
        for (std::int64_t dest = changes.rows.begin; dest < both; ++dest)
            for (std::int64_t src = 0; src <= dest; ++src) {
                const auto i = static_cast<std::size_t>(dest * both + src);
                total += std::abs(static_cast<double>(b[i]) - static_cast<double>(a[i])) / 2;
            }
        const double mean = total / static_cast<double>(changes.rows.count());
        const int index = to_int(at.layer) * 9 + to_int(at.head);
        QVERIFY(std::abs(static_cast<double>(changes.mean(index)) - mean) < 1e-5);
    }
    const std::vector<LayerHead> ranked = m_view->comparePage().ranked();
    QCOMPARE(ranked.size(), 270u);
    const auto moved = [&](LayerHead at) {
        return changes.mean(to_int(at.layer) * 9 + to_int(at.head));
    };
    for (std::size_t i = 1; i < ranked.size(); ++i)
        QVERIFY(moved(ranked[i - 1]) >= moved(ranked[i]));
    QCOMPARE(m_view->grid().rankOf(ranked[0]), 1);
    QTableView& table = m_view->comparePage().table();
    table.scrollToTop();
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                      table.visualRect(table.model()->index(0, 0)).center());
    QCOMPARE(session().selection().at, ranked[0]);
    QVERIFY(settle());
    QCOMPARE(m_view->comparePage().maps().picture(CompareMaps::A).scene().tile->request.heads,
             std::vector{ranked[0]});
}

void WindowCompareTest::cellsAreSelectedFromCompare() {
    CompareMaps& maps = m_view->comparePage().maps();
    const ui::MapScene& scene = maps.picture(CompareMaps::Difference).scene();
    const std::int64_t dest = m_view->compare().sharedTokens() + 1;
    QTest::mouseClick(&maps, Qt::LeftButton, {},
                      scene.logical(scene.geometry.rectOf({dest, 1})).center().toPoint());
    QCOMPARE(to_int(session().selection().dest), dest);
    QCOMPARE(to_int(session().selection().src), 1);
    QVERIFY(maps.accessibleDescription().contains(QStringLiteral("B − A")));
    // The other way round: what is subtracted is the user's to say.
    const auto before = *m_view->compare().pair();
    m_view->compare().choose({before.b, before.a});
    QVERIFY(settle());
    QCOMPARE(maps.title(CompareMaps::Difference), QStringLiteral("A − B"));
    QVERIFY(maps.valuesAt({dest, 1}).difference.has_value());
    m_view->compare().choose(before);
    QVERIFY(settle());
}

void WindowCompareTest::differenceIsWritten_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("begins");
    for (const auto& [ending, begins] :
         {std::pair("png", "\x89PNG"), std::pair("svg", "<?xml"), std::pair("pdf", "%PDF"),
          std::pair("csv", "layer,head,dest"), std::pair("npy", "\x93NUMPY")})
        QTest::addRow("%s", ending)
            << QStringLiteral("difference.%1").arg(QLatin1String(ending)) << QByteArray(begins);
}

void WindowCompareTest::differenceIsWritten() {
    QFETCH(QString, name);
    QFETCH(QByteArray, begins);
    QVERIFY(m_view->window().isCompareShown());
    key(Qt::Key_E, Qt::ControlModifier);  // what is in front
    const QString path = real::answerExport(*m_view, m_home, name);
    QVERIFY(!path.isEmpty());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    QVERIFY(bytes.startsWith(begins));
    const auto pair = *m_view->compare().pair();
    const std::int64_t both =
        std::min(session().reader()->rows(pair.a), session().reader()->rows(pair.b));
    if (name.endsWith(QStringLiteral("npy"))) {
        QVERIFY(bytes.contains(QStringLiteral("'shape': (1, %1, %1, )").arg(both).toLatin1()));
        const std::vector<float> a = dumped(pair.a, session().selection().at, both),
                                 b = dumped(pair.b, session().selection().at, both);
        std::vector<float> written(a.size());
        std::memcpy(written.data(),
                    bytes.constData() + bytes.size() - static_cast<qsizetype>(4 * a.size()),
                    4 * a.size());
        for (std::size_t i = 0; i < a.size(); ++i)
            QVERIFY(std::abs(static_cast<double>(written[i]) -
                             (static_cast<double>(b[i]) - static_cast<double>(a[i]))) < 1e-6);
    } else if (name.endsWith(QStringLiteral("csv"))) {
        QCOMPARE(bytes.count('\n'), 1 + both * (both + 1) / 2);
    } else if (name.endsWith(QStringLiteral("png"))) {
        QVERIFY(QImage::fromData(bytes)
                    .text(QStringLiteral("Description"))
                    .contains(QStringLiteral("run B − run A")));
    } else if (name.endsWith(QStringLiteral("svg"))) {
        QVERIFY(bytes.contains("run B − run A") && bytes.contains("p (pattern)"));
    }
    QVERIFY(m_view->window().messages().isEmpty());
}

void WindowCompareTest::pinsOutliveARun() {
    m_view->window().showHeadPage();
    const std::vector<LayerHead> before = m_view->pins().heads();
    m_view->window().promptPanel().setPrompt(QStringLiteral("The quick brown fox jumps over"));
    m_view->window().promptPanel().setTokensToGenerate(1);
    const engine::RunId run = session().run().id;
    Q_EMIT m_view->window().runRequested();
    QVERIFY(eventually(
        [&] { return session().run().id != run && session().run().steps.size() == 1; }, kPatience));
    QVERIFY(settle());
    QCOMPARE(m_view->pins().heads(), before);
    const std::int64_t n = session().run().rows;
    const std::vector<float> expected = dumped(session().run().id, before[0], n);
    const auto value = shownPins().map(before[0])->picture().valueAt({n - 1, 2});
    QVERIFY(value &&
            std::abs(*value - static_cast<double>(
                                  expected[static_cast<std::size_t>((n - 1) * n + 2)])) < 1e-6);
    QVERIFY(m_view->compare().pair()->b == session().run().id);  // with the prompt before it
    Q_EMIT m_view->window().unpinAllRequested();
    QVERIFY(shownPins().isEmpty() && shownPins().isHidden());
}

QTEST_MAIN(WindowCompareTest)
#include "window_compare_test.moc"
