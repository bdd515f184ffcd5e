// SPDX-License-Identifier: GPL-3.0-or-later
// T on the real window, the real engine and the default model, by keys, clicks and wheel: what is
// under the cursor is the dump's value of that cell, files of pictures are mirrored and files of
// data are as they were, and sessions and the next start have it again.
#include <QFileDialog>
#include <QMenuBar>
#include <QTest>
#include <QWheelEvent>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/real_cli.h"
#include "tests/support/real_window.h"
#include "ui/compare/compare_page.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/mini_map.h"
#include "ui/heatmap/read_out.h"
#include "ui/painting/figure_layout.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_line.h"
#include "ui/prompt/prompt_panel.h"

using engine::Position;
using fake::eventually;

namespace {

constexpr int kPatience = real::patience;
const std::string kPrompt =
    "Mary, John and Tom met at the station. Mary gave John the keys.\nJohn didn't give Tom the "
    "keys. Did Mary ask for them?\n";

QAction* actionOf(app::MainView& view, const QString& text) {
    for (QAction* action : view.window().actions())
        if (action->text().remove(u'&') == text) return action;
    return nullptr;
}

const QString kAction = QStringLiteral("Transposed: dest along x, src along y");

}  // namespace

class WindowTransposedTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }

    void keyMenuAndPrompt();
    void valueUnderTheCursorIsTheDumps_data();
    void valueUnderTheCursorIsTheDumps();
    void arrowsGoAsTheyPoint();
    void picturesAreMirrored();
    void dataStaysAsItIs();
    void verbDrawsTheSame();
    void sessionHasIt();
    void nextStartHasIt();

  private:
    bool settle() { return ::settle(*m_view, kPatience); }
    void key(Qt::Key, Qt::KeyboardModifiers = {});  // to the window, as a shortcut
    void transpose(bool);
    QPoint at(std::int64_t dest, std::int64_t src) const;
    QString exportTo(const QString& name);
    app::Session& session() const { return m_view->session(); }
    ui::HeadHeatmap& map() const { return m_view->headPage().heatmap(); }
    std::int64_t rows() const { return session().run().rows; }
    std::vector<float> pattern() const;  // of the focused head, [dest, src], as dumped

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
};

void WindowTransposedTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home, kPrompt);
    QVERIFY(real::begin(*m_view));
    session().selectHead({engine::Layer(17), engine::QueryHead(4)});
    QVERIFY(settle());
}

void WindowTransposedTest::key(Qt::Key which, Qt::KeyboardModifiers modifiers) {
    m_view->window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&m_view->window()));
    QTest::keyClick(&m_view->window(), which, modifiers);
}

void WindowTransposedTest::transpose(bool wanted) {
    QAction* action = actionOf(*m_view, kAction);
    QVERIFY(action && action->isCheckable());
    map().setFocus();
    if (action->isChecked() != wanted) key(Qt::Key_T);
    QCOMPARE(action->isChecked(), wanted);
    QCOMPARE(map().scene().transposed, wanted);
    QVERIFY(settle());
}

// Of a cell in view: by its place in the view alone.
QPoint WindowTransposedTest::at(std::int64_t dest, std::int64_t src) const {
    const ui::MapScene& scene = map().scene();
    const double cell = map().geometry().cellSize() / scene.ratio;
    const ui::MapView view = map().geometry().view();
    const double down = (static_cast<double>(dest - view.dest) + 0.5) * cell,
                 across = (static_cast<double>(src - view.src) + 0.5) * cell;
    const bool turned = actionOf(*m_view, kAction)->isChecked();
    return (scene.origin + (turned ? QPointF(down, across) : QPointF(across, down))).toPoint();
}

std::vector<float> WindowTransposedTest::pattern() const {
    const engine::LayerHead head = session().selection().at;
    const auto tensor =
        session().reader()->read(session().run().id, {"pattern", head.layer, {}}, {0, rows()});
    const auto area = static_cast<std::size_t>(rows() * rows());
    const auto one = tensor.data.as<float>().subspan(
        static_cast<std::size_t>(engine::to_int(head.head)) * area, area);
    return {one.begin(), one.end()};
}

