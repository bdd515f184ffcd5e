// SPDX-License-Identifier: GPL-3.0-or-later
// The real window worked by its keys alone, on the real engine: that no two actions share a key and
// all are listed, where F6 and Tab go, and what the keys of steps, bars, filter and places do.
#include <qcustomplot.h>

#include <QAccessible>
#include <QClipboard>
#include <QDialog>
#include <QDockWidget>
#include <QFile>
#include <QGuiApplication>
#include <QHash>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QScrollArea>
#include <QScrollBar>
#include <QSet>
#include <QShortcut>
#include <QTableView>
#include <QTest>
#include <QWindow>
#include <functional>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"
#include "tests/support/real_window.h"
#include "ui/contributions/contribution_bars.h"
#include "ui/finder/head_finder.h"
#include "ui/grid/head_grid.h"
#include "ui/heatmap/head_page.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/steps/step_bar.h"
#include "ui/strip/token_strip.h"
#include "ui/window/go_to_line.h"
#include "ui/window/help_gestures.h"
#include "ui/window/page_bar.h"

using engine::LayerHead;
using engine::Position;
using fake::eventually;

namespace {

constexpr int kPatience = real::patience;

QString withoutMark(QString text) {
    return text.remove(u'&');
}

void collectMenu(const QMenu* menu, QSet<const QAction*>& found) {
    for (const QAction* action : menu->actions()) {
        found << action;
        if (action->menu()) collectMenu(action->menu(), found);
    }
}

QString described(const QWidget* widget) {
    return QStringLiteral("%1 “%2” “%3”")
        .arg(QString::fromLatin1(widget->metaObject()->className()), widget->objectName(),
             widget->accessibleName());
}

}  // namespace

class WindowKeysTest : public QObject {
    Q_OBJECT
  private slots:
    void init() { failOnDroppedSignals(); }
    void cleanup() {
        if (!m_view) return;
        for (QDialog* dialog : window().findChildren<QDialog*>()) delete dialog;
    }
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }

    void noTwoActionsShareAKey();
    void everyKeyIsInAMenuAndInTheOverlay();
    void overlayListsTheMouse();
    void overlayScrollsOneWay_data();
    void overlayScrollsOneWay();
    void readmeNamesKeysThatAreThere();
    void regionsAreGoneRound_data();
    void regionsAreGoneRound();
    void tabGoesThroughTheRegionsInTheirOrder();
    void alternativeForksByKeys();
    void runsAreGoneRound();
    void barFocusesItsHead();
    void slashFiltersAndEscReturns();
    void placeIsGoneTo();
    void copiedPlaceIsTheSelection();

  private:
    bool settle() { return ::settle(*m_view, kPatience); }
    app::Session& session() const { return m_view->session(); }
    ui::MainWindow& window() const { return m_view->window(); }
    // To the window, as the system sends it: on to what has the focus.
    void press(Qt::Key key, Qt::KeyboardModifiers held = {}) {
        window().activateWindow();  // a dialog may have been in front
        QVERIFY(QTest::qWaitForWindowActive(&window()));
        QTest::keyClick(window().windowHandle(), key, held);
    }
    void type(const QString& text) {
        for (const QChar c : text) QTest::keyClick(window().windowHandle(), c.toLatin1());
    }
    // Pressed until it is so, but not for ever.
    bool pressUntil(Qt::Key key, const std::function<bool()>& so) {
        for (int i = 0; i < 60 && !so(); ++i) press(key);
        return so();
    }
    QList<QWidget*> regions() const;
    int regionOf(const QWidget*) const;  // −1: none
    QDialog* overlay();

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
};

void WindowKeysTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home);
    QVERIFY(real::begin(*m_view));
    // Before anything is clicked the keys are the window's: none of them is another model's.
    QVERIFY(window().focusWidget());
    QCOMPARE(window().focusWidget()->objectName(), QStringLiteral("centre"));
    window().promptPanel().setTokensToGenerate(5);
    Q_EMIT window().runRequested();
    QVERIFY(eventually([&] { return session().run().steps.size() == 5; }, kPatience));
    QVERIFY(settle());
}

