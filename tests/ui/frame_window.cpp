// SPDX-License-Identifier: GPL-3.0-or-later
// The whole frame: keys, layout, what it remembers, what it says.
#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QSettings>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QWindow>

#include "tests/support/qt_warnings.h"
#include "tests/ui/frame_values.h"
#include "ui/contributions/contribution_bars.h"
#include "ui/contributions/logits_panel.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_editor.h"
#include "ui/prompt/prompt_field.h"
#include "ui/prompt/prompt_line.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/steps/step_bar.h"
#include "ui/strip/token_strip.h"
#include "ui/window/dock_title.h"
#include "ui/window/dropped_file.h"
#include "ui/window/empty_page.h"
#include "ui/window/main_window.h"

using engine::Position;
using ui::MainWindow;
using ui::RunState;

class FrameWindow : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    int m_count = 0;

    QString freshPath() { return m_folder.filePath(QString::number(m_count++)); }

    static void show(MainWindow& window, QSize size) {
        window.resize(size);
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.centralWidget()->setFocus();
    }

    static void fill(MainWindow& window) {
        window.setModels({frame::model("/m/a", 1)});
        window.setModel(frame::model("/m/a", 1));
        window.promptPanel().setPrompt(QStringLiteral("a b"));
        window.setHeadPage(new QWidget);
        window.setTokens(frame::tokens(frame::literal), 13);
        window.setRows(13);
        window.setRunState(RunState::Idle);
        ui::Selection selection;
        selection.at = {engine::Layer{2}, engine::QueryHead{5}};
        selection.dest = Position{5};
        selection.src = Position{0};
        window.setSelection(selection);
    }

    // The edge between docks at `from`, sideways.
    static void drag(MainWindow& window, QPoint from, int by) {
        QVERIFY(!window.childAt(from));
        const QPoint to = from + QPoint(by, 0);
        for (const auto& [type, at] : {std::pair(QEvent::MouseButtonPress, from),
                                       {QEvent::MouseMove, to},
                                       {QEvent::MouseButtonRelease, to}}) {
            QMouseEvent event(type, at, window.mapToGlobal(at), Qt::LeftButton,
                              type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton,
                              Qt::NoModifier);
            QApplication::sendEvent(&window, &event);
            QTest::qWait(30);  // the docks move
        }
    }

  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() {
        ui::loadFonts();
        QVERIFY(m_folder.isValid());
    }

    void keysAskForWhatTheyDo() {
        QSettings settings(freshPath(), QSettings::IniFormat);
        MainWindow window(settings);
        fill(window);
        show(window, {1440, 900});
        QSignalSpy heads(&window, &MainWindow::headMoveRequested);
        QTest::keyClick(&window, Qt::Key_Right);
        QTest::keyClick(&window, Qt::Key_Up);
        QCOMPARE(heads[0], (QVariantList{0, 1}));
        QCOMPARE(heads[1], (QVariantList{-1, 0}));
        QSignalSpy cell(&window, &MainWindow::cellMoveRequested);
        QTest::keyClick(&window, Qt::Key_Left, Qt::ShiftModifier);
        QTest::keyClick(&window, Qt::Key_Down, Qt::ShiftModifier | Qt::ControlModifier);
        QCOMPARE(cell[0], (QVariantList{0, -1}));
        QCOMPARE(cell[1], (QVariantList{10, 0}));
        QSignalSpy quantity(&window, &MainWindow::quantityRequested);
        QTest::keyClick(&window, Qt::Key_3);
        QCOMPARE(quantity[0][0].value<engine::Quantity>(), engine::Quantity::Value);
        QSignalSpy rows(&window, &MainWindow::rowMoveRequested);
        QTest::keyClick(&window, Qt::Key_BracketLeft);
        QCOMPARE(rows[0], (QVariantList{-1}));
        QSignalSpy zoom(&window, &MainWindow::zoomRequested);
        for (const int key : {Qt::Key_Plus, Qt::Key_Minus, Qt::Key_0})
            QTest::keyClick(&window, static_cast<Qt::Key>(key));
        QCOMPARE(zoom.count(), 3);
        QSignalSpy pictures(&window, &MainWindow::exportHeatmapRequested);
        QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier);
        QCOMPARE(pictures.count(), 1);
        for (const auto& [key, signal] : {std::pair(Qt::Key_S, &MainWindow::scaleRequested),
                                          {Qt::Key_R, &MainWindow::rangeRequested},
                                          {Qt::Key_B, &MainWindow::sinkRequested},
                                          {Qt::Key_M, &MainWindow::poolingRequested},
                                          {Qt::Key_C, &MainWindow::copyLocationRequested},
                                          {Qt::Key_Home, &MainWindow::firstRowRequested},
                                          {Qt::Key_End, &MainWindow::newestRowRequested}}) {
            QSignalSpy spy(&window, signal);
            QTest::keyClick(&window, key);
            QCOMPARE(spy.count(), 1);
        }
        QTest::keyClick(&window, Qt::Key_D);
        QVERIFY(window.tokenStrip().clicksSource());
    }

    void spaceRunsOrPauses() {
        QSettings settings(freshPath(), QSettings::IniFormat);
        MainWindow window(settings);
        fill(window);
        show(window, {1440, 900});
        QSignalSpy run(&window, &MainWindow::runRequested),
            pause(&window, &MainWindow::pauseRequested), stop(&window, &MainWindow::stopRequested);
        QTest::keyClick(&window, Qt::Key_Space);
        QCOMPARE(run.count(), 1);
        window.setRunState(RunState::Decoding);
        QTest::keyClick(&window, Qt::Key_Space);
        QCOMPARE(pause.count(), 1);
        QTest::keyClick(&window, Qt::Key_Period, Qt::ControlModifier);
        QCOMPARE(stop.count(), 1);
        window.setRunState(RunState::Cancelling);
        QTest::keyClick(&window, Qt::Key_Space);
        QCOMPARE(run.count() + pause.count(), 2);
    }

    void keysYieldToText_data() {
        QTest::addColumn<int>("key");
        QTest::addColumn<QString>("text");
        for (const char c : {'s', 'd', '1', ' ', '[', '?', '+'})
            QTest::addRow("%c", c)
                << int(QChar(QLatin1Char(c)).toUpper().unicode()) << QString(QLatin1Char(c));
    }

    void keysYieldToText() {
        QFETCH(QString, text);
        QSettings settings(freshPath(), QSettings::IniFormat);
        MainWindow window(settings);
        fill(window);
        show(window, {1440, 900});
        auto* field = window.findChild<ui::PromptField*>();
        field->line()->setFocus();
        field->line()->end(false);
        QSignalSpy scale(&window, &MainWindow::scaleRequested),
            run(&window, &MainWindow::runRequested),
            quantity(&window, &MainWindow::quantityRequested),
            row(&window, &MainWindow::rowMoveRequested),
            head(&window, &MainWindow::headMoveRequested);
        QTest::keyClicks(field->line(), text);
        QTest::keyClick(field->line(), Qt::Key_Up);
        QCOMPARE(window.promptPanel().prompt(), QStringLiteral("a b") + text);
        QCOMPARE(scale.count() + run.count() + quantity.count() + row.count() + head.count(), 0);
        QTest::keyClick(field->line(), Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(run.count(), 1);  // Ctrl+Enter is the window's everywhere
        QTest::keyClick(field->line(), Qt::Key_L, Qt::ControlModifier);
        QVERIFY(field->isEditorOpen());
        QTest::keyClicks(field->editor(), text);
        QCOMPARE(window.promptPanel().prompt(), QStringLiteral("a b") + text + text);
        QCOMPARE(run.count(), 1);
    }

    void escapeStepsOut() {
        QSettings settings(freshPath(), QSettings::IniFormat);
        MainWindow window(settings);
        fill(window);
        show(window, {1440, 900});
        auto* heads = window.findChild<QDockWidget*>(QStringLiteral("headsDock"));
        QTest::keyClick(&window, Qt::Key_Return);
        QVERIFY(window.isSolo() && !heads->isVisible());
        ui::Selection selection;
        selection.locked = true;
        window.setSelection(selection);
        QSignalSpy unlock(&window, &MainWindow::unlockRequested);
        QTest::keyClick(&window, Qt::Key_Escape);
        QCOMPARE(unlock.count(), 1);
        QVERIFY(window.isSolo());
        selection.locked = false;
        window.setSelection(selection);
        QTest::keyClick(&window, Qt::Key_Escape);
        QVERIFY(!window.isSolo() && heads->isVisible());
    }

    void titlesAreLiteral() {
        QSettings settings(freshPath(), QSettings::IniFormat);
        MainWindow window(settings);
        fill(window);
        ui::Selection selection;
        selection.at = {engine::Layer{2}, engine::QueryHead{5}};
        for (int i = 0; i < 13; ++i) {
            selection.dest = Position{i};
            window.setSelection(selection);
            const auto* dock = window.findChild<QDockWidget*>(QStringLiteral("nextDock"));
            const auto* title = static_cast<ui::DockTitle*>(dock->titleBarWidget());
            QCOMPARE(title->text(),
                     QStringLiteral("Next token after %1 ").arg(i) +
                         ui::visibleToken(frame::literal[static_cast<std::size_t>(i)]));
        }
        QCOMPARE(window.findChild<QTabBar*>()->tabText(0), QStringLiteral("Head  L2.H5"));
        window.appendToken({engine::TokenId{7}, " new", 0, 0, false});
        selection.dest = Position{13};
        window.setSelection(selection);
        const auto title = [&window](const char* dock) {
            return static_cast<ui::DockTitle*>(
                       window.findChild<QDockWidget*>(QLatin1String(dock))->titleBarWidget())
                ->text();
        };
        QVERIFY(title("nextDock").endsWith(QStringLiteral("13 ·new (step 0)")));
        // What is shown lags behind the selection by an answer: its title names its own row.
        window.logitsPanel().setTopTokens({{}, Position{11}, {}});
        engine::ContributionTable table = frame::contributions(3, 4);
        table.position = Position{10};
        window.contributionBars().setTable(table, 2, {}, {});
        QVERIFY(title("nextDock").startsWith(QStringLiteral("Next token after 11 ")));
        QVERIFY(title("contributionsDock").startsWith(QStringLiteral("Contributions at 10 ")));
        ui::Message message;
        message.what = QStringLiteral("<b>bold</b>");
        window.showMessage(message);
        for (const QLabel* label : window.findChildren<QLabel*>())
            if (!label->text().isEmpty() && label->parentWidget() &&
                !label->parentWidget()->inherits("QFrame"))
                QVERIFY2(label->textFormat() == Qt::PlainText || label->text().at(0).isLetter(),
                         qPrintable(label->text()));
        QCOMPARE(window.messages().size(), 1);
    }

    void layoutIsRemembered() {
        const QString path = freshPath();
        {
            QSettings settings(path, QSettings::IniFormat);
            MainWindow window(settings);
            show(window, {1300, 820});
            window.findChild<QDockWidget*>(QStringLiteral("stepsDock"))->hide();
            window.addDockWidget(Qt::LeftDockWidgetArea,
                                 window.findChild<QDockWidget*>(QStringLiteral("nextDock")));
            window.close();
        }
        QSettings settings(path, QSettings::IniFormat);
        MainWindow window(settings);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QCOMPARE(window.size(), QSize(1300, 820));
        auto* next = window.findChild<QDockWidget*>(QStringLiteral("nextDock"));
        QVERIFY(!window.findChild<QDockWidget*>(QStringLiteral("stepsDock"))->isVisible());
        QCOMPARE(window.dockWidgetArea(next), Qt::LeftDockWidgetArea);
        window.resetLayout();
        QVERIFY(window.findChild<QDockWidget*>(QStringLiteral("stepsDock"))->isVisible());
        QCOMPARE(window.dockWidgetArea(next), Qt::RightDockWidgetArea);
    }

    // The Heads dock grows with the window, so that thumbnails do, until its edge is dragged.
    void docksTakeTheirShare() {
        const QString path = freshPath();
        int own = 0;  // the width that the user dragged the dock to
        const auto heads = [](MainWindow& window) {
            return window.findChild<QDockWidget*>(QStringLiteral("headsDock"));
        };
        {
            QSettings settings(path, QSettings::IniFormat);
            MainWindow window(settings);
            fill(window);
            engine::ModelInfo model = frame::model("/m/a", 1);
            model.layers = 30;
            model.query_heads = 9;
            model.kv_heads = 3;
            window.setModel(model);
            show(window, {1440, 900});
            QTRY_VERIFY2(std::abs(heads(window)->width() - 278) < 14,
                         qPrintable(QString::number(heads(window)->width())));
            window.resize(2560, 1440);
            QTRY_VERIFY2(heads(window)->width() > 420,
                         qPrintable(QString::number(heads(window)->width())));
            const auto* next = window.findChild<QDockWidget*>(QStringLiteral("nextDock"));
            window.resize(1280, 800);
            QTRY_VERIFY2(next->height() > 190, qPrintable(QString::number(next->height())));
            QTRY_VERIFY2(std::abs(heads(window)->width() - 240) < 14,
                         qPrintable(QString::number(heads(window)->width())));
            window.close();
        }
        {
            QSettings settings(path, QSettings::IniFormat);
            MainWindow window(settings);
            show(window, {2560, 1440});
            QTRY_VERIFY(heads(window)->width() > 400);
            for (int i = 0; i < 40; ++i) window.resize(960 + i * 37 % 1500, 600 + i * 29 % 800);
            window.resize(2560, 1440);
            QTest::qWait(100);                          // the layout is done
            QTRY_VERIFY(heads(window)->width() > 400);  // however wildly it was resized
            const QRect dock = heads(window)->geometry();
            const QPoint edge(dock.right() + 3, dock.center().y());
            drag(window, edge, -110);
            QTRY_VERIFY(heads(window)->width() < dock.width() - 50);
            own = heads(window)->width();
            window.resize(1440, 900);
            QTRY_COMPARE(window.width(), 1440);
            QCOMPARE(heads(window)->width(), own);
            window.close();
        }
        QSettings settings(path, QSettings::IniFormat);
        MainWindow window(settings);
        show(window, {1800, 1000});
        QCOMPARE(heads(window)->width(), own);
        window.resetLayout();
        QTRY_VERIFY(heads(window)->width() != own);
    }

    // Without a window manager a window can be made smaller than it wants to be.
    void docksComeBackFromATinyWindow() {
        QSettings settings(freshPath(), QSettings::IniFormat);
        MainWindow window(settings);
        fill(window);
        show(window, {1440, 900});
        const auto widths = [&] {
            QList<int> all;
            for (const char* name : {"headsDock", "nextDock", "contributionsDock"})
                all << window.findChild<QDockWidget*>(QString::fromLatin1(name))->width();
            return all;
        };
        const auto comeBack = [&] {
            QTest::qWait(50);
            const QList<int> before = widths();
            for (const QSize tiny : {QSize(1, 1), QSize(1, 900), QSize(300, 200)}) {
                window.windowHandle()->resize(tiny);
                QTest::qWait(50);
                window.windowHandle()->resize(1440, 900);
                QTRY_COMPARE(window.size(), QSize(1440, 900));
                QTRY_COMPARE(widths(), before);
            }
        };
        comeBack();
        auto* next = window.findChild<QDockWidget*>(QStringLiteral("nextDock"));
        const QRect dock = next->geometry();  // a width of the user's own comes back too
        drag(window, QPoint(dock.left() - 3, dock.center().y()), -70);
        QTRY_VERIFY(next->width() > dock.width() + 40);
        comeBack();
        window.close();
        MainWindow again(settings);
        show(again, {1440, 900});
        QTRY_COMPARE(again.findChild<QDockWidget*>(QStringLiteral("nextDock"))->width(),
                     next->width());
    }

    void brokenSettingsDoNoHarm() {
        QSettings settings(freshPath(), QSettings::IniFormat);
        settings.setValue(QStringLiteral("window/state"), QByteArray("nonsense"));
        settings.setValue(QStringLiteral("window/geometry"), QStringLiteral("x"));
        settings.setValue(QStringLiteral("window/scheme"), 99);
        MainWindow window(settings);
        show(window, {1200, 800});
        QVERIFY(window.findChild<QDockWidget*>(QStringLiteral("headsDock"))->isVisible());
    }

    void narrowWindowsTabTheRightDocks() {
        QSettings settings(freshPath(), QSettings::IniFormat);
        MainWindow window(settings);
        fill(window);
        show(window, {1440, 900});
        auto* next = window.findChild<QDockWidget*>(QStringLiteral("nextDock"));
        auto* bars = window.findChild<QDockWidget*>(QStringLiteral("contributionsDock"));
        QVERIFY(!window.tabifiedDockWidgets(next).contains(bars));
        window.resize(960, 600);
        QTRY_VERIFY(window.tabifiedDockWidgets(next).contains(bars));
        QCOMPARE(window.size(), QSize(960, 600));
        QTRY_VERIFY(window.stepBar().height() == 0 || !window.stepBar().isVisible());
        window.resize(1440, 900);
        QTRY_VERIFY(!window.tabifiedDockWidgets(next).contains(bars));
        QTRY_VERIFY(window.stepBar().height() > 40);
        QVERIFY(bars->isVisible() && next->isVisible());
        QVERIFY(window.minimumWidth() <= 960 && window.minimumHeight() <= 600);
    }

    void pagesFollowTheRun() {
        QSettings settings(freshPath(), QSettings::IniFormat);
        MainWindow window(settings);
        show(window, {1440, 900});
        QVERIFY(window.emptyPage().isVisible());
        window.emptyPage().setPrompts({{QStringLiteral("n"), QStringLiteral("the prompt"), {}}});
        QSignalSpy prompt(&window, &MainWindow::promptChosen);
        for (QAbstractButton* button : window.emptyPage().findChildren<QAbstractButton*>())
            if (button->accessibleName() == QStringLiteral("n")) button->click();
        QCOMPARE(prompt.count(), 1);
        QCOMPARE(window.promptPanel().prompt(), QStringLiteral("the prompt"));
        QCOMPARE(window.emptyPage().title(), QStringLiteral("Open a model"));
        fill(window);
        QVERIFY(!window.emptyPage().isVisible() && window.tokenStrip().isVisible());
        window.setTokens({}, 0);
        QVERIFY(window.emptyPage().isVisible());
        QCOMPARE(window.emptyPage().title(), QStringLiteral("/m/a"));  // the open model's name
        window.setModel({});
        QCOMPARE(window.emptyPage().title(), QStringLiteral("Open a model"));
    }

    void progressStandsWhereNothingIsComputed() {
        QSettings settings(freshPath(), QSettings::IniFormat);
        MainWindow window(settings);
        fill(window);
        show(window, {1440, 900});
        window.setRunState(RunState::Prefilling);
        window.beginProgress(QStringLiteral("Prefill"), ui::ProgressPanel::Unit::Tokens);
        window.setProgress(1, 100'000);
        window.setProgress(2, 100'000);
        window.setProgressArea(QRect(100, 300, 400, 200));
        QTRY_VERIFY(window.progressPanel().isVisible());
        const QPoint strip = window.tokenStrip().mapTo(&window, QPoint(0, 52));
        const QRect panel(window.progressPanel().mapTo(&window, QPoint(0, 0)),
                          window.progressPanel().size());
        QVERIFY(std::abs(panel.center().y() - strip.y() - 400) < 3);
        QVERIFY(std::abs(panel.center().x() - strip.x() - 300) < 3);
        QSignalSpy stop(&window, &MainWindow::progressCancelled);
        QTest::mouseClick(window.progressPanel().findChild<QAbstractButton*>(), Qt::LeftButton);
        QCOMPARE(stop.count(), 1);
        window.setRunState(RunState::Idle);
        QVERIFY(!window.progressPanel().isVisible());
    }

    void schemesApply() {
        QSettings settings(freshPath(), QSettings::IniFormat);
        MainWindow window(settings);
        fill(window);
        window.contributionBars().setTable(frame::contributions(4, 6), 2, {}, {});
        show(window, {1440, 900});
        for (const auto& [name, scheme] :
             {std::pair(QStringLiteral("&Dark"), ui::Scheme::Dark),
              std::pair(QStringLiteral("&Light"), ui::Scheme::Light)}) {
            for (QAction* action : window.actions())
                if (action->text() == name) action->trigger();
            QCOMPARE(ui::theme().scheme, scheme);
            const QImage image = window.grab().toImage();
            const QPoint strip = window.tokenStrip().mapTo(&window, QPoint(3, 3));
            QCOMPARE(image.pixelColor(strip), ui::themeOf(scheme).base);
        }
        QCOMPARE(settings.value(QStringLiteral("window/scheme")).toInt(), 0);
    }

    void everyActionHasOneKeyOnly() {
        QSettings settings(freshPath(), QSettings::IniFormat);
        MainWindow window(settings);
        QSet<QKeySequence> seen;
        for (const QAction* action : window.actions())
            for (const QKeySequence& key : action->shortcuts()) {
                QVERIFY2(!seen.contains(key), qPrintable(key.toString()));
                seen << key;
            }
        QVERIFY(seen.size() > 35);
        QStringList menus;
        for (const QAction* menu : window.menuBar()->actions()) menus << menu->text().remove(u'&');
        QCOMPARE(menus.join(u' '), QStringLiteral("File Edit View Model Run Heads Export Help"));
    }

    void droppedFiles() {
        const auto write = [&](const QString& name, const QByteArray& bytes) {
            QFile file(m_folder.filePath(name));
            if (!file.open(QIODevice::WriteOnly)) return QString();
            file.write(bytes);
            return file.fileName();
        };
        QCOMPARE(*ui::readDropped(write(QStringLiteral("a.txt"), "h\xC3\xA9\r\n")).prompt,
                 QStringLiteral("hé\r\n"));
        QVERIFY(ui::readDropped(write(QStringLiteral("b.txt"), "\xFF\xFE\x01")).problem);
        QVERIFY(
            ui::readDropped(write(QStringLiteral("c.txt"), QByteArray(5'000'000, 'a'))).problem);
        QVERIFY(ui::readDropped(m_folder.filePath(QStringLiteral("absent.txt"))).problem);
        QVERIFY(!ui::readDropped(m_folder.path()).modelPath.isEmpty());
        QVERIFY(!ui::readDropped(write(QStringLiteral("m.GGUF"), "x")).modelPath.isEmpty());
        const ui::DroppedFile session =
            ui::readDropped(write(QStringLiteral("s.headscope"), QByteArray(5'000'000, 'a')));
        QVERIFY(!session.sessionPath.isEmpty() && session.modelPath.isEmpty() && !session.prompt &&
                !session.problem);
    }
};

QTEST_MAIN(FrameWindow)
#include "frame_window.moc"
