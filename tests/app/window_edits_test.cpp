// SPDX-License-Identifier: GPL-3.0-or-later
// Heads switched off and cells forbidden in the real window, by keys, menus and chips on the real
// engine and the default model, against a run with the same edits that is opened beside it.
#include <QMenu>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include "app/session/session_file.h"
#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/real_window.h"
#include "ui/compare/compare_page.h"
#include "ui/grid/head_grid.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/read_out.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/steps/step_bar.h"
#include "ui/window/edit_chips.h"
#include "ui/window/message_bar.h"

using engine::LayerHead;
using engine::Position;
using fake::eventually;

namespace {

constexpr int kPatience = real::patience;
constexpr int kGenerated = 4;

LayerHead at(int layer, int head) {
    return {engine::Layer{layer}, engine::QueryHead{head}};
}

std::vector<float> read(const engine::TraceReader& reader, engine::RunId run, const char* kind,
                        std::optional<int> layer, engine::Rows rows) {
    engine::TensorName name{kind, {}, {}};
    if (layer) name.layer = engine::Layer(*layer);
    const engine::NamedTensor tensor = reader.read(run, name, rows);
    const auto span = tensor.data.as<float>();
    return {span.begin(), span.end()};
}

}  // namespace

class WindowEditsTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }

    void keyAblatesAndGivesBack();
    void editsAreCompared();
    void chipsTakeEditsAway();
    void menuForbidsACell();
    void editedRunOfAForkKeepsItsToken();
    void sessionsKeepEdits();
    void anEngineThatRefusesSaysWhy();

  private:
    bool settle() { return ::settle(*m_view, kPatience); }
    void press(Qt::Key key, Qt::KeyboardModifiers held = {}) {
        m_view->window().activateWindow();  // which a menu takes
        QVERIFY(QTest::qWaitForWindowActive(&m_view->window()));
        m_view->grid().setFocus();
        QTest::keyClick(&m_view->grid(), key, held);
        QVERIFY(eventually([&] { return session().run().promptRead; }, kPatience) && settle());
    }
    // Clicks an entry of the menu that is open.
    bool choose(const char* menu, const QString& begins) {
        QMenu* open = nullptr;
        if (!eventually([&] {
                open = m_view->window().findChild<QMenu*>(QLatin1String(menu));
                return open && open->isVisible();
            }))
            return false;
        for (QAction* action : open->actions())
            if (action->text().startsWith(begins)) {
                QTest::mouseClick(open, Qt::LeftButton, {}, open->actionGeometry(action).center());
                return eventually([&] { return session().run().promptRead; }, kPatience) &&
                       settle();
            }
        return false;
    }
    ui::EditChips& chips() { return *m_view->window().findChild<ui::EditChips*>(); }
    bool clickChip(const QString& name) {
        for (QAbstractButton* each : chips().findChildren<QAbstractButton*>())
            if (each->isVisible() && (each->text() == name)) {
                QTest::mouseClick(each, Qt::LeftButton);
                return settle();
            }
        return false;
    }
    app::Session& session() const { return m_view->session(); }
    const std::string& shown() const { return session().run().name; }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
};

void WindowEditsTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home);
    QVERIFY(real::begin(*m_view));
    m_view->window().promptPanel().setTokensToGenerate(kGenerated);
    Q_EMIT m_view->window().runRequested();
    QVERIFY(eventually([&] { return session().run().steps.size() == kGenerated; }, kPatience));
    QVERIFY(settle());
}

