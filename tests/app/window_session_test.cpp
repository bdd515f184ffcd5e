// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions in the real window: saved by keys, opened by dialog and drop, and what cannot be opened
// changes nothing.
#include <QAction>
#include <QFileDialog>
#include <QMimeData>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include "app/session/session_file.h"
#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/compare_runs.h"
#include "tests/support/default_model.h"
#include "tests/support/qt_warnings.h"
#include "tests/support/real_window.h"
#include "ui/contributions/contribution_bars.h"
#include "ui/finder/head_finder.h"
#include "ui/finder/head_scatter.h"
#include "ui/grid/head_grid.h"
#include "ui/grid/heads_panel.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/scale_column.h"
#include "ui/painting/palette.h"
#include "ui/painting/palette_choice.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/steps/step_bar.h"
#include "ui/strip/token_strip.h"
#include "ui/widgets/labelled_combo.h"

using engine::Position;
using engine::to_int;
using fake::eventually;
using nlohmann::json;

namespace {

constexpr int kPatience = 120'000;  // ms; a loaded machine is no failure

const std::string kPrompt = "When Mary and John went to the store , John gave a drink to";

// A fake engine whose headers can be read, which a session is checked against.
app::EngineSource sourceOf(const std::shared_ptr<fake::World>& world) {
    app::EngineSource source = fake::source(world);
    source.inspect = [world](const std::string& path) { return fake::Engine(world, path).info(); };
    return source;
}

app::EngineSource realSource() {
    return {engine::open_engine,
            [](const std::string& path) { return engine::inspect_model(path); }};
}

struct Window {
    std::unique_ptr<QSettings> settings;
    std::unique_ptr<app::MainView> view;

    Window(app::EngineSource source, const QTemporaryDir& folder, const std::string& model)
        : settings(std::make_unique<QSettings>(folder.filePath(QStringLiteral("settings.ini")),
                                               QSettings::IniFormat)),
          view(std::make_unique<app::MainView>(
              std::move(source), *settings,
              app::MainView::Start{model, std::nullopt, folder.path().toStdString(), false})) {
        view->window().resize(1440, 900);
        view->window().show();
        (void)QTest::qWaitForWindowExposed(&view->window());
        view->begin();
    }
    app::Session& session() const { return view->session(); }
    ui::PromptPanel& bar() const { return view->window().promptPanel(); }

    bool settle() const { return ::settle(*view, kPatience); }
    // The prompt, tokens after it, and a fork at `at` of them with the second best candidate.
    bool work(const std::string& prompt, int tokens, int at) const {
        if (!eventually([&] { return session().run().promptRead; }, kPatience) || !settle())
            return false;
        bar().setPrompt(QString::fromStdString(prompt));
        bar().setTokensToGenerate(tokens);
        Q_EMIT view->window().runRequested();
        const auto generated = static_cast<std::size_t>(tokens);
        if (!eventually([&] { return session().run().steps.size() == generated; }, kPatience) ||
            !settle())
            return false;
        const app::RunView& run = session().run();
        const auto& step = run.steps[static_cast<std::size_t>(at)];
        session().fork(step.position, step.alternatives[1], {});
        return eventually([&] { return session().run().parent == "A"; }, kPatience) && settle();
    }
    bool answer(const char* dialog, const QString& path) const {
        return real::answer(*view, dialog, path);
    }
    void key(Qt::Key which, Qt::KeyboardModifiers modifiers) const {
        view->window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&view->window()));
        QTest::keyClick(&view->window(), which, modifiers);
    }
    void drop(const QString& path) const {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter({700, 400}, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&view->window(), &enter);  // who takes the drop
        QVERIFY(enter.isAccepted());
        QDropEvent event(QPointF(700, 400), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&view->window(), &event);
    }
    QString message() const {
        const auto& messages = view->window().messages();
        return messages.isEmpty() ? QString() : messages.back().what;
    }
};

}  // namespace

class WindowSessionTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    std::string fakeModel(const char* name = "fake.gguf") const {
        QFile file(m_folder.filePath(QLatin1String(name)));
        (void)file.open(QIODevice::WriteOnly);
        return file.fileName().toStdString();
    }
    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    static json document(const QString& file) {
        QFile source(file);
        return source.open(QIODevice::ReadOnly) ? json::parse(source.readAll().toStdString())
                                                : json();
    }
    static void write(const QString& file, const QByteArray& bytes) {
        QFile target(file);
        QVERIFY(target.open(QIODevice::WriteOnly | QIODevice::Truncate));
        target.write(bytes);
    }
    void savedAndOpened(const app::EngineSource& source, const std::string& model, int fork);

  private slots:
    void initTestCase() { ui::loadFonts(); }
    void init() {
        failOnDroppedSignals();
        QFile::remove(path("settings.ini"));
    }

    void savedAndOpenedOnAFake() {
        savedAndOpened(sourceOf(std::make_shared<fake::World>()), fakeModel(), 2);
    }
    void savedAndOpenedOnTheDefaultModel() {
        NEEDS_DEFAULT_MODEL();
        savedAndOpened(realSource(), default_model_path(), 1);
    }
    void aSessionIsTheFirstArgument();
    void aDroppedSessionOpens();
    void whatIsWrongChangesNothing_data();
    void whatIsWrongChangesNothing();
    void tooFewPagesChangeNothing();
    void stopLeavesWhatIsThere();
    void saveAsksOnceAndAgainForAnotherModel();
    void whatCannotBeWrittenIsSaid();
};

