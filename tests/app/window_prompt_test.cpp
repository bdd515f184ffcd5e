// SPDX-License-Identifier: GPL-3.0-or-later
// Out of the prompt and back to the window's keys, by real keys in the real window; and that no key
// takes away a prompt that cannot be edited.
#include <QApplication>
#include <QClipboard>
#include <QPushButton>
#include <QTest>
#include <QWindow>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"
#include "tests/support/real_window.h"
#include "ui/grid/head_grid.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/scale_column.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_editor.h"
#include "ui/prompt/prompt_field.h"
#include "ui/prompt/prompt_line.h"
#include "ui/prompt/prompt_panel.h"

using fake::eventually;

class WindowPromptTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }
    void keysAfterThePromptAreTheWindows_data();
    void keysAfterThePromptAreTheWindows();
    void escLeavesOtherFieldsToo();
    void enterThatCannotRunStays();
    void aHeldKeySwitchesOnce();
    void editorIsNotInTheWay();
    void noKeyTakesALongPromptAway();
    void longPasteIsUndone();

  private:
    app::Session& session() const { return m_view->session(); }
    ui::MainWindow& window() const { return m_view->window(); }
    ui::PromptPanel& bar() const { return window().promptPanel(); }
    ui::PromptField* field() const { return bar().findChild<ui::PromptField*>(); }
    ui::PromptLine* line() const { return field()->line(); }
    // To the window, as the system sends it: on to what has the focus.
    void press(Qt::Key key, Qt::KeyboardModifiers held = {}) const {
        QTest::keyClick(window().windowHandle(), key, held);
    }
    void type(const char* text) const {
        for (const char* c = text; *c; ++c) QTest::keyClick(window().windowHandle(), *c);
    }
    void clickLine() const { QTest::mouseClick(line(), Qt::LeftButton, {}, {20, 10}); }
    bool hasRun(const QString& prompt) const {
        return eventually(
                   [&] {
                       return session().run().prompt == prompt.toStdString() &&
                              session().state() == ui::RunState::Idle;
                   },
                   real::patience) &&
               ::settle(*m_view, real::patience);
    }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
};

void WindowPromptTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home);
    QVERIFY(real::begin(*m_view));
    bar().setTokensToGenerate(1);
    window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window()));
}

void WindowPromptTest::keysAfterThePromptAreTheWindows_data() {
    QTest::addColumn<bool>("inEditor");
    QTest::addColumn<int>("key");
    QTest::addColumn<int>("held");
    QTest::addColumn<bool>("runs");
    QTest::addRow("Esc") << false << int(Qt::Key_Escape) << 0 << false;
    QTest::addRow("Return") << false << int(Qt::Key_Return) << 0 << true;
    QTest::addRow("Enter of the number block")
        << false << int(Qt::Key_Enter) << int(Qt::KeypadModifier) << true;
    QTest::addRow("Ctrl+Return") << false << int(Qt::Key_Return) << int(Qt::ControlModifier)
                                 << true;
    QTest::addRow("editor, Esc") << true << int(Qt::Key_Escape) << 0 << false;
    QTest::addRow("editor, Ctrl+Return")
        << true << int(Qt::Key_Return) << int(Qt::ControlModifier) << true;
}

void WindowPromptTest::keysAfterThePromptAreTheWindows() {
    QFETCH(bool, inEditor);
    QFETCH(int, key);
    QFETCH(int, held);
    QFETCH(bool, runs);
    bar().setPrompt(QStringLiteral("The cat sat on the"));
    Q_EMIT window().runRequested();
    QVERIFY(hasRun(QStringLiteral("The cat sat on the")));
    clickLine();
    QVERIFY(line()->hasFocus());
    press(Qt::Key_End);
    if (inEditor) press(Qt::Key_L, Qt::ControlModifier);
    QCOMPARE(field()->isEditorOpen(), inEditor);
    type(" mat");  // no key of the window's, while it is typed
    const QString typed = QStringLiteral("The cat sat on the mat");
    QCOMPARE(bar().prompt(), typed);
    press(static_cast<Qt::Key>(key), static_cast<Qt::KeyboardModifiers>(held));
    QVERIFY(!runs || hasRun(typed));
    QVERIFY(!field()->isEditorOpen());
    QVERIFY(!line()->hasFocus());
    const auto choice = [this] { return m_view->headPage().scaleColumn().choice(); };
    for (const Qt::Key each : {Qt::Key_S, Qt::Key_R, Qt::Key_B}) {
        const ui::ScaleChoice before = choice();
        press(each);
        QVERIFY2(!(choice() == before), QTest::toString(each));
    }
    const engine::LayerHead head = session().selection().at;
    press(head.layer > engine::Layer(0) ? Qt::Key_Up : Qt::Key_Down);
    QVERIFY(!(session().selection().at == head));
    QCOMPARE(bar().prompt(), typed);
    QVERIFY(!window().isSolo());
    if (!runs) QVERIFY(session().run().prompt != typed.toStdString());
}

void WindowPromptTest::escLeavesOtherFieldsToo() {
    for (QWidget* each : bar().findChildren<QWidget*>()) {
        if (each->accessibleName() != QStringLiteral("Tokens to generate")) continue;
        each->setFocus();
        press(Qt::Key_A, Qt::ControlModifier);
        type("12");
        press(Qt::Key_Escape);
        QVERIFY(!each->hasFocus());
    }
    QCOMPARE(bar().tokensToGenerate(), 12);
    bar().setTokensToGenerate(1);
}

