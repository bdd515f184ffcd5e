// SPDX-License-Identifier: GPL-3.0-or-later
// What the window remembers and hands out: recent files, earlier prompts, settings, the cache
// folder, copies of the view. Real keys and clicks on a fake engine.
#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <mutex>

#include "app/view/main_view.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"
#include "tests/support/settle.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_line.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/window/settings_dialog.h"

using fake::eventually;

namespace {

// What the engine was opened with, seen from the test's thread.
struct Opened {
    std::mutex mutex;
    std::vector<engine::OpenRequest> requests;
    engine::OpenRequest last() {
        const std::lock_guard lock(mutex);
        return requests.empty() ? engine::OpenRequest{} : requests.back();
    }
    std::size_t count() {
        const std::lock_guard lock(mutex);
        return requests.size();
    }
};

}  // namespace

class WindowRememberedTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    std::shared_ptr<Opened> m_opened = std::make_shared<Opened>();
    std::unique_ptr<QSettings> m_settings;
    std::unique_ptr<app::MainView> m_view;

    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    QString file(const char* name) const {
        QFile made(path(name));
        (void)made.open(QIODevice::WriteOnly);
        return made.fileName();
    }
    app::Session& session() const { return m_view->session(); }
    ui::MainWindow& window() const { return m_view->window(); }
    ui::PromptPanel& bar() const { return window().promptPanel(); }
    ui::PromptLine* line() const { return bar().findChild<ui::PromptLine*>(); }

    // Another start of the program.
    void start(const std::optional<std::string>& device = {}, std::optional<int> threads = {}) {
        m_view.reset();
        m_settings = std::make_unique<QSettings>(path("settings.ini"), QSettings::IniFormat);
        const auto world = std::make_shared<fake::World>();
        app::EngineSource source = fake::source(world);
        source.open = [world, opened = m_opened](const engine::OpenRequest& request,
                                                 const engine::OnProgress& progress,
                                                 std::stop_token stop) {
            {
                const std::lock_guard lock(opened->mutex);
                opened->requests.push_back(request);
            }
            return fake::open(world, request, progress, stop);
        };
        source.devices = [] {
            return engine::DeviceList{{{"cuda:0", "NVIDIA <b>H200</b>", 150'000'000'000}}, {}};
        };
        m_view =
            std::make_unique<app::MainView>(source, *m_settings,
                                            app::MainView::Start{file("first.gguf").toStdString(),
                                                                 std::nullopt,
                                                                 m_folder.path().toStdString(),
                                                                 false,
                                                                 device,
                                                                 {},
                                                                 threads});
        window().resize(1440, 900);
        window().show();
        QVERIFY(QTest::qWaitForWindowExposed(&window()));
        m_view->begin();
        QVERIFY(eventually([&] { return session().run().promptRead; }));
        QVERIFY(settle());
    }
    bool settle() const { return ::settle(*m_view); }
    void key(Qt::Key which, Qt::KeyboardModifiers modifiers) const {
        window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window()));
        QTest::keyClick(&window(), which, modifiers);
    }
    bool run(const QString& text) const {
        line()->setFocus();
        line()->selectAll();
        QTest::keyClicks(line(), text);
        QTest::keyClick(line(), Qt::Key_Return);
        return eventually([&] {
                   return QString::fromStdString(session().run().prompt) == text &&
                          session().run().promptRead;
               }) &&
               settle();
    }
    QStringList entries(const char* menu) const {
        QStringList texts;
        for (const QAction* action : window().findChild<QMenu*>(QLatin1String(menu))->actions())
            if (!action->isSeparator()) texts << action->text();
        return texts;
    }
    void choose(const char* menu, int index) const {
        window().findChild<QMenu*>(QLatin1String(menu))->actions().at(index)->trigger();
    }
    ui::SettingsDialog* settingsDialog() const {
        key(Qt::Key_Comma, Qt::ControlModifier);
        ui::SettingsDialog* dialog = nullptr;
        (void)eventually([&] {
            dialog = window().findChild<ui::SettingsDialog*>();
            return dialog && dialog->isVisible();
        });
        return dialog;
    }

  private slots:
    void initTestCase() {
        ui::loadFonts();
        qputenv("XDG_CACHE_HOME", m_folder.path().toLocal8Bit());
    }
    void init() {
        failOnDroppedSignals();
        m_view.reset();
        QFile::remove(path("settings.ini"));
        QDir(path("headscope")).removeRecursively();
        start();
    }
    void cleanupTestCase() { m_view.reset(); }

    void recentFilesComeBack();
    void aMissingRecentFileIsTakenOff();
    void earlierPromptsByKeys();
    void earlierPromptsByMenuAfterARestart();
    void settingsHoldFromTheNextModel();
    void theCommandLineGoesBeforeTheSettings();
    void settingsThatMakeNoSense();
    void theCacheIsEmptiedWhenAsked();
    void theHeatmapIsCopiedAsItIsExported_data();
    void theHeatmapIsCopiedAsItIsExported();
    void codeIsCopiedOrTheReasonSaid();
};