// All of the window and of the app, shortcuts that are no action's too. A key of one view alone
// (WidgetShortcut) meets only those of the same view.
void WindowKeysTest::noTwoActionsShareAKey() {
    struct Use {
        QString name;
        Qt::ShortcutContext context;
        const QObject* owner;
    };
    QMultiMap<QKeySequence, Use> uses;
    const auto add = [&](const QKeySequence& key, const QString& name, Qt::ShortcutContext context,
                         const QObject* owner) {
        const bool local = context == Qt::WidgetShortcut;
        for (const Use& use : uses.values(key)) {
            const bool otherLocal = use.context == Qt::WidgetShortcut;
            QVERIFY2((local || otherLocal) && use.owner != owner,
                     qPrintable(key.toString() + u' ' + name + u' ' + use.name));
        }
        uses.insert(key, {name, context, owner});
    };
    QSet<const QAction*> seen;
    for (const QAction* action : window().findChildren<QAction*>()) {
        if (action->shortcuts().isEmpty() || seen.contains(action)) continue;
        seen << action;
        for (const QKeySequence& key : action->shortcuts())
            add(key, action->text(), action->shortcutContext(), action->parent());
    }
    for (const QShortcut* shortcut : window().findChildren<QShortcut*>())
        add(shortcut->key(), QStringLiteral("shortcut"), shortcut->context(), shortcut->parent());
    QVERIFY2(uses.size() > 55, qPrintable(QString::number(uses.size())));
    // Of the window's, of the app's, of the app's later ones.
    for (const Qt::Key key : {Qt::Key_S, Qt::Key_V, Qt::Key_O, Qt::Key_K, Qt::Key_L, Qt::Key_Slash})
        QCOMPARE(uses.count(QKeySequence(key)), 1);
}

QDialog* WindowKeysTest::overlay() {
    press(Qt::Key_Question);
    auto* dialog = window().findChild<QDialog*>(QStringLiteral("keysOverlay"));
    return dialog && dialog->isVisible() ? dialog : nullptr;
}

void WindowKeysTest::everyKeyIsInAMenuAndInTheOverlay() {
    QSet<const QAction*> inMenus;
    for (const QAction* menu : window().menuBar()->actions()) collectMenu(menu->menu(), inMenus);
    QDialog* dialog = overlay();
    QVERIFY(dialog);
    QStringList texts;
    for (const QLabel* label : dialog->findChildren<QLabel*>()) texts << label->text();
    int keyed = 0;
    for (const QAction* action : window().findChildren<QAction*>()) {
        if (action->shortcuts().isEmpty()) continue;
        ++keyed;
        QVERIFY2(!action->shortcuts().front().isEmpty(), qPrintable(action->text()));
        QVERIFY2(inMenus.contains(action), qPrintable(action->text()));
        const qsizetype at = texts.indexOf(withoutMark(action->text()));
        QVERIFY2(at > 0, qPrintable(action->text()));
        const QString first = action->shortcuts().front().toString(QKeySequence::NativeText);
        QVERIFY2(texts[at - 1].startsWith(first), qPrintable(texts[at - 1] + u' ' + first));
    }
    QVERIFY2(keyed > 50, qPrintable(QString::number(keyed)));
}

void WindowKeysTest::overlayListsTheMouse() {
    QDialog* dialog = nullptr;
    QVERIFY(eventually([&] { return (dialog = overlay()) != nullptr; }));
    QVERIFY(overlay() == dialog);  // one of them
    QCOMPARE(window().findChildren<QDialog*>().size(), 1);
    QStringList texts;
    for (const QLabel* label : dialog->findChildren<QLabel*>()) texts << label->text();
    for (const auto gestures : {ui::viewKeys(), ui::mouseGestures()}) {
        QVERIFY(gestures.size() > 10);
        for (const ui::GestureHelp& gesture : gestures)
            for (const char16_t* text : {gesture.where, gesture.gesture, gesture.does})
                QVERIFY2(texts.contains(QString::fromUtf16(text)),
                         qPrintable(QString::fromUtf16(text)));
    }
}

void WindowKeysTest::overlayScrollsOneWay_data() {
    QTest::addColumn<QSize>("size");
    for (const QSize size : {QSize(640, 480), QSize(960, 600), QSize(1280, 800), QSize(2560, 1440)})
        QTest::addRow("%dx%d", size.width(), size.height()) << size;
}

