// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing is lost unasked: the runs of earlier prompts, the session before another model, pins.
// Real keys and menus on a fake engine.
#include <QAction>
#include <QFileDialog>
#include <QMenu>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "app/view/main_view.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"
#include "tests/support/settle.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_line.h"
#include "ui/prompt/prompt_panel.h"

using engine::Failure;
using fake::eventually;

namespace {

const QString kFirst = QStringLiteral("the first of the prompts"),
              kSecond = QStringLiteral("a second one");

struct KeptWindow {
    std::shared_ptr<fake::World> world = std::make_shared<fake::World>();
    QSettings settings;
    std::unique_ptr<app::MainView> view;

    KeptWindow(const QTemporaryDir& folder, std::int64_t pages = 64)
        : settings(folder.filePath(QStringLiteral("headscope.ini")), QSettings::IniFormat) {
        world->shape.pages = pages;
        app::EngineSource source = fake::source(world);
        source.inspect = [fake = world](const std::string& path) {
            return fake::Engine(fake, path).info();
        };
        view = std::make_unique<app::MainView>(
            std::move(source), settings,
            app::MainView::Start{model(folder, "one.gguf"), std::nullopt,
                                 folder.path().toStdString(), false});
        view->window().resize(1440, 900);
        view->window().show();
        (void)QTest::qWaitForWindowExposed(&view->window());
        view->begin();
    }
    static std::string model(const QTemporaryDir& folder, const char* name) {
        QFile file(folder.filePath(QLatin1String(name)));
        (void)file.open(QIODevice::WriteOnly);
        return file.fileName().toStdString();
    }
    app::Session& session() const { return view->session(); }
    ui::PromptPanel& bar() const { return view->window().promptPanel(); }
    bool settle() const { return ::settle(*view); }
    bool ready() const {
        return eventually([&] { return session().run().promptRead; }) && settle();
    }
    void key(int which, Qt::KeyboardModifiers modifiers = {}) const {
        QWidget* map = &view->headPage().heatmap();
        view->window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&view->window()));
        map->setFocus();
        QTest::keyClick(map, Qt::Key(which), modifiers);
    }
    // Typed, and run for three tokens.
    bool run(const QString& text) const {
        auto* line = bar().findChild<ui::PromptLine*>();
        bar().setTokensToGenerate(3);
        line->setFocus();
        line->selectAll();
        QTest::keyClicks(line, text);
        QTest::keyClick(line, Qt::Key_Return);
        return eventually([&] {
                   return QString::fromStdString(session().run().prompt) == text &&
                          session().run().steps.size() == 3;
               }) &&
               settle();
    }
    bool fork() const {
        const engine::Step& step = session().run().steps[1];
        session().fork(step.position, step.alternatives[1], {});
        return eventually([&] { return session().run().parent == "A"; }) && settle();
    }
    QStringList kept() const {
        QStringList texts;
        for (const QAction* action : menu("keptRuns")->actions()) texts << action->text();
        return texts;
    }
    QMenu* menu(const char* name) const {
        return view->window().findChild<QMenu*>(QLatin1String(name));
    }
    QAction* action(const QString& text) const {
        for (QAction* each : view->window().actions())
            if (each->text().remove(u'&') == text) return each;
        return nullptr;
    }
};

}  // namespace