// Where Enter does nothing the focus stays: what keeps it from running is to be changed there.
void WindowPromptTest::enterThatCannotRunStays() {
    bar().setPrompt({});
    clickLine();
    press(Qt::Key_Return);
    QVERIFY(line()->hasFocus());
    type("s");
    QCOMPARE(bar().prompt(), QStringLiteral("s"));
}

// Enter is held a moment too long, and the next ones are the window's: the map is not switched to
// and fro by them.
void WindowPromptTest::aHeldKeySwitchesOnce() {
    bar().setPrompt(QStringLiteral("The dog"));
    clickLine();
    const auto hold = [this](int key, const QString& text) {
        for (const bool again : {false, true, true, true})
            QTest::simulateEvent(window().windowHandle(), true, key, {}, text, again);
        QTest::simulateEvent(window().windowHandle(), false, key, {}, text, false);
    };
    hold(Qt::Key_Return, QStringLiteral("\r"));
    QVERIFY(hasRun(QStringLiteral("The dog")));
    QVERIFY(!window().isSolo());
    hold(Qt::Key_Return, QStringLiteral("\r"));
    QVERIFY(window().isSolo());
    hold(Qt::Key_Return, QStringLiteral("\r"));
    QVERIFY(!window().isSolo());
    // What moves goes on.
    session().selectHead({engine::Layer(9), engine::QueryHead(0)});
    hold(Qt::Key_Up, {});
    QCOMPARE(session().selection().at.layer, engine::Layer(5));
}

// Esc closes it from the map, too; what has the focus keeps it.
void WindowPromptTest::editorIsNotInTheWay() {
    bar().setPrompt(QStringLiteral("a"));
    press(Qt::Key_L, Qt::ControlModifier);
    type("b");
    m_view->grid().setFocus();
    press(Qt::Key_Escape);
    QVERIFY(!field()->isEditorOpen());
    QVERIFY(m_view->grid().hasFocus());
    // While it is open an older prompt goes into it, and typing goes on there.
    press(Qt::Key_L, Qt::ControlModifier);
    QTest::keyClick(window().windowHandle(), Qt::Key_Up, Qt::AltModifier);
    QVERIFY(line()->isReadOnly());
    QCOMPARE(field()->editor()->shownText(), bar().prompt());
    press(Qt::Key_Escape);
    QVERIFY(!line()->isReadOnly());
}

void WindowPromptTest::noKeyTakesALongPromptAway() {
    const QString text = QStringLiteral("1 MB of words ").repeated(75'000);
    QVERIFY(text.size() > 1'000'000);
    bar().setPrompt(text);
    QApplication::clipboard()->setText(QStringLiteral("clip"));
    clickLine();  // it opens the editor, which is empty
    QVERIFY(field()->isEditorOpen() && field()->editor()->hasFocus());
    QVERIFY(field()->editor()->placeholderText().contains(QStringLiteral("too long to edit")));
    type("sRx 1");
    for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Enter, Qt::Key_Space, Qt::Key_Backspace,
                              Qt::Key_Delete, Qt::Key_Tab})
        QTest::keyClick(field()->editor(), key);
    QTest::keyClick(field()->editor(), Qt::Key_Return, Qt::ShiftModifier);
    for (const Qt::Key key : {Qt::Key_A, Qt::Key_X, Qt::Key_V, Qt::Key_Z, Qt::Key_K})
        QTest::keyClick(field()->editor(), key, Qt::ControlModifier);
    QVERIFY(bar().prompt() == text);
    press(Qt::Key_Escape);
    QVERIFY(!field()->isEditorOpen());
    QVERIFY(bar().prompt() == text);
    // One click, which says what it does, puts it away.
    clickLine();
    auto* clear = field()->editor()->parentWidget()->findChild<QPushButton*>();
    QVERIFY(clear && clear->isVisible());
    QCOMPARE(clear->text(), QStringLiteral("Clear the prompt"));
    QTest::mouseClick(clear, Qt::LeftButton);
    QCOMPARE(bar().prompt(), QString());
    QVERIFY(!clear->isVisible() && field()->editor()->hasFocus());
    type("new");
    QCOMPARE(bar().prompt(), QStringLiteral("new"));
    press(Qt::Key_Escape);
    QCOMPARE(line()->text(), QStringLiteral("new"));
}

// A paste that makes the prompt too long to edit takes nothing with it.
void WindowPromptTest::longPasteIsUndone() {
    const QString clip(150'000, u'w');
    for (const bool byKey : {true, false}) {
        bar().setPrompt(QStringLiteral("before"));
        press(Qt::Key_L, Qt::ControlModifier);
        QApplication::clipboard()->setText(clip);
        press(Qt::Key_V, Qt::ControlModifier);
        QVERIFY(bar().prompt() == QStringLiteral("before") + clip);
        auto* undo = field()->editor()->parentWidget()->findChild<QPushButton*>();
        QCOMPARE(undo->text(), QStringLiteral("Undo the paste"));
        if (byKey)
            press(Qt::Key_Z, Qt::ControlModifier);
        else
            QTest::mouseClick(undo, Qt::LeftButton);
        QCOMPARE(bar().prompt(), QStringLiteral("before"));
        QCOMPARE(field()->editor()->shownText(), QStringLiteral("before"));
        press(Qt::Key_Escape);
    }
}

QTEST_MAIN(WindowPromptTest)
#include "window_prompt_test.moc"
