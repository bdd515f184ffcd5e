// SPDX-License-Identifier: GPL-3.0-or-later
// The window and its models, on a fake engine: how they are remembered, what stands there while
// there is no run, what it says of one that is in work or fails, and exports that take long.
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "app/session/model_list.h"
#include "app/view/main_view.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/steps/step_bar.h"
#include "ui/strip/token_strip.h"
#include "ui/widgets/elided_label.h"
#include "ui/window/checks_badge.h"
#include "ui/window/empty_page.h"
#include "ui/window/progress_panel.h"

namespace fs = std::filesystem;

class WindowModelsTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    int m_count = 0;

    struct Window {
        std::shared_ptr<fake::World> world = std::make_shared<fake::World>();
        QSettings settings;
        std::unique_ptr<app::MainView> view;

        Window(const QString& path, std::optional<std::string> model, const std::string& prompt,
               const std::function<void(fake::World&)>& change = {})
            : settings(path, QSettings::IniFormat) {
            if (change) change(*world);
            view = std::make_unique<app::MainView>(
                fake::source(world), settings,
                app::MainView::Start{std::move(model), prompt, {}, false});
            view->window().resize(1440, 900);
            view->window().show();
            view->begin();
        }
        bool opens() const {
            return fake::eventually(
                [&] { return view->session().model() && !ui::isBusy(view->session().state()); });
        }
        bool settles() const {
            int quiet = 0;
            return fake::eventually([&] {
                bool busy = !view->session().run().promptRead;
                for (std::size_t kind = 0; kind < app::kReadKinds; ++kind)
                    busy = busy || view->views().isPending(static_cast<app::ReadKind>(kind));
                quiet = busy ? 0 : quiet + 1;
                return quiet > 60;
            });
        }
    };
    QString freshPath() { return m_folder.filePath(QString::number(m_count++)); }

  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() { ui::loadFonts(); }

    // A path as typed means another file from another folder.
    void modelsAreRememberedByTheirWholePath() {
        const QString path = freshPath();
        QDir::setCurrent(m_folder.path());
        QVERIFY(QDir().mkpath(QStringLiteral("some/model")));
        const QString whole = QDir(m_folder.path()).canonicalPath() + QStringLiteral("/some/model");
        for (const char* typed : {"some/model", "./some/../some/model/", "some//model"}) {
            Window window(path, typed, "a b");
            QVERIFY(window.opens());
            QCOMPARE(QString::fromStdString(window.view->session().model()->path), whole);
            QCOMPARE(window.settings.value(QStringLiteral("models/recent")).toStringList(),
                     QStringList{whole});
        }
    }

    void wholePaths_data() {
        QTest::addColumn<QByteArray>("typed");
        QTest::addColumn<QByteArray>("whole");  // below the folder
        const auto row = [](const char* typed, const char* whole) {
            QTest::newRow(typed) << QByteArray(typed) << QByteArray(whole);
        };
        row("a.gguf", "/a.gguf");
        row("x/../a.gguf", "/a.gguf");
        row("not/there.gguf", "/not/there.gguf");
        row("link.gguf",
            "/link.gguf");  // a link keeps its name, which may say more than the file's
        row("away/b.gguf", "/x/b.gguf");
        row(".", "");
        row("x/", "/x");
        row("x/..", "");
    }
    void wholePaths() {
        QFETCH(QByteArray, typed);
        QFETCH(QByteArray, whole);
        const QTemporaryDir folder;
        QDir::setCurrent(folder.path());
        fs::create_directory("x");
        for (const char* name : {"a.gguf", "blob", "x/b.gguf"}) std::ofstream(name) << "x";
        fs::create_symlink("blob", "link.gguf");
        fs::create_directory_symlink("x", "away");
        QCOMPARE(app::absolutePath(typed.toStdString()),
                 fs::canonical(folder.path().toStdString()).string() + whole.toStdString());
    }

    // What an older version, or a hand, wrote there means nothing from here.
    void relativePathsInTheFileAreLeftOut() {
        const QString path = freshPath();
        {
            QSettings settings(path, QSettings::IniFormat);
            settings.setValue(QStringLiteral("models/recent"),
                              QStringList{QStringLiteral("x/model"), QStringLiteral("..")});
        }
        Window window(path, std::nullopt, "a b");
        QCOMPARE(window.view->window().emptyPage().title(), QStringLiteral("Open a model"));
        QVERIFY(!fake::eventually([&] { return window.world->count("open") > 0; }, 100));
    }

    void aRefusedPromptLeavesTheModelsPage() {
        Window window(freshPath(), "m", "one two three four five six",
                      [](fake::World& world) { world.shape.context = 4; });
        QVERIFY(fake::eventually(
            [&] { return window.view->session().state() == ui::RunState::Failed; }));
        const ui::MainWindow& shown = window.view->window();
        QVERIFY(shown.messageBar().isVisible());
        QVERIFY2(shown.messageBar().detailsText().contains(QStringLiteral("the context holds 4")),
                 qPrintable(shown.messageBar().detailsText()));
        QVERIFY(shown.emptyPage().isVisible());
        QCOMPARE(shown.emptyPage().title(), QStringLiteral("Fake-4x4"));
    }

    void saysWhyItComputesOnTheCpu() {
        Window window(freshPath(), "m", "a b",
                      [](fake::World& world) { world.device_note = "the <driver> is too old"; });
        QVERIFY(window.opens());
        const auto labels = window.view->window().promptPanel().findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text().startsWith(QStringLiteral("CPU")) &&
                   label->toolTip().contains(
                       QStringLiteral("On the CPU: the &lt;driver&gt; is too old"));
        }));
        Window other(freshPath(), "m", "a b");
        QVERIFY(other.opens());
        for (const QLabel* label : other.view->window().promptPanel().findChildren<QLabel*>())
            QVERIFY2(label->toolTip().isEmpty(), qPrintable(label->toolTip()));
    }

    // In a message of its own when the model opens, and with every prompt once that is closed.
    void warnsOfWhatHoldsForEveryPrompt_data() {
        QTest::addColumn<QByteArray>("warning");
        QTest::addColumn<bool>("unknownTemplate");
        QTest::newRow("nothing") << QByteArray() << false;
        QTest::newRow("tokens") << QByteArray("the <pre-tokenizer> is not known") << false;
        QTest::newRow("template") << QByteArray() << true;
    }
    void warnsOfWhatHoldsForEveryPrompt() {
        QFETCH(QByteArray, warning);
        QFETCH(bool, unknownTemplate);
        Window window(freshPath(), "m", "a b", [&](fake::World& world) {
            if (!warning.isEmpty()) world.warnings = {warning.toStdString()};
            world.unknown_template = unknownTemplate;
        });
        QVERIFY(window.opens());
        ui::MainWindow& shown = window.view->window();
        const ui::MessageBar& bar = shown.messageBar();
        QCOMPARE(bar.isVisible(), !warning.isEmpty());
        if (!warning.isEmpty()) {
            QCOMPARE(bar.message().what, QString::fromUtf8(warning));
            QCOMPARE(bar.message().severity, ui::Message::Severity::Warn);
        }
        const auto says = [&](const QString& text) {
            const auto labels = shown.findChildren<ui::ElidedLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](const ui::ElidedLabel* label) {
                return label->text().contains(text);
            });
        };
        QVERIFY(fake::eventually([&] { return window.view->session().run().promptRead; }));
        QVERIFY(fake::eventually([&] { return says(QStringLiteral("Ready")); }));
        QCOMPARE(says(QString::fromUtf8(warning)), true);
        QCOMPARE(says(QStringLiteral("chat template is not understood: the prompt is read as it")),
                 unknownTemplate);
        QCOMPARE(says(QStringLiteral(" · ")), unknownTemplate || !warning.isEmpty());
    }

    void saysWhenTheChecksCome() {
        Window window(freshPath(), "m", "a b c d e f g h", [](fake::World& world) {
            world.layer_delay = 0.05;
            world.step_delay = 0.05;
        });
        ui::MainWindow& shown = window.view->window();
        const ui::ChecksBadge& badge = shown.checksBadge();
        const app::Session& session = window.view->session();
        QCOMPARE(badge.text(), QStringLiteral("checks: none yet"));
        QVERIFY(fake::eventually([&] { return session.hasRun() && session.run().rows == 0; }));
        QCOMPARE(badge.text(), QStringLiteral("checks: once the prompt is read"));
        QVERIFY(fake::eventually([&] { return !badge.reports().empty(); }));
        QVERIFY(badge.text().startsWith(QStringLiteral("row sums")));
        // With tokens after it they come later than the prompt's last row.
        const QString later = QStringLiteral("checks: once the run pauses or ends");
        shown.promptPanel().setPrompt(QStringLiteral("b c d"));
        shown.promptPanel().setTokensToGenerate(60);
        const engine::RunId before = session.run().id;
        Q_EMIT shown.runRequested();
        QVERIFY(fake::eventually([&] { return session.run().id != before; }));
        QCOMPARE(badge.text(), later);
        QVERIFY(fake::eventually([&] { return session.state() == ui::RunState::Decoding; }));
        QCOMPARE(badge.text(), later);
        Q_EMIT shown.pauseRequested();
        QVERIFY(!badge.text().contains(QStringLiteral("prompt is read")));
        QVERIFY(fake::eventually([&] { return !badge.reports().empty(); }));
        // A fork has its prompt's rows from the first.
        engine::Candidate other;
        other.token = engine::TokenId(5);
        const engine::RunId parent = session.run().id;
        Q_EMIT shown.stepBar().forkRequested(engine::Position(3), other);
        QVERIFY(fake::eventually([&] { return session.run().id != parent; }));
        QVERIFY(!badge.text().contains(QStringLiteral("prompt is read")));
        Q_EMIT shown.stopRequested();
        QVERIFY(fake::eventually([&] { return !badge.reports().empty(); }));
    }

    void aRunThatFailsLeavesTheOneBefore() {
        Window window(freshPath(), "m", "a b c d e");
        QVERIFY(window.opens());
        app::Session& session = window.view->session();
        QVERIFY(fake::eventually([&] { return session.run().promptRead; }));
        ui::MainWindow& shown = window.view->window();
        const auto isDrawn = [&] {
            const auto& tile = window.view->headPage().heatmap().scene().tile;
            return tile && tile->request.run == session.run().id;
        };
        QVERIFY(fake::eventually(isDrawn));
        const engine::RunId run = session.run().id;
        shown.promptPanel().setPrompt(QStringLiteral("x y"));
        QVERIFY(shown.promptPanel().isEditedSinceRun());
        window.world->fail_next(
            "prefill",
            {engine::Failure::Kind::BadFile, "4096 bytes now, 98 MB when it was opened", "m", {}});
        // As with a file that was cut, what is computed from the weights cannot be had either.
        for (const char* call : {"contributions", "logits", "checks"})
            for (int times = 0; times < 8; ++times)  // some are asked for more than once
                window.world->fail_next(
                    call, {engine::Failure::Kind::BadFile, "4096 bytes now", "m", {}});
        Q_EMIT shown.runRequested();
        QVERIFY(fake::eventually([&] { return session.state() == ui::RunState::Failed; }));
        QVERIFY(session.run().id == run);
        const auto says = [&](const QString& text) {
            const auto labels = shown.findChildren<QLabel*>();
            return std::count_if(labels.begin(), labels.end(), [&](const QLabel* label) {
                return label->isVisible() && label->text() == text;
            });
        };
        QVERIFY(fake::eventually([&] {
            return says(QStringLiteral("Could not be computed: the message says why.")) == 2 &&
                   shown.checksBadge().text() == QStringLiteral("checks: could not be computed");
        }));
        QVERIFY(shown.messageBar().isVisible());
        QVERIFY(shown.messageBar().detailsText().contains(QStringLiteral("4096 bytes now")));
        QVERIFY(!shown.progressPanel().isVisible());
        QCOMPARE(shown.tokenStrip().tokens().size(), 5u);
        QVERIFY(fake::eventually(isDrawn));
        QVERIFY(shown.promptPanel().isEditedSinceRun());  // the one that could not be read
        Q_EMIT shown.runRequested();
        QVERIFY(fake::eventually([&] { return session.run().id != run; }));
        QVERIFY(!shown.promptPanel().isEditedSinceRun());
    }

    void oneFileDialogAtATime() {
        Window window(freshPath(), "m", "a b c");
        QVERIFY(window.opens());
        QVERIFY(fake::eventually([&] { return window.view->session().run().promptRead; }));
        ui::MainWindow& shown = window.view->window();
        const auto open = [&] {
            QStringList titles;
            for (const auto* dialog : shown.findChildren<QFileDialog*>())
                if (dialog->isVisible()) titles << dialog->windowTitle();
            return titles;
        };
        for (int i = 0; i < 3; ++i) Q_EMIT shown.exportHeatmapRequested();
        QCOMPARE(open(), QStringList{QStringLiteral("Export the heatmap")});
        Q_EMIT shown.saveSessionAsRequested();
        QCOMPARE(open(), QStringList{QStringLiteral("Save the session")});
        Q_EMIT shown.openModelRequested();
        Q_EMIT shown.openModelRequested();
        QCOMPARE(open(), QStringList{QStringLiteral("Open a model")});
    }

    void aLongExportCanBeCancelled_data() {
        QTest::addColumn<QString>("ending");
        QTest::addColumn<bool>("byKey");
        for (const char* ending : {"csv", "npy", "png", "pdf"})
            QTest::addRow("%s", ending) << ending << false;
        QTest::addRow("by Ctrl+.") << QStringLiteral("csv") << true;
    }
    void aLongExportCanBeCancelled() {
        QFETCH(QString, ending);
        QFETCH(bool, byKey);
        Window window(freshPath(), "m", "a b c d e f");
        QVERIFY(window.opens());
        // Views that are still asked for would take as long as the export.
        QVERIFY(window.settles());
        ui::MainWindow& shown = window.view->window();
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("map.") + ending);
        const auto exportIt = [&] {
            Q_EMIT shown.exportHeatmapRequested();
            auto* dialog = shown.findChild<QFileDialog*>(QStringLiteral("exportDialog"));
            Q_EMIT dialog->fileSelected(file);
            dialog->close();
            QCoreApplication::sendPostedEvents(dialog, QEvent::DeferredDelete);
        };
        const auto says = [&](const QString& text) {
            const auto labels = shown.findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
                return label->isVisible() && label->text().startsWith(text);
            });
        };
        window.world->tile_delay = 2.5;
        exportIt();
        QVERIFY(fake::eventually([&] { return shown.progressPanel().isVisible(); }));
        QVERIFY(says(QStringLiteral("Writing map.") + ending));
        if (byKey) {
            shown.activateWindow();
            QVERIFY(QTest::qWaitForWindowActive(&shown));
            QTest::keyClick(&shown, Qt::Key_Period, Qt::ControlModifier);
        } else {
            QTest::mouseClick(shown.progressPanel().findChild<QPushButton*>(), Qt::LeftButton);
        }
        QVERIFY(fake::eventually([&] { return says(QStringLiteral("Cancelled, not written: ")); }));
        QVERIFY(!shown.progressPanel().isVisible() && !shown.progressPanel().isRunning());
        QVERIFY(shown.messages().isEmpty());
        QVERIFY(
            QDir(folder.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
        window.world->tile_delay = 0;
        exportIt();
        QVERIFY(fake::eventually([&] { return says(QStringLiteral("Written: ")); }));
        QVERIFY(QFile::exists(file));
        QVERIFY(!shown.progressPanel().isRunning());
    }
};

QTEST_MAIN(WindowModelsTest)
#include "window_models_test.moc"