void WindowRememberedTest::recentFilesComeBack() {
    Q_EMIT window().modelChosen(file("second.gguf"));
    QVERIFY(eventually([&] { return entries("recentFiles").size() == 3; }));
    QVERIFY(entries("recentFiles")[0].endsWith(QStringLiteral("second.gguf")));
    QVERIFY(entries("recentFiles")[1].endsWith(QStringLiteral("first.gguf")));
    start();
    QVERIFY(entries("recentFiles")[0].endsWith(QStringLiteral("first.gguf")));
    choose("recentFiles", 1);
    QVERIFY(
        eventually([&] { return session().model()->path == path("second.gguf").toStdString(); }));
    QVERIFY(settle());
    choose("recentFiles", 3);  // after the separator: Clear
    QVERIFY(entries("recentFiles").isEmpty());
    QVERIFY(!window().findChild<QMenu*>(QStringLiteral("recentFiles"))->menuAction()->isEnabled());
    start();
    QCOMPARE(entries("recentFiles").size(), 2);  // what this start opened, and Clear
}

void WindowRememberedTest::aMissingRecentFileIsTakenOff() {
    Q_EMIT window().modelChosen(file("gone&away.gguf"));
    QVERIFY(eventually(
        [&] { return session().model()->path == path("gone&away.gguf").toStdString(); }));
    QVERIFY(settle());
    QVERIFY(entries("recentFiles")[0].endsWith(QStringLiteral("gone&&away.gguf")));  // no mnemonic
    Q_EMIT window().modelChosen(file("first.gguf"));
    QVERIFY(
        eventually([&] { return session().model()->path == path("first.gguf").toStdString(); }));
    QVERIFY(settle());
    QFile::remove(path("gone&away.gguf"));
    choose("recentFiles", 1);
    QCOMPARE(window().messages().size(), 1);
    QVERIFY(window().messages()[0].what.contains(QStringLiteral("gone&away.gguf is not there")));
    QCOMPARE(entries("recentFiles").size(), 2);
    QCOMPARE(session().model()->path, path("first.gguf").toStdString());
}

void WindowRememberedTest::earlierPromptsByKeys() {
    bar().setTokensToGenerate(3);
    QVERIFY(run(QStringLiteral("the first prompt")));
    bar().setTokensToGenerate(5);
    QVERIFY(run(QStringLiteral("the second prompt")));
    line()->setFocus();
    line()->selectAll();
    QTest::keyClicks(line(), QStringLiteral("half typ"));
    QTest::keyClick(line(), Qt::Key_Up);
    QCOMPARE(bar().prompt(), QStringLiteral("the second prompt"));
    QCOMPARE(bar().tokensToGenerate(), 5);
    QTest::keyClick(line(), Qt::Key_Up);
    QCOMPARE(bar().prompt(), QStringLiteral("the first prompt"));
    QCOMPARE(bar().tokensToGenerate(), 3);
    key(Qt::Key_Down, Qt::AltModifier);  // from anywhere in the window
    QCOMPARE(bar().prompt(), QStringLiteral("the second prompt"));
    QTest::keyClick(line(), Qt::Key_Down);
    QCOMPARE(bar().prompt(), QStringLiteral("half typ"));
    const engine::LayerHead at = session().selection().at;
    QTest::keyClick(line(), Qt::Key_Down);
    QCOMPARE(session().selection().at, at);  // the key stays the field's
    QCOMPARE(session().run().prompt, std::string("the second prompt"));  // nothing was run
}