void WindowKeysTest::overlayScrollsOneWay() {
    QFETCH(QSize, size);
    window().resize(size);
    QDialog* dialog = overlay();
    QVERIFY(dialog);
    QTest::qWait(20);  // the layout
    QVERIFY(dialog->width() <= size.width() && dialog->height() <= size.height());
    const auto* area = dialog->findChild<QScrollArea*>();
    QVERIFY(area->widget()->width() <= area->viewport()->width());
    QCOMPARE(area->horizontalScrollBar()->maximum(), 0);
    for (const QLabel* label : area->widget()->findChildren<QLabel*>()) {
        QVERIFY2(area->widget()->rect().contains(label->geometry()), qPrintable(label->text()));
        const int needs =
            label->wordWrap() ? label->heightForWidth(label->width()) : label->sizeHint().height();
        QVERIFY2(label->height() >= needs, qPrintable(label->text()));
        QVERIFY2(label->wordWrap() || label->width() >= label->sizeHint().width(),
                 qPrintable(label->text()));
    }
    window().resize(1440, 900);
}

// Those in its table, by their names there.
void WindowKeysTest::readmeNamesKeysThatAreThere() {
    QFile readme(QStringLiteral(SOURCE_ROOT "/README.md"));
    QVERIFY(readme.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(readme.readAll());
    const qsizetype from = text.indexOf(QStringLiteral("| key | | key | |"));
    QVERIFY(from > 0);
    const QStringList lines =
        text.mid(from, text.indexOf(QStringLiteral("\n\n"), from) - from).split(u'\n').mid(2);
    QVERIFY(lines.size() > 6);
    QSet<QString> known;
    for (const QAction* action : window().findChildren<QAction*>())
        for (const QKeySequence& key : action->shortcuts()) known << key.toString();
    // The mouse's, and a key's other names.
    const QHash<QString, QStringList> words{
        {QStringLiteral("Enter"), {QStringLiteral("Return")}},
        {QStringLiteral("Ctrl+Enter"), {QStringLiteral("Ctrl+Return")}},
        {QStringLiteral("arrows"),
         {QStringLiteral("Left"), QStringLiteral("Right"), QStringLiteral("Up"),
          QStringLiteral("Down")}},
        {QStringLiteral("−"), {QStringLiteral("-")}},
        {QStringLiteral("Ctrl+1 2 3"),
         {QStringLiteral("Ctrl+1"), QStringLiteral("Ctrl+2"), QStringLiteral("Ctrl+3")}}};
    const QStringList others{QStringLiteral("Enter in the prompt"), QStringLiteral("wheel"),
                             QStringLiteral("drag"), QStringLiteral("double-click")};
    int found = 0;
    for (const QString& line : lines) {
        const QStringList cells = line.split(u'|');
        for (const int cell : {1, 3}) {
            for (QString keys :
                 cells.value(cell).trimmed().remove(u'`').split(QStringLiteral(", "))) {
                keys = keys.trimmed();
                QStringList each{keys};
                if (!words.contains(keys)) each = keys.split(u' ', Qt::SkipEmptyParts);
                if (others.contains(keys)) continue;
                for (const QString& key : each)
                    for (const QString& name : words.value(key, {key})) {
                        QVERIFY2(known.contains(name), qPrintable(name + u' ' + line));
                        ++found;
                    }
            }
        }
    }
    QVERIFY2(found > 35, qPrintable(QString::number(found)));
}

QList<QWidget*> WindowKeysTest::regions() const {
    const auto dock = [&](const char* name) {
        return window().findChild<QDockWidget*>(QString::fromLatin1(name));
    };
    return {&window().promptPanel(), dock("headsDock"),        window().findChild<ui::PageBar*>(),
            &window().tokenStrip(),  &m_view->headPage(),      dock("stepsDock"),
            dock("nextDock"),        dock("contributionsDock")};
}

int WindowKeysTest::regionOf(const QWidget* widget) const {
    const QList<QWidget*> all = regions();
    for (int i = 0; i < all.size(); ++i)
        if (widget && (all[i] == widget || all[i]->isAncestorOf(widget))) return i;
    return -1;
}

void WindowKeysTest::regionsAreGoneRound_data() {
    QTest::addColumn<int>("step");
    QTest::newRow("F6") << 1;
    QTest::newRow("Shift+F6") << -1;
}

void WindowKeysTest::regionsAreGoneRound() {
    QFETCH(int, step);
    window().showHeadPage();
    const int count = static_cast<int>(regions().size());
    int at = 0;
    QVERIFY(pressUntil(Qt::Key_F6, [&] { return regionOf(QApplication::focusWidget()) == at; }));
    for (int i = 0; i < 2 * count; ++i) {
        press(Qt::Key_F6, step > 0 ? Qt::NoModifier : Qt::ShiftModifier);
        at = (at + step + count) % count;
        QVERIFY2(
            regionOf(QApplication::focusWidget()) == at,
            qPrintable(QStringLiteral("%1: ").arg(at) + described(QApplication::focusWidget())));
    }
}

// Each stop has a name for those who do not see it, and looks otherwise with the focus than
// without.
void WindowKeysTest::tabGoesThroughTheRegionsInTheirOrder() {
    window().showHeadPage();
    QVERIFY(pressUntil(Qt::Key_F6, [&] { return regionOf(QApplication::focusWidget()) == 0; }));
    const QWidget* first = QApplication::focusWidget();
    QSet<int> visited;
    QStringList faults, order;
    int last = 0, stops = 0;
    do {
        QWidget* focus = QApplication::focusWidget();
        QVERIFY(focus);
        const int region = regionOf(focus);
        if (region >= 0) {
            if (region < last) faults << QStringLiteral("too late: ") + described(focus);
            last = region;
            visited << region;
        }
        order << described(focus);
        QAccessibleInterface* known = QAccessible::queryAccessibleInterface(focus);
        if (!known || known->text(QAccessible::Name).isEmpty())
            faults << QStringLiteral("no name: ") + described(focus);
        const QRect around =
            QRect(focus->mapTo(&window(), QPoint()), focus->size()).adjusted(-3, -3, 3, 3);
        const QImage with = window().grab(around).toImage();
        window().centralWidget()->setFocus();
        if (window().grab(around).toImage() == with)
            faults << QStringLiteral("not seen: ") + described(focus);
        focus->setFocus(Qt::TabFocusReason);
        press(Qt::Key_Tab);
        ++stops;
    } while (stops < 90 && QApplication::focusWidget() != first);
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join(u'\n')));
    QVERIFY2(QApplication::focusWidget() == first, qPrintable(order.join(u'\n')));  // no trap
    QCOMPARE(visited.size(), regions().size());
    qInfo("%d stops", stops);
}