void WindowSessionTest::savedAndOpened(const app::EngineSource& source, const std::string& model,
                                       int fork) {
    const QString file = path("work.headscope");
    QFile::remove(file);
    app::RunView fork0, parent0;
    ui::Selection selected;
    const ui::ScaleChoice scale{engine::Transfer::Linear, false, ui::RangeMode::Fixed,
                                ui::SinkMode::Renormalized, engine::Pooling::Mean};
    engine::LayerHead head{engine::Layer(3), engine::QueryHead(2)};
    {
        Window first(source, m_folder, model);
        QVERIFY(first.work(kPrompt, 4, fork));
        first.session().selectHead(head);
        first.session().selectCell(Position(9), Position(4));
        first.view->headPage().scaleColumn().setChoice(scale);
        first.view->headPage().heatmap().setScale(scale);
        first.view->headPage().heatmap().zoom(1);
        first.view->window().tokenStrip().setSpan(engine::Rows{2, 4});
        ui::GridFold fold;
        fold.foldLayers({0, 2});
        fold.pooling = ui::FoldPooling::Mean;
        first.view->headsPanel().grid().setFold(fold);
        Q_EMIT first.view->headsPanel().columnChosen(ui::columnOf(ui::HeadMetric::Sink));
        first.view->finder().filter().setText(QStringLiteral("sink > 0.01"));
        first.view->finder().setAxes(ui::HeadMetric::Span, ui::HeadMetric::Entropy,
                                     ui::HeadMetric::Sink);
        first.view->window().contributionBars().setMeasure(ui::Measure::Write);
        first.view->window().choosePalette(ui::Palette::Viridis);
        first.key(Qt::Key_V, {});
        Q_EMIT first.view->window().quantityRequested(engine::Quantity::Value);
        QVERIFY(first.settle());
        first.key(Qt::Key_S, Qt::ControlModifier);
        QVERIFY(first.answer("saveSessionDialog", file));
        QVERIFY(eventually([&] { return QFile::exists(file); }));
        fork0 = first.session().run();
        parent0 = first.session().otherRuns().at(0);
        selected = first.session().selection();
    }
    QCOMPARE(fork0.forkedAt, fork);
    QFile::remove(path("settings.ini"));  // nothing but the file
    ui::setPalette(ui::Palette::Navia);
    Window second(source, m_folder, model);
    QVERIFY(second.settle());
    QVERIFY(ui::palette() == ui::Palette::Navia);
    second.key(Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(second.answer("openSessionDialog", file));
    QVERIFY2(eventually([&] { return !second.session().otherRuns().empty(); }, kPatience),
             qPrintable(second.message()));
    QVERIFY(second.settle());
    compareRuns(second.session().run(), fork0);
    compareRuns(second.session().otherRuns().at(0), parent0);
    QCOMPARE(second.session().selection().at, head);
    QCOMPARE(second.session().selection().dest, Position(9));
    QCOMPARE(second.session().selection().src, Position(4));
    QVERIFY(second.session().selection().locked && !second.session().followsNewest());
    QCOMPARE(second.bar().prompt().toStdString(), kPrompt);
    QCOMPARE(second.bar().tokensToGenerate(), 4);
    const ui::HeadHeatmap& map = second.view->headPage().heatmap();
    QVERIFY(second.view->headPage().scaleColumn().choice() == scale);
    const json saved = document(file);
    QCOMPARE(map.geometry().view().count, saved["view"]["zoom"]["count"].get<std::int64_t>());
    QCOMPARE(map.geometry().view().dest, saved["view"]["zoom"]["dest"].get<std::int64_t>());
    QCOMPARE(second.view->views().quantity(), engine::Quantity::Value);
    QCOMPARE(map.scene().tile->request.quantity, engine::Quantity::Value);
    QCOMPARE(map.scene().tile->request.heads.front(), head);
    QCOMPARE(map.scene().tile->request.run, second.session().run().id);
    QCOMPARE(second.view->window().tokenStrip().span().value(), (engine::Rows{2, 4}));
    const ui::GridFold& fold = second.view->headsPanel().grid().fold();
    QCOMPARE(fold.layers.size(), 1u);
    QVERIFY(fold.layers[0] == (engine::Rows{0, 2}) && fold.pooling == ui::FoldPooling::Mean);
    ui::HeadFinder& finder = second.view->finder();
    QCOMPARE(finder.rankColumn(), ui::columnOf(ui::HeadMetric::Sink));
    QVERIFY(!finder.isRankReversed());
    QCOMPARE(second.view->headsPanel().rankBy().currentText(), QStringLiteral("sink"));
    QCOMPARE(finder.filter().text(), QStringLiteral("sink > 0.01"));
    QCOMPARE(finder.scatter().look().x, ui::HeadMetric::Span);
    QCOMPARE(finder.scatter().look().y, ui::HeadMetric::Entropy);
    QCOMPARE(finder.scatter().look().colour, ui::HeadMetric::Sink);
    QVERIFY(second.view->window().contributionBars().measure() == ui::Measure::Write);
    QVERIFY(second.view->headPage().isTextShown());
    QVERIFY(ui::palette() == ui::Palette::Viridis);
    QVERIFY(map.scene().scale.table == &ui::sequentialTable(ui::theme().scheme));
    QCOMPARE(map.scene().scale.table->back(), qRgb(0x44, 0x01, 0x54));  // light: dark is the most
    QCOMPARE(second.view->window().stepBar().steps().size(), 4u);
    QVERIFY(second.view->window().stepBar().otherRunRect(0).isValid());
    QVERIFY(second.view->window().messages().isEmpty());
    // And it goes on: the next token comes after the restored ones, and the parent is a click away.
    Q_EMIT second.view->window().quantityRequested(engine::Quantity::Pattern);
    Q_EMIT second.view->window().stepRequested();
    QVERIFY(eventually([&] { return second.session().run().steps.size() == 5; }, kPatience));
    QCOMPARE(second.session().run().steps[4].position, Position(fork0.rows));
    QVERIFY(second.settle());
    QVERIFY(map.scene().tile->request.renormalized);
    second.session().showRun(second.session().otherRuns().at(0).id);
    QCOMPARE(second.session().run().name, std::string("A"));
    QVERIFY(second.settle());
    QVERIFY(second.view->window().messages().isEmpty());
}

void WindowSessionTest::aSessionIsTheFirstArgument() {
    const auto source = sourceOf(std::make_shared<fake::World>());
    const QString file = path("argument.headscope");
    {
        Window first(source, m_folder, fakeModel());
        QVERIFY(first.work(kPrompt, 4, 1));
        Q_EMIT first.view->window().saveSessionRequested();
        QVERIFY(first.answer("saveSessionDialog", file));
        QVERIFY(eventually([&] { return QFile::exists(file); }));
    }
    Window second(source, m_folder, file.toStdString());
    QVERIFY(eventually([&] { return second.session().hasRun(); }));
    QVERIFY(second.settle());
    QCOMPARE(second.session().run().name, std::string("B"));
    QCOMPARE(second.session().model()->path, fakeModel());
    QVERIFY(second.session().followsNewest());
}

void WindowSessionTest::aDroppedSessionOpens() {
    const auto world = std::make_shared<fake::World>();
    const QString file = path("drop.headscope");
    Window window(sourceOf(world), m_folder, fakeModel());
    QVERIFY(window.work(kPrompt, 3, 1));
    Q_EMIT window.view->window().saveSessionRequested();
    QVERIFY(window.answer("saveSessionDialog", file));
    QVERIFY(eventually([&] { return QFile::exists(file); }));
    const int opened = world->count("open");
    window.bar().setPrompt(QStringLiteral("something else"));
    Q_EMIT window.view->window().runRequested();
    QVERIFY(eventually([&] { return window.session().run().prompt == "something else"; }));
    QVERIFY(window.settle());
    window.drop(file);
    QVERIFY(eventually([&] { return window.session().run().prompt == kPrompt; }));
    QVERIFY(window.settle());
    QCOMPARE(window.session().otherRuns().size(), 1u);
    QCOMPARE(window.bar().prompt().toStdString(), kPrompt);
    QCOMPARE(world->count("open"), opened);  // the model was open, and is the same
}

void WindowSessionTest::whatIsWrongChangesNothing_data() {
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("says");
    QTest::addRow("no json") << ""
                             << "no session"
                             << "no JSON";
    QTest::addRow("version") << "/headscope_session"
                             << "9"
                             << "version 9";
    QTest::addRow("negative") << "/runs/0/tokens/1"
                              << "-3"
                              << "runs[0].tokens[1] is -3";
    QTest::addRow("1e308") << "/selection/layer"
                           << "1e308"
                           << "selection.layer is 1e+308";
    QTest::addRow("vocabulary") << "/runs/0/tokens/1"
                                << "97"
                                << "names token 97";
    QTest::addRow("layer") << "/selection/layer"
                           << "4"
                           << "names layer 4";
    QTest::addRow("model") << "/model/path"
                           << "\"/nowhere/at/all.gguf\""
                           << "model is not there";
    QTest::addRow("context") << "/prompt/tokens"
                             << "CONTEXT"
                             << "context holds 4,096";
}
void WindowSessionTest::whatIsWrongChangesNothing() {
    QFETCH(QString, place);
    QFETCH(QString, value);
    QFETCH(QString, says);
    const QString file = path("wrong.headscope"), bad = path("bad.headscope");
    QFile::remove(file);
    Window window(sourceOf(std::make_shared<fake::World>()), m_folder, fakeModel());
    QVERIFY(window.work(kPrompt, 3, 1));
    Q_EMIT window.view->window().saveSessionRequested();
    QVERIFY(window.answer("saveSessionDialog", file));
    QVERIFY(eventually([&] { return QFile::exists(file); }));
    if (place.isEmpty()) {
        write(bad, value.toUtf8());
    } else {
        json changed = document(file);
        changed[json::json_pointer(place.toStdString())] = value == u"CONTEXT"
                                                               ? json(std::vector<int>(4096, 1))
                                                               : json::parse(value.toStdString());
        write(bad, QByteArray::fromStdString(changed.dump()));
    }
    window.bar().setPrompt(QStringLiteral("typed since"));
    const app::RunView before = window.session().run();
    const ui::Selection selection = window.session().selection();
    window.drop(bad);
    QVERIFY(eventually([&] { return !window.view->window().messages().isEmpty(); }));
    QVERIFY(window.settle());
    QCOMPARE(window.view->window().messages().size(), 1);
    QVERIFY2(window.message().contains(says), qPrintable(window.message()));
    QVERIFY(window.message().contains(QStringLiteral("bad.headscope")));
    QCOMPARE(window.session().run().id, before.id);
    QCOMPARE(window.session().run().tokens.size(), before.tokens.size());
    QCOMPARE(window.session().otherRuns().size(), 1u);
    QVERIFY(window.session().selection() == selection);
    QCOMPARE(window.bar().prompt(), QStringLiteral("typed since"));
    // The run is still good for a step.
    window.bar().setPrompt(QString::fromStdString(kPrompt));
    Q_EMIT window.view->window().stepRequested();
    QVERIFY(eventually([&] { return window.session().run().steps.size() == 4; }));
}

void WindowSessionTest::tooFewPagesChangeNothing() {
    const auto world = std::make_shared<fake::World>();
    world->shape.pages = 4;  // of 16 tokens
    const QString file = path("pages.headscope");
    Window window(sourceOf(world), m_folder, fakeModel());
    QVERIFY(window.work(kPrompt, 3, 1));
    Q_EMIT window.view->window().saveSessionRequested();
    QVERIFY(window.answer("saveSessionDialog", file));
    QVERIFY(eventually([&] { return QFile::exists(file); }));
    // Beside the runs on screen its own do not fit; they make room.
    window.drop(file);
    QVERIFY(eventually([&] { return window.session().run().candidates.size() > 0; }));
    QVERIFY(window.settle());
    QCOMPARE(window.session().otherRuns().size(), 1u);
    QVERIFY(window.view->window().messages().isEmpty());
    // What fits in no case is refused, and the model stays usable.
    json changed = document(file);
    changed["prompt"]["tokens"] = std::vector<int>(100, 1);
    write(file, QByteArray::fromStdString(changed.dump()));
    window.drop(file);
    QVERIFY(eventually([&] { return !window.view->window().messages().isEmpty(); }));
    QVERIFY2(window.message().contains(QStringLiteral("pages needed")),
             qPrintable(window.message()));
    QVERIFY(window.settle());
    window.bar().setPrompt(QStringLiteral("short"));
    Q_EMIT window.view->window().runRequested();
    QVERIFY(eventually([&] { return window.session().run().prompt == "short"; }));
}

void WindowSessionTest::stopLeavesWhatIsThere() {
    const auto world = std::make_shared<fake::World>();
    const QString file = path("stop.headscope");
    Window window(sourceOf(world), m_folder, fakeModel());
    QVERIFY(window.work(kPrompt, 3, 1));
    Q_EMIT window.view->window().saveSessionRequested();
    QVERIFY(window.answer("saveSessionDialog", file));
    QVERIFY(eventually([&] { return QFile::exists(file); }));
    const engine::RunId before = window.session().run().id;
    world->layer_delay = 0.05;
    window.drop(file);
    QCOMPARE(window.session().state(), ui::RunState::Loading);
    QTest::qWait(120);
    Q_EMIT window.view->window().stopRequested();
    QVERIFY(eventually([&] { return window.session().state() == ui::RunState::Idle; }));
    QCOMPARE(window.session().run().id, before);
    QCOMPARE(window.session().otherRuns().size(), 1u);
    QVERIFY(window.view->window().messages().isEmpty());
    world->layer_delay = 0;
    QVERIFY(window.settle());
}

void WindowSessionTest::saveAsksOnceAndAgainForAnotherModel() {
    const QString file = path("once.headscope");
    Window window(sourceOf(std::make_shared<fake::World>()), m_folder, fakeModel());
    QVERIFY(window.settle());
    Q_EMIT window.view->window().saveSessionRequested();
    QVERIFY(window.answer("saveSessionDialog", path("once")));  // the ending is added
    QVERIFY(eventually([&] { return QFile::exists(file); }));
    const auto dialogs = [&] {
        int open = 0;
        for (const auto* dialog : window.view->window().findChildren<QFileDialog*>())
            open += dialog->isVisible();
        return open;
    };
    QVERIFY(eventually([&] { return dialogs() == 0; }));
    window.bar().setPrompt(QStringLiteral("another text"));
    window.key(Qt::Key_S, Qt::ControlModifier);
    QVERIFY(eventually([&] { return document(file)["bar"]["text"] == "another text"; }));
    QCOMPARE(dialogs(), 0);
    Q_EMIT window.view->window().modelChosen(QString::fromStdString(fakeModel("second.gguf")));
    QVERIFY(eventually([&] { return window.session().model()->path == fakeModel("second.gguf"); }));
    QVERIFY(window.settle());
    window.key(Qt::Key_S, Qt::ControlModifier);
    QVERIFY(eventually([&] { return dialogs() == 1; }));
    QCOMPARE(document(file)["model"]["path"], fakeModel());
}

void WindowSessionTest::whatCannotBeWrittenIsSaid() {
    Window window(sourceOf(std::make_shared<fake::World>()), m_folder, fakeModel());
    QVERIFY(window.settle());
    Q_EMIT window.view->window().saveSessionRequested();
    QFileDialog* dialog = nullptr;
    QVERIFY(eventually([&] {
        dialog = window.view->window().findChild<QFileDialog*>(QStringLiteral("saveSessionDialog"));
        return dialog && dialog->isVisible();
    }));
    Q_EMIT dialog->fileSelected(path("no/such/folder/x.headscope"));
    dialog->close();
    QVERIFY(eventually([&] { return !window.view->window().messages().isEmpty(); }));
    QVERIFY(window.message().contains(QStringLiteral("x.headscope")));
    QVERIFY(!QFile::exists(path("no")));
}

QTEST_MAIN(WindowSessionTest)
#include "window_session_test.moc"