void WindowRememberedTest::earlierPromptsByMenuAfterARestart() {
    QVERIFY(run(QStringLiteral("kept & found again")));
    start();
    const QStringList prompts = entries("earlierPrompts");
    QVERIFY(prompts.contains(QStringLiteral("kept && found again")));
    bar().setPrompt(QStringLiteral("other"));
    choose("earlierPrompts",
           static_cast<int>(prompts.indexOf(QStringLiteral("kept && found again"))));
    QCOMPARE(bar().prompt(), QStringLiteral("kept & found again"));
    Q_EMIT window().modelChosen(file("second.gguf"));
    QVERIFY(eventually([&] {
        return session().model()->path == path("second.gguf").toStdString() &&
               session().run().promptRead;
    }));
    // Another model has its own: the one that was read when it opened.
    QCOMPARE(entries("earlierPrompts").size(), 2);
    choose("earlierPrompts", 2);  // Forget them
    QVERIFY(entries("earlierPrompts").isEmpty());
}

void WindowRememberedTest::settingsHoldFromTheNextModel() {
    QCOMPARE(m_opened->last().device, std::string("auto"));
    QCOMPARE(m_opened->last().threads, 0);
    ui::SettingsDialog* dialog = settingsDialog();
    QVERIFY(dialog);
    const auto combos = dialog->findChildren<QComboBox*>();
    QCOMPARE(combos.size(), 1);
    QVERIFY(eventually([&] { return combos[0]->count() == 3; }));
    QCOMPARE(combos[0]->itemText(2), QStringLiteral("cuda:0 · NVIDIA <b>H200</b>, 150 GB"));
    combos[0]->setCurrentIndex(2);
    const auto spins = dialog->findChildren<QSpinBox*>();
    QCOMPARE(spins.size(), 2);
    spins[0]->setFocus();
    spins[0]->selectAll();
    QTest::keyClicks(spins[0], QStringLiteral("2"));
    spins[1]->setValue(12);
    auto* ok = dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
    QVERIFY(!ok->isEnabled());  // 12 MB
    spins[1]->setValue(512);
    QVERIFY(ok->isEnabled());
    const std::size_t before = m_opened->count();
    QTest::mouseClick(ok, Qt::LeftButton);
    QVERIFY(eventually([&] { return !window().findChild<ui::SettingsDialog*>(); }));
    QCOMPARE(m_opened->count(), before);  // the open model stays as it is
    Q_EMIT window().modelChosen(file("second.gguf"));
    QVERIFY(
        eventually([&] { return session().model()->path == path("second.gguf").toStdString(); }));
    QCOMPARE(m_opened->last().device, std::string("cuda:0"));
    QCOMPARE(m_opened->last().threads, 2);
    QCOMPARE(m_opened->last().memory_limit, 512'000'000);
    QVERIFY(settle());
    start();
    QCOMPARE(m_opened->last().device, std::string("cuda:0"));
    QCOMPARE(m_opened->last().memory_limit, 512'000'000);
    // Cancel changes nothing.
    dialog = settingsDialog();
    QVERIFY(dialog);
    QCOMPARE(dialog->values().threads, 2);
    dialog->findChildren<QSpinBox*>()[0]->setValue(5);
    QTest::keyClick(dialog, Qt::Key_Escape);
    start();
    QCOMPARE(m_opened->last().threads, 2);
}

