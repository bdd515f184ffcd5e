// SPDX-License-Identifier: GPL-3.0-or-later
// The window and its models, on a fake engine: how they are remembered, and what stands there while
// there is no run.
#include <QLabel>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

#include "app/main_view.h"
#include "app/model_list.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"
#include "ui/empty_page.h"
#include "ui/painting/theme.h"
#include "ui/prompt_panel.h"

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
};

QTEST_MAIN(WindowModelsTest)
#include "window_models_test.moc"
