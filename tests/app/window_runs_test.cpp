// SPDX-License-Identifier: GPL-3.0-or-later
// The real window on the real engine: forks, the finder, what is written to files, and a prompt of
// a million characters. Numbers are compared with what the reader gives.
#include <QElapsedTimer>
#include <QFileDialog>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <cstring>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"
#include "tests/support/real_window.h"
#include "ui/finder/head_finder.h"
#include "ui/grid/head_grid.h"
#include "ui/heatmap/head_bar.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/top_ends.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/steps/step_bar.h"
#include "ui/strip/token_strip.h"
#include "ui/window/progress_panel.h"

using engine::Position;
using engine::to_int;
using fake::eventually;

namespace {

constexpr int kPatience = real::patience;

}  // namespace

class WindowRunsTest : public QObject {
    Q_OBJECT
  private slots:
    void init() { failOnDroppedSignals(); }
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }

    void anotherTokenIsARunOfItsOwn();
    void theParentIsAClickAway();
    void finderShowsTheReadersNumbers();
    void strongestEndsAreTheRows();
    void dataIsTheReaders();
    void stripPreviewsARowAndAColumn();
    void aMillionCharactersLeaveTheWindowLive();

  private:
    bool settle() { return ::settle(*m_view, kPatience); }
    app::Session& session() const { return m_view->session(); }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
};

void WindowRunsTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home);
    QVERIFY(real::begin(*m_view));
    m_view->window().promptPanel().setTokensToGenerate(6);
    Q_EMIT m_view->window().runRequested();
    QVERIFY(eventually([&] { return session().run().steps.size() == 6; }, kPatience));
    QVERIFY(settle());
}

void WindowRunsTest::anotherTokenIsARunOfItsOwn() {
    const app::RunView parent = session().run();
    ui::StepBar& steps = m_view->window().stepBar();
    const engine::Candidate chosen =
        parent.steps[3].alternatives[0].token == parent.steps[3].token.id
            ? parent.steps[3].alternatives[1]
            : parent.steps[3].alternatives[0];
    QTest::mouseClick(steps.canvas(), Qt::LeftButton, {},
                      steps.canvas()->mapFrom(&steps, steps.alternativeRect(3, 0).center()));
    QVERIFY(eventually([&] { return session().run().id != parent.id; }, kPatience));
    QVERIFY(settle());
    const app::RunView& fork = session().run();
    QCOMPARE(fork.steps.size(), 6u);
    QCOMPARE(fork.steps[3].token.id, chosen.token);
    QCOMPARE(steps.steps().size(), 6u);
    QVERIFY(steps.otherRunRect(0).isValid());
    QCOMPARE(m_view->headPage().headBar().metricsText().left(4), QStringLiteral("sink"));
    // As a prompt of the same ids says what comes next.
    const auto rows = static_cast<std::int64_t>(fork.tokens.size());
    QCOMPARE(fork.rows, rows);
    const auto before =
        session().reader()->read(parent.id, {"pattern", engine::Layer(11), {}}, {16, 17});
    const auto shared =
        session().reader()->read(fork.id, {"pattern", engine::Layer(11), {}}, {16, 17});
    QCOMPARE(before.data.bytes(), shared.data.bytes());
    QVERIFY(std::memcmp(before.data.data, shared.data.data, before.data.bytes()) == 0);
    QVERIFY(m_view->window().messages().isEmpty());
}

void WindowRunsTest::theParentIsAClickAway() {
    const engine::RunId fork = session().run().id;
    ui::StepBar& steps = m_view->window().stepBar();
    QTest::mouseClick(steps.canvas(), Qt::LeftButton, {},
                      steps.canvas()->mapFrom(&steps, steps.otherRunRect(0).center()));
    QVERIFY(session().run().id != fork);
    QCOMPARE(session().run().name, std::string("A"));
    QVERIFY(settle());
    QCOMPARE(m_view->headPage().heatmap().scene().tile->request.run, session().run().id);
    QCOMPARE(steps.steps().size(), 6u);
}