QString WindowTransposedTest::exportTo(const QString& name) {
    Q_EMIT m_view->window().exportHeatmapRequested();
    const QString path = real::answerExport(*m_view, m_home, name);
    return settle() ? path : QString();
}

void WindowTransposedTest::keyMenuAndPrompt() {
    QAction* action = actionOf(*m_view, kAction);
    QVERIFY(action && !action->isChecked());
    QCOMPARE(action->shortcut(), QKeySequence(Qt::Key_T));
    const engine::TileRequest before = map().scene().tile->request;
    transpose(true);
    // The engine is asked for nothing else.
    QVERIFY(map().scene().tile->request.dest == before.dest);
    QCOMPARE(map().xAxis->label(), QStringLiteral("destination (query)"));
    QVERIFY(m_view->comparePage().maps().picture(ui::CompareMaps::A).look().transposed);
    // Typed into the prompt it is a letter.
    auto* line = m_view->window().promptPanel().findChild<ui::PromptLine*>();
    line->setFocus();
    QTest::keyClick(line, Qt::Key_T);
    QVERIFY(action->isChecked());
    QVERIFY(m_view->window().promptPanel().prompt().contains(QLatin1Char('t')));
    transpose(false);
}

void WindowTransposedTest::valueUnderTheCursorIsTheDumps_data() {
    QTest::addColumn<int>("notches");
    QTest::addColumn<QPoint>("dragged");
    QTest::addRow("whole") << 0 << QPoint();
    QTest::addRow("zoomed") << 4 << QPoint();
    QTest::addRow("zoomed and moved") << 5 << QPoint(-70, -45);
}

void WindowTransposedTest::valueUnderTheCursorIsTheDumps() {
    QFETCH(int, notches);
    QFETCH(QPoint, dragged);
    transpose(true);
    session().unlock();
    map().zoom(0);
    QVERIFY(settle());
    const QPoint middle = at(rows() * 2 / 3, rows() / 3);
    QTest::mouseMove(&map(), middle);
    for (int i = 0; i < notches; ++i) {
        QWheelEvent wheel(middle, map().mapToGlobal(middle), {}, {0, 120}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&map(), &wheel);
    }
    const ui::MapView before = map().geometry().view();
    if (!dragged.isNull()) {
        QTest::mousePress(&map(), Qt::LeftButton, {}, middle);
        QMouseEvent move(QEvent::MouseMove, middle + dragged, map().mapToGlobal(middle + dragged),
                         Qt::NoButton, Qt::LeftButton, {});
        QCoreApplication::sendEvent(&map(), &move);
        QTest::mouseRelease(&map(), Qt::LeftButton, {}, middle + dragged);
        // What was right of the view and below it: later destinations, later sources.
        QVERIFY(map().geometry().view().dest > before.dest);
        QVERIFY(map().geometry().view().src > before.src);
    }
    QVERIFY(settle());
    QCOMPARE(map().geometry().isWhole(), notches == 0);
    const std::vector<float> p = pattern();
    const auto dumped = [&](std::int64_t dest, std::int64_t src) {
        return p[static_cast<std::size_t>(dest * rows() + src)];
    };
    QTest::mouseMove(&map(), QPoint(2, 2));
    const QImage picture = map().grab().toImage();
    const auto* readOut = map().findChild<ui::ReadOut*>();
    const ui::MapView view = map().geometry().view();
    int seen = 0, mirrored = 0;
    for (std::int64_t dest = view.dest; dest < view.dest + view.count; dest += 3)
        for (std::int64_t src = view.src; src < std::min(view.src + view.count, dest + 1);
             src += 2) {
            const QPoint place = at(dest, src);
            QTest::mouseMove(&map(), place);
            QVERIFY(eventually(
                [&] {
                    const ui::ReadOutContent& shown = readOut->content();
                    return readOut->isVisible() && shown.dest == dest && shown.src == src &&
                           shown.cell.has_value();
                },
                kPatience));
            QVERIFY(std::abs(readOut->content().cell->pattern - dumped(dest, src)) <= 1e-5F);
            // Drawn in its colour, to the rounding of one entry of the table.
            const ui::ColourScale& scale = map().scene().scale;
            const int entry = scale.entry(static_cast<double>(dumped(dest, src)));
            const QRgb drawn = picture.pixel(place);
            const auto near = [&](int by) {
                return (*scale.table)[static_cast<std::size_t>(std::clamp(entry + by, 0, 255))];
            };
            QVERIFY(drawn == near(0) || drawn == near(-1) || drawn == near(1));
            // The test would see a map that is not turned.
            mirrored += src < dest && picture.pixel(at(src, dest)) == ui::theme().maskedMap.rgb();
            ++seen;
        }
    QVERIFY2(seen >= 20, qPrintable(QString::number(seen)));
    if (notches == 0) QVERIFY(mirrored > seen / 2);
    map().zoom(0);
    QVERIFY(settle());
}