void WindowEditsTest::keyAblatesAndGivesBack() {
    const auto reader = session().reader();
    const app::RunView base = session().run();
    const auto before = read(*reader, base.id, "logits", {}, {13, 14});
    session().selectHead(at(23, 0));
    session().selectCell(Position(12), Position(3));
    QVERIFY(chips().isHidden());
    press(Qt::Key_A);
    const app::RunView edited = session().run();
    QCOMPARE(edited.name, std::string("B"));
    QCOMPARE(edited.steps.size(), std::size_t(kGenerated));
    QCOMPARE(chips().edits(), QStringList{QStringLiteral("L23.H0 off")});
    QVERIFY(chips().isVisible());
    QVERIFY(m_view->grid().isAblated(at(23, 0)));
    QCOMPARE(session().selection().dest, Position(12));  // the cell that was locked
    QCOMPARE(session().selection().src, Position(3));

    // The same run on an engine of its own.
    const auto other = engine::open_engine({default_model_path()}, {}, {});
    engine::RunRequest request;
    for (std::int64_t i = 0; i < base.promptTokens; ++i)
        request.tokens.push_back(base.tokens[static_cast<std::size_t>(i)].id);
    request.edits.heads.push_back({at(23, 0), engine::every_row, 0, {}});
    const engine::RunId run = other->open_run(request);
    while (!other->prefill_chunk(run, {}).finished()) {
    }
    const auto expected = read(*other->reader(), run, "logits", {}, {13, 14});
    const auto found = read(*reader, edited.id, "logits", {}, {13, 14});
    QCOMPARE(found.size(), expected.size());
    float largest = 0, moved = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        largest = std::max(largest, std::fabs(found[i] - expected[i]));
        moved = std::max(moved, std::fabs(found[i] - before[i]));
    }
    QVERIFY(largest < 1e-3f);
    QVERIFY(moved > 0.1f);  // the head writes something
    const auto writes =
        reader->contributions({{}, edited.id, Position(13), std::nullopt, std::nullopt});
    QCOMPARE(writes.head_norm[23 * 9], 0.0f);
    QVERIFY(writes.head_norm[23 * 9 + 1] > 0);

    press(Qt::Key_A);  // gives it back: the run that there was
    QCOMPARE(shown(), std::string("A"));
    QVERIFY(chips().isHidden());
    QVERIFY(!m_view->grid().isAblated(at(23, 0)));
    QVERIFY(read(*reader, base.id, "logits", {}, {13, 14}) == before);
    press(Qt::Key_A);  // and the one with it, not a third
    QCOMPARE(session().run().id, edited.id);
    QCOMPARE(session().otherRuns().size(), std::size_t(1));
}

void WindowEditsTest::editsAreCompared() {
    QCOMPARE(shown(), std::string("B"));
    m_view->window().showComparePage();
    QVERIFY(settle());
    const auto& pair = m_view->compare().pair();
    QVERIFY(pair.has_value());
    QCOMPARE(m_view->compare().run(pair->a)->name, std::string("A"));
    QCOMPARE(m_view->compare().run(pair->b)->name, std::string("B"));
    const auto& changes = m_view->compare().changes();
    QVERIFY(changes.has_value());
    // No pattern up to the layer that is edited moves, and later ones do.
    const auto rows = static_cast<std::size_t>(changes->rows.count());
    float before = 0, after = 0;
    for (std::size_t head = 0; head < 30 * 9; ++head)
        for (std::size_t row = 0; row < rows; ++row)
            (head < 24 * 9 ? before : after) =
                std::max(head < 24 * 9 ? before : after, changes->moved[head * rows + row]);
    QCOMPARE(before, 0.0f);
    QVERIFY(after > 0.001f);
    m_view->window().showHeadPage();
    QVERIFY(settle());
}

void WindowEditsTest::chipsTakeEditsAway() {
    session().selectHead(at(28, 2));
    press(Qt::Key_A);
    QCOMPARE(shown(), std::string("C"));
    QCOMPARE(chips().edits(),
             (QStringList{QStringLiteral("L23.H0 off"), QStringLiteral("L28.H2 off")}));
    QVERIFY(clickChip(QStringLiteral("L28.H2 off")));
    QCOMPARE(shown(), std::string("B"));  // it is there
    press(Qt::Key_A);
    QCOMPARE(shown(), std::string("C"));
    QVERIFY(clickChip(QStringLiteral("L23.H0 off")));
    QVERIFY(eventually([&] { return session().run().promptRead; }, kPatience) && settle());
    QCOMPARE(shown(), std::string("D"));  // this one is new
    QCOMPARE(chips().edits(), QStringList{QStringLiteral("L28.H2 off")});
    QVERIFY(clickChip(QStringLiteral("Show run A")));
    QCOMPARE(shown(), std::string("A"));
    QVERIFY(chips().isHidden());
}