void WindowRunsTest::finderShowsTheReadersNumbers() {
    m_view->window().showFinderPage();
    QVERIFY(m_view->window().isFinderShown());
    QVERIFY(settle());
    const engine::HeadTable metrics = session().reader()->metrics({{}, session().run().id, {}});
    const ui::FinderModel& model = m_view->finder().model();
    QCOMPARE(model.heads(), 270);
    for (int row = 0; row < 270; row += 17) {
        const auto at = static_cast<std::size_t>(row);
        QVERIFY(std::abs(*model.value(row, ui::HeadMetric::Sink) -
                         static_cast<double>(metrics.sink[at])) < 1e-4);
        QVERIFY(std::abs(*model.value(row, ui::HeadMetric::Entropy) -
                         static_cast<double>(metrics.entropy[at])) < 1e-3);
    }
    const std::vector<engine::LayerHead> ranked = m_view->finder().ranked();
    QCOMPARE(m_view->grid().rankOf(ranked[0]), 1);
    QTableView& table = m_view->finder().table();
    table.scrollToTop();
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                      table.visualRect(table.model()->index(2, 0)).center());
    QCOMPARE(session().selection().at, ranked[2]);
    QTest::keyClick(&table, Qt::Key_Return);
    QVERIFY(!m_view->window().isFinderShown());
    QVERIFY(settle());
    QCOMPARE(m_view->headPage().heatmap().scene().tile->request.heads.front(), ranked[2]);
}

void WindowRunsTest::strongestEndsAreTheRows() {
    session().selectNewestRow();
    QVERIFY(settle());
    const std::vector<float>& row = m_view->headPage().heatmap().scene().row;
    const auto expected = ui::largestOf(row, ui::TopEnds::shown);
    const auto& shown = m_view->headPage().topEnds().row();
    QCOMPARE(shown.size(), expected.size());
    for (std::size_t i = 0; i < shown.size(); ++i)
        QCOMPARE(to_int(shown[i].position), expected[i].first);
    Q_EMIT m_view->headPage().topEnds().sourceChosen(shown.back().position);
    QCOMPARE(session().selection().src, shown.back().position);
}

void WindowRunsTest::dataIsTheReaders() {
    const QString path = m_home.folder.filePath(QStringLiteral("map.npy"));
    QVERIFY(settle());
    Q_EMIT m_view->window().exportHeatmapRequested();
    QFileDialog* dialog = nullptr;
    QVERIFY(eventually([&] {
        dialog = m_view->window().findChild<QFileDialog*>(QStringLiteral("exportDialog"));
        return dialog && dialog->isVisible();
    }));
    Q_EMIT dialog->fileSelected(path);
    dialog->close();
    QVERIFY(eventually([&] { return QFile::exists(path); }, kPatience));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray npy = file.readAll();
    const std::int64_t n = session().run().rows;
    QVERIFY(npy.contains(QStringLiteral("'shape': (1, %1, %1, )").arg(n).toLatin1()));
    const engine::LayerHead at = session().selection().at;
    const auto dumped =
        session().reader()->read(session().run().id, {"pattern", at.layer, {}}, {0, n});
    const float* pattern = dumped.data.as<float>().data() + to_int(at.head) * n * n;
    const char* values = npy.constData() + npy.size() - n * n * 4;
    for (std::int64_t i = 0; i < n * n; ++i) {
        float value = 0;
        std::memcpy(&value, values + 4 * i, 4);
        QVERIFY(std::abs(value - pattern[i]) <= 1e-6F);
    }
}