void WindowKeysTest::alternativeForksByKeys() {
    const app::RunView parent = session().run();
    QVERIFY(pressUntil(Qt::Key_F6, [&] { return regionOf(QApplication::focusWidget()) == 5; }));
    QCOMPARE(QApplication::focusWidget()->accessibleName(), QStringLiteral("Steps"));
    press(Qt::Key_End);
    QCOMPARE(session().selection().dest, Position(parent.rows - 1));
    const LayerHead head = session().selection().at;
    press(Qt::Key_Left);
    press(Qt::Key_Left);
    const std::int64_t row = parent.rows - 3;
    QCOMPARE(session().selection().dest, Position(row));
    press(Qt::Key_Down);
    press(Qt::Key_Down);
    QCOMPARE(session().selection().at, head);  // these arrows are the lane's
    const auto step = static_cast<std::size_t>(row - parent.promptTokens);
    std::vector<engine::Candidate> others;
    for (const engine::Candidate& candidate : parent.steps[step].alternatives)
        if (candidate.token != parent.steps[step].token.id) others.push_back(candidate);
    press(Qt::Key_Return);
    QVERIFY(eventually([&] { return session().run().id != parent.id; }, kPatience));
    QVERIFY(settle());
    QCOMPARE(session().run().steps[step].token.id, others[1].token);
    QCOMPARE(session().otherRuns().size(), std::size_t(1));
    QVERIFY(!window().isSolo());
    QCOMPARE(QApplication::focusWidget()->accessibleName(), QStringLiteral("Steps"));
}

void WindowKeysTest::runsAreGoneRound() {
    QCOMPARE(session().run().name, std::string("B"));
    for (const char* name : {"A", "B", "A"}) {
        press(Qt::Key_PageDown, Qt::ControlModifier);
        QCOMPARE(session().run().name, std::string(name));
    }
    press(Qt::Key_PageUp, Qt::ControlModifier);
    QCOMPARE(session().run().name, std::string("B"));
    QVERIFY(settle());
}