class WindowKeptTest : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_folder;

  private slots:
    void initTestCase() { ui::loadFonts(); }
    void init() {
        failOnDroppedSignals();
        m_folder = std::make_unique<QTemporaryDir>();
    }

    void anEarlierPromptsRunsComeBack() {
        const KeptWindow window(*m_folder);
        QVERIFY(window.ready());
        QVERIFY(window.run(kFirst));
        QVERIFY(window.fork());
        const app::RunView fork = window.session().run(),
                           parent = window.session().otherRuns().at(0);
        QVERIFY(window.run(kSecond));
        QVERIFY(window.session().otherRuns().empty());
        QCOMPARE(window.kept().size(), 2);  // the example's, and the first
        QVERIFY2(window.kept()[0].startsWith(kFirst), qPrintable(window.kept()[0]));
        QVERIFY(window.session().pagesUsed() > 2);
        const engine::RunId second = window.session().run().id;

        window.key(Qt::Key_Left, Qt::AltModifier);
        QVERIFY(window.settle());
        QCOMPARE(window.session().run().id, fork.id);
        QCOMPARE(window.session().run().text, fork.text);
        QCOMPARE(window.session().otherRuns().size(), 1U);
        QCOMPARE(window.session().otherRuns()[0].id, parent.id);
        QCOMPARE(window.bar().prompt(), kFirst);
        QVERIFY(window.kept()[0].startsWith(kSecond));
        // What is on screen is its own: the map's tile, and a step goes on from it.
        QCOMPARE(window.view->headPage().heatmap().scene().tile->request.run, fork.id);
        const std::size_t steps = fork.steps.size();
        Q_EMIT window.view->window().stepRequested();
        QVERIFY(eventually([&] { return window.session().run().steps.size() == steps + 1; }));
        QVERIFY(window.settle());
        QCOMPARE(window.session().run().id, fork.id);
        // And by the menu, with something typed that was not run: it stays.
        window.bar().setPrompt(QStringLiteral("typed since"));
        window.menu("keptRuns")->actions().at(0)->trigger();
        QVERIFY(window.settle());
        QCOMPARE(window.session().run().id, second);
        QCOMPARE(window.bar().prompt(), QStringLiteral("typed since"));
        QVERIFY(window.view->window().messages().isEmpty());
        QCOMPARE(window.world->count("close_run"), 0);
    }

    void theLongestUnseenMakesRoom() {
        const KeptWindow window(*m_folder, 6);  // of 16 tokens: a page a run
        QVERIFY(window.ready());
        for (const char* text : {"one", "two", "three", "four"})
            QVERIFY(window.run(QLatin1String(text)));
        QCOMPARE(window.world->count("close_run"), 0);
        QCOMPARE(window.kept().size(), 4);
        window.menu("keptRuns")->actions().at(3)->trigger();  // the example's: seen now
        QVERIFY(window.settle());
        QVERIFY(window.run(QStringLiteral("five")));
        QVERIFY(window.run(QStringLiteral("six")));
        QCOMPARE(window.world->count("close_run"), 1);
        QCOMPARE(window.kept().size(), 5);
        for (const QString& text : window.kept()) QVERIFY(!text.startsWith(QStringLiteral("one")));
        QVERIFY(window.view->window().messages().isEmpty());
    }

    // A step that lacks memory takes it from an earlier prompt, and goes on.
    void aStepMakesRoom() {
        const KeptWindow window(*m_folder);
        QVERIFY(window.ready());
        QVERIFY(window.run(kFirst));
        window.world->fail_next("step", {Failure::Kind::OutOfMemory, "no page is free", "", ""});
        QVERIFY(window.run(kSecond));
        QCOMPARE(window.world->count("close_run"), 1);
        QCOMPARE(window.kept().size(), 1);
        QVERIFY(window.view->window().messages().isEmpty());
        // With none left it is said, as ever.
        window.world->fail_next("step", {Failure::Kind::OutOfMemory, "no page is free", "", ""});
        window.world->fail_next("step", {Failure::Kind::OutOfMemory, "no page is free", "", ""});
        Q_EMIT window.view->window().stepRequested();
        QVERIFY(eventually([&] { return !window.view->window().messages().isEmpty(); }));
        QVERIFY(window.kept().isEmpty());
        QCOMPARE(QString::fromStdString(window.session().run().prompt), kSecond);
    }

    void theSessionBeforeAnotherModelIsReopened() {
        const KeptWindow window(*m_folder);
        QVERIFY(window.ready());
        QAction* reopen = window.action(QStringLiteral("Reopen last session"));
        QVERIFY(reopen && !reopen->isEnabled());
        QVERIFY(window.run(kFirst));
        QVERIFY(window.fork());
        const std::string text = window.session().run().text;
        const QString other = QString::fromStdString(KeptWindow::model(*m_folder, "two.gguf"));
        // One that cannot be opened costs nothing.
        window.world->fail_next("open", {Failure::Kind::BadFile, "no model", "two", ""});
        Q_EMIT window.view->window().modelChosen(other);
        QVERIFY(eventually([&] { return !window.view->window().messages().isEmpty(); }));
        QVERIFY(!reopen->isEnabled() && window.session().run().text == text);
        Q_EMIT window.view->window().modelChosen(other);
        QVERIFY(eventually([&] { return window.session().model()->path == other.toStdString(); }));
        QVERIFY(window.ready());
        QVERIFY(reopen->isEnabled());
        window.key(Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(eventually([&] { return window.session().otherRuns().size() == 1; }));
        QVERIFY(window.settle());
        QCOMPARE(window.session().run().parent, std::string("A"));
        QCOMPARE(window.session().run().text, text);
        QVERIFY(window.session().model()->path.ends_with("one.gguf"));
        // It has no name that Save could write to.
        window.key(Qt::Key_S, Qt::ControlModifier);
        QVERIFY(eventually([&] {
            return window.view->window().findChild<QFileDialog*>(
                       QStringLiteral("saveSessionDialog")) != nullptr;
        }));
    }

    // Another process reads what this one, which never closes, has kept.
    void aCrashLosesNoFork() {
        const KeptWindow first(*m_folder);
        QVERIFY(first.ready());
        QVERIFY(first.run(kFirst));
        QVERIFY(first.fork());
        const QString file = m_folder->filePath(QStringLiteral("headscope-this.headscope"));
        QVERIFY(eventually([&] { return QFile::exists(file); }, 20'000));
        const KeptWindow second(*m_folder);
        QVERIFY(second.ready());
        QVERIFY(second.run(kSecond));
        second.action(QStringLiteral("Reopen last session"))->trigger();
        QVERIFY(eventually([&] { return second.session().otherRuns().size() == 1; }));
        QVERIFY(second.settle());
        QCOMPARE(second.session().run().text, first.session().run().text);
        QVERIFY2(second.kept().value(0).startsWith(kSecond), "nor is what was here lost for it");
    }

    void pinsComeBackTogether() {
        const KeptWindow window(*m_folder);
        QVERIFY(window.ready());
        for (int head = 0; head < 3; ++head) {
            window.session().selectHead({engine::Layer(1), engine::QueryHead(head)});
            window.key(Qt::Key_P);
        }
        const auto pinned = window.view->pins().heads();
        QCOMPARE(pinned.size(), 3U);
        window.action(QStringLiteral("Unpin all heads"))->trigger();
        QVERIFY(window.view->pins().heads().empty());
        window.key(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(window.view->pins().heads().size(), 3U);
        QVERIFY(window.view->pins().heads() == pinned);
        window.key(Qt::Key_Z, Qt::ControlModifier);  // once
        QCOMPARE(window.view->pins().heads().size(), 3U);
    }
};

QTEST_MAIN(WindowKeptTest)
#include "window_kept_test.moc"