// Tokenizing is the engine thread's: the window's timer never waits for it, Cancel gets through,
// and the run on screen stays.
// The boxes' own colours, read from the screen: of p in a half of them.
void WindowRunsTest::stripPreviewsARowAndAColumn() {
    m_view->window().showHeadPage();
    m_view->window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&m_view->window()));
    ui::HeadHeatmap& map = m_view->headPage().heatmap();
    ui::TokenStrip& strip = m_view->window().tokenStrip();
    session().selectCell(Position{12}, Position{3});
    QVERIFY(settle());
    const std::int64_t rows = session().run().rows;
    const engine::LayerHead head = session().selection().at;
    const auto read =
        session().reader()->read(session().run().id, {"pattern", head.layer, {}}, {0, rows});
    const auto all = read.data.as<float>();  // [H, rows, rows]
    const std::size_t first = static_cast<std::size_t>(to_int(head.head) * rows * rows);
    const std::vector<float> p(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
    const auto at = [&](std::int64_t dest, std::int64_t src) {
        return src > dest ? 0.0
                          : static_cast<double>(p[static_cast<std::size_t>(dest * rows + src)]);
    };
    // Of boxes in view, the largest step of red, green and blue between what is and should be.
    const auto distance = [&](std::int64_t dest, std::int64_t src) {
        const QImage image = strip.grab().toImage();
        int most = 0, boxes = 0;
        for (std::int64_t i = 1; i < std::min<std::int64_t>(rows, 24); ++i) {
            const QRect box = strip.tokenRect(i);
            if (box.width() < 12 || i == 12 || i == 3) continue;  // framed where it is read
            ++boxes;
            const auto step = [&](QPoint place, const QColor& ink, double share) {
                const QColor is = image.pixelColor(place), base = ui::theme().base;
                const auto off = [share](int got, int ground, int full) {
                    return std::abs(got - qRound(ground + share * (full - ground)));
                };
                most = std::max({most, off(is.red(), base.red(), ink.red()),
                                 off(is.green(), base.green(), ink.green()),
                                 off(is.blue(), base.blue(), ink.blue())});
            };
            step(box.topLeft() + QPoint(3, 3), ui::theme().dest, 0.85 * at(dest, i));
            step(box.bottomLeft() + QPoint(3, -3), ui::theme().src, 0.80 * at(i, src));
        }
        return boxes < 8 ? 1000 : most;
    };
    QVERIFY2(distance(12, 3) <= 2, qPrintable(QString::number(distance(12, 3))));
    QTest::mouseMove(&strip, strip.tokenRect(9).center());
    QVERIFY(settle());
    QVERIFY2(distance(9, 3) <= 2, qPrintable(QString::number(distance(9, 3))));
    QVERIFY(distance(12, 3) > 8);  // it can be told from the selected row
    QCOMPARE(session().selection().dest, Position{12});
    // As source, after the direction is turned; on another head anew.
    map.setFocus();
    QTest::keyClick(&map, Qt::Key_D);
    QTest::mouseMove(&strip, strip.tokenRect(7).center());
    QVERIFY(settle());
    QVERIFY2(distance(12, 7) <= 2, qPrintable(QString::number(distance(12, 7))));
    QTest::keyClick(&map, Qt::Key_D);
    // It leaves: the selected ends come back.
    QTest::mouseMove(&strip, QPoint(strip.width() - 3, 3));
    QVERIFY(settle());
    QVERIFY2(distance(12, 3) <= 2, qPrintable(QString::number(distance(12, 3))));
}

void WindowRunsTest::aMillionCharactersLeaveTheWindowLive() {
    const engine::RunId run = session().run().id;
    const QString before = m_view->window().promptPanel().prompt();
    m_view->window().promptPanel().setPrompt(QString(1'000'000, u'^'));
    qint64 last = 0, worst = 0;
    QElapsedTimer clock;
    QTimer heartbeat;
    heartbeat.setInterval(5);
    connect(&heartbeat, &QTimer::timeout, this, [&] {
        worst = std::max(worst, clock.elapsed() - last);
        last = clock.elapsed();
    });
    clock.start();
    heartbeat.start();
    Q_EMIT m_view->window().runRequested();
    QVERIFY(session().tokenizing() == 1'000'000);
    QVERIFY(eventually([&] { return !ui::isBusy(session().state()); }, kPatience));
    qInfo("a million characters took %lld ms, longest wait %lld ms",
          static_cast<long long>(clock.elapsed()), static_cast<long long>(worst));
    QVERIFY2(worst < 500, qPrintable(QString::number(worst)));
    QCOMPARE(session().state(), ui::RunState::Failed);  // the context holds 8,192
    QCOMPARE(session().run().id, run);
    const auto messages = m_view->window().messages().size();
    Q_EMIT m_view->window().runRequested();
    Q_EMIT m_view->window().stopRequested();
    QVERIFY(eventually([&] { return session().state() == ui::RunState::Idle; }, kPatience));
    QCOMPARE(m_view->window().messages().size(), messages);  // cancelled, not refused
    QCOMPARE(session().run().id, run);
    m_view->window().promptPanel().setPrompt(before);
}

QTEST_MAIN(WindowRunsTest)
#include "window_runs_test.moc"