// Asked on the command line: for this start, not for the next, until others are chosen.
void WindowRememberedTest::theCommandLineGoesBeforeTheSettings() {
    m_settings->setValue(QStringLiteral("engine/device"), QStringLiteral("cuda:0"));
    m_settings->setValue(QStringLiteral("engine/threads"), 4);
    m_settings->sync();
    start("cpu", 3);
    QCOMPARE(m_opened->last().device, std::string("cpu"));
    QCOMPARE(m_opened->last().threads, 3);
    ui::SettingsDialog* dialog = settingsDialog();
    QVERIFY(dialog);
    QCOMPARE(dialog->values().device, QStringLiteral("cpu"));
    QCOMPARE(dialog->values().threads, 3);
    dialog->findChildren<QSpinBox*>()[0]->setValue(2);
    QTest::mouseClick(dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok),
                      Qt::LeftButton);
    Q_EMIT window().modelChosen(file("second.gguf"));
    QVERIFY(
        eventually([&] { return session().model()->path == path("second.gguf").toStdString(); }));
    QCOMPARE(m_opened->last().device, std::string("cpu"));
    QCOMPARE(m_opened->last().threads, 2);
    QVERIFY(settle());
    m_settings->setValue(QStringLiteral("engine/device"), QStringLiteral("cuda:0"));
    start();
    QCOMPARE(m_opened->last().device, std::string("cuda:0"));
    QCOMPARE(m_opened->last().threads, 2);
}

void WindowRememberedTest::settingsThatMakeNoSense() {
    m_settings->setValue(QStringLiteral("engine/device"), QStringLiteral("cuda:x; rm -rf"));
    m_settings->setValue(QStringLiteral("engine/threads"), -5);
    m_settings->setValue(QStringLiteral("engine/memoryMb"), QStringLiteral("1e308"));
    m_settings->sync();
    start();
    QCOMPARE(m_opened->last().device, std::string("auto"));
    QCOMPARE(m_opened->last().threads, 0);
    QCOMPARE(m_opened->last().memory_limit, 0);
    // A device that is gone is still named, so that it can be seen and changed.
    m_settings->setValue(QStringLiteral("engine/device"), QStringLiteral("cuda:7"));
    ui::SettingsDialog* dialog = settingsDialog();
    QVERIFY(dialog);
    auto* devices = dialog->findChild<QComboBox*>();
    QVERIFY(eventually([&] { return devices->count() == 4; }));
    QCOMPARE(devices->currentText(), QStringLiteral("cuda:7 (not there now)"));
}

void WindowRememberedTest::theCacheIsEmptiedWhenAsked() {
    const QString ours = path("headscope/libtorch-2.11.0-cpu"), others = path("headscope/mine");
    for (const QString& folder : {ours, others}) {
        QVERIFY(QDir().mkpath(folder));
        QFile content(folder + QStringLiteral("/file"));
        QVERIFY(content.open(QIODevice::WriteOnly));
        content.write(QByteArray(2'000'000, 'x'));
    }
    ui::SettingsDialog* dialog = settingsDialog();
    QVERIFY(dialog);
    auto* table = dialog->findChild<QTableWidget*>();
    QVERIFY(eventually([&] { return table->rowCount() == 2; }));
    QCOMPARE(table->item(0, 2)->text(), QStringLiteral("removed"));
    QCOMPARE(table->item(1, 2)->text(), QStringLiteral("kept: not Headscope's"));
    auto* empty = dialog->findChild<QPushButton*>(QStringLiteral("emptyCache"));
    const auto ask = [&] {
        QTest::mouseClick(empty, Qt::LeftButton);
        QMessageBox* box = nullptr;
        (void)eventually([&] {
            box = dialog->findChild<QMessageBox*>();
            return box && box->isVisible();
        });
        return box;
    };
    QMessageBox* box = ask();
    QVERIFY(box);
    QVERIFY(box->text().contains(QStringLiteral("2.00 MB")));
    QVERIFY(box->informativeText().contains(QStringLiteral("libtorch-2.11.0-cpu")));
    QVERIFY(!box->informativeText().contains(QStringLiteral("mine")));
    QTest::mouseClick(box->button(QMessageBox::Cancel), Qt::LeftButton);
    QTest::qWait(50);
    QVERIFY(QFile::exists(ours));
    QVERIFY(eventually([&] { return !dialog->findChild<QMessageBox*>(); }));
    box = ask();
    QVERIFY(box);
    for (QAbstractButton* button : box->buttons())
        if (box->buttonRole(button) == QMessageBox::DestructiveRole)
            QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(eventually([&] { return table->rowCount() == 1; }));
    QVERIFY(!QFile::exists(ours));
    QVERIFY(QFile::exists(others + QStringLiteral("/file")));
    QVERIFY(!empty->isEnabled());
}