void WindowTransposedTest::arrowsGoAsTheyPoint() {
    const auto moves = [&](Qt::Key which, Qt::KeyboardModifiers more, int dest, int src) {
        session().selectCell(Position(20), Position(14));
        key(which, Qt::ShiftModifier | more);
        return session().selection().dest == Position(20 + dest) &&
               session().selection().src == Position(14 + src);
    };
    const auto texts = [&] {
        QStringList found;
        for (const QAction* action : m_view->window().actions())
            if (action->shortcut() == QKeySequence(Qt::SHIFT | Qt::Key_Right) ||
                action->shortcut() == QKeySequence(Qt::SHIFT | Qt::CTRL | Qt::Key_Up))
                found << action->text();
        return found.join(u';');
    };
    transpose(false);
    QVERIFY(moves(Qt::Key_Right, {}, 0, 1));
    QVERIFY(moves(Qt::Key_Up, Qt::ControlModifier, -10, -4));  // a source is no later than its dest
    QCOMPARE(texts(), QStringLiteral("Source right;Destination up by 10"));
    transpose(true);
    QVERIFY(moves(Qt::Key_Right, {}, 1, 0));
    QVERIFY(moves(Qt::Key_Left, {}, -1, 0));
    QVERIFY(moves(Qt::Key_Down, {}, 0, 1));
    QVERIFY(moves(Qt::Key_Up, Qt::ControlModifier, 0, -10));
    QCOMPARE(texts(), QStringLiteral("Destination right;Source up by 10"));
    session().unlock();
    QVERIFY(settle());
}

void WindowTransposedTest::picturesAreMirrored() {
    transpose(false);
    const QImage usual(exportTo(QStringLiteral("usual.png")));
    transpose(true);
    const QString path = exportTo(QStringLiteral("turned.png"));
    const QImage turned(path);
    QVERIFY(!usual.isNull());
    QCOMPARE(turned.size(), usual.size());
    ui::HeadFigure shape;  // where its map lies, as for any values
    shape.tokens = session().run().tokens;
    shape.tokens.resize(static_cast<std::size_t>(rows()));
    shape.title = QStringLiteral("a title");
    shape.panels.push_back({session().selection().at, {}, 0, 0, {}});
    engine::Tile any;
    const ui::FigureAxes axes = ui::figureAxes(shape, 2);
    any.request.dest = axes.dest;
    any.request.src = axes.src;
    shape.panels.front().tile = any;
    const ui::FigureLayout layout = ui::layoutOf(shape);
    const QPoint corner = (layout.mapAt(0) * 2).toPoint();
    const int side = static_cast<int>(layout.side * 2);
    int differing = 0, mirroredInOne = 0;
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            const QRgb pixel = turned.pixel(corner + QPoint(x, y));
            differing += pixel != usual.pixel(corner + QPoint(y, x));
            mirroredInOne += pixel == turned.pixel(corner + QPoint(y, x));
        }
    QCOMPARE(differing, 0);
    QVERIFY(mirroredInOne < side * side / 4);
    QVERIFY2(turned.text(QStringLiteral("Description")).contains(QStringLiteral("transposed")),
             qPrintable(turned.textKeys().join(u',')));
    QVERIFY(!usual.text(QStringLiteral("Description")).contains(QStringLiteral("transposed")));
    const QByteArray svg = file_bytes(exportTo(QStringLiteral("turned.svg")));
    QVERIFY(svg.contains("transposed"));
}

