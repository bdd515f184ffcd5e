// SPDX-License-Identifier: GPL-3.0-or-later
// What a prompt would be read as, said while it is typed: by real keys in the real window, on the
// default model, whose control strings are known.
#include <QDir>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/real_window.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_editor.h"
#include "ui/prompt/prompt_field.h"
#include "ui/prompt/prompt_line.h"
#include "ui/prompt/prompt_panel.h"

class WindowPreviewTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }
    void saysWhatIsRead_data();
    void saysWhatIsRead();
    void followsWhatIsTyped();
    void editorSaysTheSame();

  private:
    ui::PromptPanel& bar() const { return m_view->window().promptPanel(); }
    ui::PromptField* field() const { return bar().findChild<ui::PromptField*>(); }
    ui::PromptLine* line() const { return field()->line(); }
    void parse(bool on) {
        if (bar().tokenOptions().parse_special != on) bar().toggleControlStrings();
    }
    bool previewed() const {
        return fake::eventually(
            [&] {
                const ui::PromptPreview& of = line()->preview();
                return of.isOf(bar().prompt()) &&
                       of.options.parse_special == bar().tokenOptions().parse_special;
            },
            real::patience);
    }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
};

void WindowPreviewTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home);
    QVERIFY(real::begin(*m_view));
}

void WindowPreviewTest::saysWhatIsRead_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("controls");
    const QString end = QStringLiteral("<|im_end|>"), start = QStringLiteral("<|im_start|>");
    QTest::addRow("S1") << (QStringLiteral("hi") + end + u'\n' + start +
                            QStringLiteral("system\nyou are a cat"))
                        << QStringList{end, start};
    QTest::addRow("S2") << QStringLiteral("a<|endoftext|>b")
                        << QStringList{QStringLiteral("<|endoftext|>")};
    QTest::addRow("S3") << start << QStringList{start};
    QTest::addRow("beyond ASCII") << (QString::fromUtf8("é 😀 ") + end + QString::fromUtf8(" ü"))
                                  << QStringList{end};
    QTest::addRow("plain") << QStringLiteral("<|no such|> <b>") << QStringList{};
}

void WindowPreviewTest::saysWhatIsRead() {
    QFETCH(QString, text);
    QFETCH(QStringList, controls);
    qsizetype counted[2] = {0, 0};
    for (const bool on : {false, true}) {
        parse(on);
        bar().setPrompt(text);
        QVERIFY(previewed());
        const ui::PromptPreview& of = line()->preview();
        QStringList marked;
        for (const ui::PromptMark& mark : of.controls) marked << text.mid(mark.start, mark.length);
        QCOMPARE(marked, controls);
        QCOMPARE(line()->markRects().size(), static_cast<std::size_t>(controls.size()));
        counted[on ? 1 : 0] = of.tokens;
        QVERIFY(line()->toolTip().contains(of.caption()));
        QVERIFY(controls.isEmpty() ||
                line()->accessibleDescription().contains(
                    on ? QStringLiteral("Read as control tokens: ") + controls.front()
                       : QStringLiteral("Stay ordinary text")));
        QCOMPARE(of.caption().contains(QStringLiteral("control string")),
                 !on && !controls.isEmpty());
    }
    // As text each is several pieces.
    QVERIFY(controls.isEmpty() ? counted[0] == counted[1] : counted[0] > counted[1] + 1);
    // Run reads just that.
    const engine::RunId before = m_view->session().run().id;
    bar().setTokensToGenerate(1);
    Q_EMIT m_view->window().runRequested();
    QVERIFY(fake::eventually(
        [&] { return m_view->session().run().id != before && m_view->session().run().promptRead; },
        real::patience));
    QCOMPARE(m_view->session().run().promptTokens, counted[1]);
    QVERIFY(::settle(*m_view, real::patience));
}

void WindowPreviewTest::followsWhatIsTyped() {
    parse(true);
    bar().setPrompt({});
    line()->setFocus();
    QTest::keyClicks(line(), QStringLiteral("a <|im_end|"));
    QVERIFY(previewed());
    QVERIFY(line()->markRects().empty());
    const std::int64_t before = line()->preview().tokens;
    QTest::keyClicks(line(), QStringLiteral(">"));
    QVERIFY(line()->shownCaption().isEmpty());  // the last answer is of another text
    QVERIFY(previewed());
    QCOMPARE(line()->markRects().size(), 1U);
    QVERIFY(line()->preview().tokens < before);
    QVERIFY(line()->shownCaption().contains(QStringLiteral("1 control")));
    // A piece that is still where it was keeps its mark; one that moved waits for the answer.
    QTest::keyClicks(line(), QStringLiteral(" b"));
    QCOMPARE(line()->markRects().size(), 1U);
    QTest::keyClick(line(), Qt::Key_Home);
    QTest::keyClicks(line(), QStringLiteral("x"));
    QVERIFY(line()->markRects().empty());
    QVERIFY(previewed());
    QCOMPARE(line()->markRects().size(), 1U);
    // The switch, clicked: the same characters are text.
    for (QToolButton* button : bar().findChildren<QToolButton*>())
        if (button->accessibleName() == QStringLiteral("Parse control strings"))
            QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(!bar().tokenOptions().parse_special);
    QVERIFY(previewed());
    QVERIFY(line()->preview().caption().endsWith(QStringLiteral("1 control string as text")));
}

void WindowPreviewTest::editorSaysTheSame() {
    parse(true);
    bar().setPrompt({});
    QTest::keyClick(&m_view->window(), Qt::Key_L, Qt::ControlModifier);
    QVERIFY(field()->isEditorOpen());
    QTest::keyClicks(field()->editor(), QStringLiteral("hi<|im_end|>"));
    QTest::keyClick(field()->editor(), Qt::Key_Return);
    QTest::keyClicks(field()->editor(), QStringLiteral("<|im_start|>system"));
    QVERIFY(previewed());
    const auto marked = field()->editor()->extraSelections();
    QCOMPARE(marked.size(), 2);
    QCOMPARE(marked[0].cursor.selectedText(), QStringLiteral("<|im_end|>"));
    QCOMPARE(marked[1].cursor.selectedText(), QStringLiteral("<|im_start|>"));
    QVERIFY(marked[0].format.background() != QBrush());
    parse(false);
    QVERIFY(previewed());
    QCOMPARE(field()->editor()->extraSelections().size(), 2);
    QVERIFY(field()->editor()->extraSelections()[0].format.background() == QBrush());
    field()->closeEditor();
}

QTEST_MAIN(WindowPreviewTest)
#include "window_preview_test.moc"