void WindowRememberedTest::theHeatmapIsCopiedAsItIsExported_data() {
    QTest::addColumn<bool>("zoomed");
    QTest::addRow("whole") << false;
    QTest::addRow("zoomed") << true;  // what is in view
}

void WindowRememberedTest::theHeatmapIsCopiedAsItIsExported() {
    QFETCH(bool, zoomed);
    const auto copied = [&] {
        QGuiApplication::clipboard()->clear();
        key(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        (void)eventually([] { return !QGuiApplication::clipboard()->image().isNull(); });
        return QGuiApplication::clipboard()->image().convertToFormat(QImage::Format_RGB32);
    };
    const QImage whole = copied();
    QVERIFY(!whole.isNull());
    if (zoomed) {
        key(Qt::Key_Plus, {});
        QVERIFY(settle());
        QVERIFY(!m_view->headPage().heatmap().geometry().isWhole());
    }
    const QImage picture = copied();
    QCOMPARE(picture == whole, !zoomed);
    const QString png = path(zoomed ? "exported-part.png" : "exported.png");
    Q_EMIT window().exportHeatmapRequested();
    QFileDialog* dialog = nullptr;
    QVERIFY(eventually([&] {
        dialog = window().findChild<QFileDialog*>(QStringLiteral("exportDialog"));
        return dialog && dialog->isVisible();
    }));
    auto* inView = dialog->findChild<QCheckBox*>(QStringLiteral("inView"));
    QCOMPARE(inView != nullptr, zoomed);
    if (inView) inView->setChecked(true);
    Q_EMIT dialog->fileSelected(png);
    dialog->close();
    QVERIFY(eventually([&] { return QFile::exists(png); }));
    const QImage exported(png);
    QCOMPARE(picture.size(), exported.size());
    QCOMPARE(picture, exported.convertToFormat(QImage::Format_RGB32));
    QVERIFY(window().messages().isEmpty());
}

void WindowRememberedTest::codeIsCopiedOrTheReasonSaid() {
    const auto trigger = [&](const QString& text) {
        for (QAction* action : window().findChildren<QAction*>())
            if (QString(action->text()).remove(u'&') == text) action->trigger();
    };
    QGuiApplication::clipboard()->clear();
    session().selectHead({engine::Layer(2), engine::QueryHead(3)});
    trigger(QStringLiteral("Copy as nnsight code"));
    const QString code = QGuiApplication::clipboard()->text();
    QVERIFY(code.contains(QStringLiteral("layer, head = 2, 3\n")));
    QVERIFY(code.contains(QStringLiteral("LanguageModel")));
    for (const engine::Token& token : session().run().tokens)
        QVERIFY(code.contains(QString::number(engine::to_int(token.id))));
    trigger(QStringLiteral("Copy as TransformerLens code"));
    QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("TransformerBridge")));
    QVERIFY(window().messages().isEmpty());
    Q_EMIT window().quantityRequested(engine::Quantity::Scores);
    const QString before = QGuiApplication::clipboard()->text();
    trigger(QStringLiteral("Copy as nnsight code"));
    QCOMPARE(window().messages().size(), 1);
    QVERIFY(window().messages()[0].what.contains(QStringLiteral("only the pattern")));
    QCOMPARE(QGuiApplication::clipboard()->text(), before);
}

QTEST_MAIN(WindowRememberedTest)
#include "window_remembered_test.moc"