void WindowKeysTest::barFocusesItsHead() {
    session().selectHead({engine::Layer(4), engine::QueryHead(2)});
    QVERIFY(settle());
    QVERIFY(pressUntil(Qt::Key_F6, [&] { return regionOf(QApplication::focusWidget()) == 7; }));
    QVERIFY(pressUntil(Qt::Key_Tab,
                       [&] { return window().contributionBars().headsPlot()->hasFocus(); }));
    press(Qt::Key_Down);
    press(Qt::Key_Down);
    QCOMPARE(session().selection().at, (LayerHead{engine::Layer(4), engine::QueryHead(2)}));
    press(Qt::Key_Return);
    QCOMPARE(session().selection().at, (LayerHead{engine::Layer(4), engine::QueryHead(4)}));
    QVERIFY(!window().isSolo());
    QVERIFY(settle());
}

void WindowKeysTest::slashFiltersAndEscReturns() {
    window().showHeadPage();
    m_view->grid().setFocus();
    press(Qt::Key_Slash);
    QVERIFY(window().isFinderShown());
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(&m_view->finder().filter()));
    type(QStringLiteral("L3 sink > 0"));
    QVERIFY(m_view->finder().isFiltered());
    QCOMPARE(m_view->finder().ranked().size(), std::size_t(9));
    press(Qt::Key_Escape);
    QVERIFY(!window().isFinderShown() && !window().isCompareShown());
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(&m_view->grid()));
    QVERIFY(m_view->finder().isFiltered());
    // Again: what was typed is there to be typed over; Enter goes on to the table and to a head.
    press(Qt::Key_Slash);
    type(QStringLiteral("L7"));
    QCOMPARE(m_view->finder().filter().text(), QStringLiteral("L7"));
    press(Qt::Key_Return);
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(&m_view->finder().table()));
    const LayerHead top = m_view->finder().ranked().front();
    press(Qt::Key_Home);
    QVERIFY(eventually([&] { return session().selection().at == top; }));
    press(Qt::Key_Return);
    QVERIFY(!window().isFinderShown());
    QCOMPARE(session().selection().at, top);
    m_view->finder().filter().clear();
    QVERIFY(settle());
}

void WindowKeysTest::placeIsGoneTo() {
    window().showHeadPage();
    m_view->grid().setFocus();
    press(Qt::Key_G, Qt::ControlModifier);
    auto* line = window().findChild<ui::GoToLine*>(QStringLiteral("goToLine"));
    QVERIFY(line->isVisible() && line->edit().hasFocus());
    type(QStringLiteral("L99.H0"));
    QCOMPARE(line->answerText(), QStringLiteral("L99 is not there: L0 to L29 are."));
    press(Qt::Key_Return);
    QVERIFY(line->isVisible());
    press(Qt::Key_A, Qt::ControlModifier);
    type(QStringLiteral("L12.H7@t=3"));
    QCOMPARE(line->answerText(),
             QStringLiteral("head L12.H7, row %1").arg(window().tokenStrip().label(Position(3))));
    press(Qt::Key_Return);
    QVERIFY(!line->isVisible());
    QCOMPARE(session().selection().at, (LayerHead{engine::Layer(12), engine::QueryHead(7)}));
    QCOMPARE(session().selection().dest, Position(3));
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(&m_view->grid()));
    press(Qt::Key_G, Qt::ControlModifier);
    type(QStringLiteral("2"));
    press(Qt::Key_Return);
    QCOMPARE(session().selection().dest, Position(session().run().promptTokens + 2));
    press(Qt::Key_G, Qt::ControlModifier);
    press(Qt::Key_Escape);
    QVERIFY(!line->isVisible());
    QVERIFY(settle());
}

void WindowKeysTest::copiedPlaceIsTheSelection() {
    session().selectHead({engine::Layer(5), engine::QueryHead(1)});
    session().selectDest(Position(6));
    m_view->grid().setFocus();
    press(Qt::Key_C);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("L5.H1@t=6"));
}

QTEST_MAIN(WindowKeysTest)
#include "window_keys_test.moc"