void WindowEditsTest::menuForbidsACell() {
    session().selectHead(at(23, 1));
    QVERIFY(settle());
    ui::HeadHeatmap& map = m_view->headPage().heatmap();
    const ui::MapScene& scene = map.scene();
    const auto middleOf = [&](std::int64_t dest, std::int64_t src) {
        return scene.logical(scene.geometry.rectOf({dest, src})).center().toPoint();
    };
    const auto open = [&](std::int64_t dest, std::int64_t src) {
        QContextMenuEvent event(QContextMenuEvent::Mouse, middleOf(dest, src),
                                map.mapToGlobal(middleOf(dest, src)));
        QApplication::sendEvent(&map, &event);
    };
    open(3, 9);  // masked: nothing to forbid
    QVERIFY(!m_view->window().findChild<QMenu*>(QStringLiteral("cellMenu")));
    open(13, 1);
    QVERIFY(choose("cellMenu", QStringLiteral("Forbid 13 ·to ← 1 ·Mary in L23.H1")));
    QCOMPARE(chips().edits(), QStringList{QStringLiteral("L23.H1: 13 ← 1 forbidden")});
    const auto reader = session().reader();
    const auto p = read(*reader, session().run().id, "pattern", 23, {0, 14});
    const float* row = p.data() + (1 * 14 + 13) * 14;
    QCOMPARE(row[1], 0.0f);
    float sum = 0;
    for (int src = 0; src < 14; ++src) sum += row[src];
    QVERIFY(std::fabs(sum - 1) < 1e-5f);
    // Crossed out where it stands.
    QCOMPARE(scene.forbidden.size(), std::size_t(1));
    QCOMPARE(map.grab().toImage().pixelColor(middleOf(13, 1) * map.devicePixelRatioF()),
             ui::theme().error);
    // The read-out says why its p is 0; beside it nothing is forbidden.
    const auto* box = map.findChild<ui::ReadOut*>();
    const auto readOut = [&](std::int64_t src) {
        session().selectCell(Position(13), Position(src));
        if (!settle()) return QString();
        QString said = box->header();
        for (const auto& field : box->fields()) said += u'|' + field.name + u' ' + field.value;
        return said + u'|' + map.accessibleDescription();
    };
    QString said = readOut(1);
    QVERIFY2(said.contains(QStringLiteral("|forbidden by the edit 13 ← 1|p 0|")) &&
                 !said.contains(QStringLiteral("rank")) &&
                 said.endsWith(QStringLiteral(", forbidden by the edit 13 ← 1")),
             qPrintable(said));
    said = readOut(2);
    QVERIFY2(!said.contains(QStringLiteral("forbidden")) && said.contains(QStringLiteral("rank")),
             qPrintable(said));
    open(13, 1);
    QVERIFY(choose("cellMenu", QStringLiteral("Allow again: L23.H1: 13 ← 1 forbidden")));
    QCOMPARE(shown(), std::string("A"));
    // The same by the locked cell and the keyboard.
    session().selectCell(Position(13), Position(1));
    press(Qt::Key_A, Qt::ShiftModifier);
    QCOMPARE(shown(), std::string("E"));
    press(Qt::Key_A, Qt::ShiftModifier);
    QCOMPARE(shown(), std::string("A"));
}