void WindowTransposedTest::dataStaysAsItIs() {
    for (const QString& name : {QStringLiteral("map.csv"), QStringLiteral("map.npy")}) {
        transpose(false);
        const QByteArray usual = file_bytes(exportTo(QStringLiteral("usual-") + name));
        transpose(true);
        const QByteArray turned = file_bytes(exportTo(QStringLiteral("turned-") + name));
        QVERIFY(!usual.isEmpty());
        QVERIFY(usual == turned);
    }
}

void WindowTransposedTest::verbDrawsTheSame() {
    transpose(true);
    const QByteArray window = file_bytes(exportTo(QStringLiteral("window.png")));
    const auto verb = [&](const QString& name, std::vector<std::string> more) {
        std::vector<std::string> words{"export",   default_model_path(),
                                       "--prompt", kPrompt,
                                       "--view",   "L17.H4",
                                       "--out",    m_home.folder.filePath(name).toStdString()};
        words.insert(words.end(), more.begin(), more.end());
        return run_verb(words);
    };
    CliOutcome drawn = verb(QStringLiteral("verb.png"), {"--zoom", "2", "--transpose"});
    QVERIFY2(drawn.code == 0, drawn.err.c_str());
    QVERIFY(file_bytes(m_home.folder.filePath(QStringLiteral("verb.png"))) == window);
    drawn = verb(QStringLiteral("verb2.png"), {"--zoom", "2"});
    QCOMPARE(drawn.code, 0);
    QVERIFY(file_bytes(m_home.folder.filePath(QStringLiteral("verb2.png"))) != window);
    const CliOutcome data = verb(QStringLiteral("verb.npy"), {"--transpose"});
    QCOMPARE(data.code, int{app::ExitBadArguments});
    QVERIFY2(data.err.find("data stay [dest, src]") != std::string::npos, data.err.c_str());
    const CliOutcome grid = verb(QStringLiteral("grid.png"), {"--transpose", "--view", "grid"});
    QCOMPARE(grid.code, int{app::ExitBadArguments});
}

void WindowTransposedTest::sessionHasIt() {
    transpose(true);
    const QString file = m_home.folder.filePath(QStringLiteral("turned.headscope"));
    Q_EMIT m_view->window().saveSessionAsRequested();
    QVERIFY(real::answer(*m_view, "saveSessionDialog", file));
    QVERIFY(eventually([&] { return QFile::exists(file); }));
    QVERIFY(file_bytes(file).contains("\"transposed\":true"));
    transpose(false);
    Q_EMIT m_view->window().sessionChosen(file);
    QVERIFY(eventually([&] { return map().scene().transposed; }, kPatience));
    QVERIFY(settle());
    QVERIFY(actionOf(*m_view, kAction)->isChecked());
}

void WindowTransposedTest::nextStartHasIt() {
    transpose(true);
    m_view.reset();
    m_view = real::window(m_home, kPrompt);
    QVERIFY(actionOf(*m_view, kAction)->isChecked());
    QVERIFY(m_view->headPage().heatmap().scene().transposed);
}

QTEST_MAIN(WindowTransposedTest)
#include "window_transposed_test.moc"