void WindowEditsTest::editedRunOfAForkKeepsItsToken() {
    const auto& step = session().run().steps[1];
    session().fork(step.position, step.alternatives[1], {});
    QVERIFY(eventually(
                [&] {
                    return session().run().edited == false && shown() == "F" &&
                           session().run().promptRead;
                },
                kPatience) &&
            settle());
    const app::RunView fork = session().run();
    session().selectHead(at(23, 0));
    press(Qt::Key_A);
    const app::RunView edited = session().run();
    QCOMPARE(edited.name, std::string("G"));
    QCOMPARE(edited.steps.size(), fork.steps.size());
    for (std::size_t i = 0; i < 2; ++i) {
        QCOMPARE(edited.steps[i].token.id, fork.steps[i].token.id);
        // What the edited model thinks of the tokens that it was given is its own.
        const auto top = session().reader()->logits(
            edited.id, Position(edited.promptTokens + static_cast<std::int64_t>(i) - 1), 10);
        QCOMPARE(edited.steps[i].alternatives.size(), std::size_t(10));
        QCOMPARE(edited.steps[i].alternatives[0].probability, top.candidates[0].probability);
        QVERIFY(edited.steps[i].probability != fork.steps[i].probability);
    }
    QCOMPARE(m_view->window().stepBar().steps().size(), fork.steps.size());
}

void WindowEditsTest::sessionsKeepEdits() {
    const app::RunView before = session().run();
    const auto logits =
        read(*session().reader(), before.id, "logits", {}, {before.rows - 1, before.rows});
    const std::string path =
        m_home.folder.filePath(QStringLiteral("edits.headscope")).toStdString();
    app::SavedSession saved;
    session().saveTo(saved);
    saved.bar.text = before.prompt;
    saved.bar.generate = kGenerated;
    const std::string text = app::sessionText(saved);
    QCOMPARE(nlohmann::json::parse(text)["headscope_session"].get<int>(), 2);
    const app::SavedSession parsed = app::parseSession(text, path);
    QCOMPARE(parsed.runs.size(), saved.runs.size());
    for (std::size_t i = 0; i < saved.runs.size(); ++i) {
        QVERIFY(parsed.runs[i].edits == saved.runs[i].edits);
        QCOMPARE(parsed.runs[i].edited, saved.runs[i].edited);
    }
    session().restore(parsed, path);
    QVERIFY(eventually([&] { return session().run().id != before.id && session().hasRun(); },
                       kPatience) &&
            settle());
    const app::RunView& after = session().run();
    QCOMPARE(after.name, before.name);
    QVERIFY(after.edits == before.edits);
    QCOMPARE(after.steps.size(), before.steps.size());
    QCOMPARE(chips().edits(), QStringList{QStringLiteral("L23.H0 off")});
    const auto again =
        read(*session().reader(), after.id, "logits", {}, {after.rows - 1, after.rows});
    float largest = 0;
    for (std::size_t i = 0; i < again.size(); ++i)
        largest = std::max(largest, std::fabs(again[i] - logits[i]));
    QVERIFY(largest < 1e-3f);
    press(Qt::Key_A);  // the fork that it was edited from
    QCOMPARE(shown(), std::string("F"));
}

void WindowEditsTest::anEngineThatRefusesSaysWhy() {
    const auto world = std::make_shared<fake::World>();
    real::Home home;
    app::MainView view(
        fake::source(world), home.settings,
        app::MainView::Start{"fake.gguf", std::nullopt, home.folder.path().toStdString(), false});
    view.window().show();
    QVERIFY(real::begin(view));
    const engine::RunId run = view.session().run().id;
    world->fail_next("open_run", {engine::Failure::Kind::Unsupported,
                                  "edits of a run are computed on the CPU only", "run",
                                  "open it with --device cpu"});
    view.grid().setFocus();
    QTest::keyClick(&view.grid(), Qt::Key_A);
    QVERIFY(eventually([&] { return view.window().messageBar().isVisible(); }));
    QVERIFY(view.window().messages().last().what.contains(QStringLiteral("edits of a run")));
    QCOMPARE(view.session().run().id, run);
    QVERIFY(view.window().findChild<ui::EditChips*>()->isHidden());
    // And nothing is broken.
    QTest::keyClick(&view.grid(), Qt::Key_A);
    QVERIFY(eventually(
        [&] { return view.session().run().id != run && view.session().run().promptRead; }));
    QVERIFY(view.window().findChild<ui::EditChips*>()->isVisible());
    QVERIFY(view.window().messageBar().isHidden());
}

QTEST_MAIN(WindowEditsTest)
#include "window_edits_test.moc"
