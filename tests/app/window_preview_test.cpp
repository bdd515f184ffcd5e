// SPDX-License-Identifier: GPL-3.0-or-later
// What a prompt would be read as, said while it is typed: by real keys in the real window, on the
// default model, whose control strings are known.
#include <QDir>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <cmath>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/real_window.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_editor.h"
#include "ui/prompt/prompt_field.h"
#include "ui/prompt/prompt_line.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/window/message_bar.h"

class WindowPreviewTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }
    void saysWhatIsRead_data();
    void saysWhatIsRead();
    void followsWhatIsTyped();
    void editorSaysTheSame();
    void saysWhatItNeeds_data();
    void saysWhatItNeeds();
    void captionLeavesRoom_data();
    void captionLeavesRoom();

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
    bool m_isSmall = false;  // it has 64 MB for the trace
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

// Of a window whose trace may take so many MB: beside the count what a prompt needs of them, its
// tokens to generate included, or that it does not fit, with the numbers and what to do.
void WindowPreviewTest::saysWhatItNeeds_data() {
    QTest::addColumn<int>("words");  // a token each
    QTest::addColumn<int>("generate");
    QTest::addColumn<QString>("problem");
    QTest::addColumn<QString>("remedy");
    const QString none;
    const QString longer = QStringLiteral("tokens, those to generate included, need");
    QTest::addRow("small") << 5 << 1 << none << none;
    QTest::addRow("a page more") << 6 << 64 << none << none;
    QTest::addRow("much") << 200 << 1 << none << none;
    QTest::addRow("fits but for what follows")
        << 200 << 400 << longer << QStringLiteral("Generate fewer tokens");
    QTest::addRow("too long") << 600 << 1 << longer << QStringLiteral("Shorten the prompt, or");
    QTest::addRow("past the context") << 9000 << 1 << QStringLiteral("the model's context holds")
                                      << QStringLiteral("Shorten the prompt.");
}

void WindowPreviewTest::saysWhatItNeeds() {
    QFETCH(int, words);
    QFETCH(int, generate);
    QFETCH(QString, problem);
    QFETCH(QString, remedy);
    if (!m_isSmall) {
        m_view.reset();  // one at a time
        m_home.settings.setValue(QStringLiteral("engine/memoryMb"), 64);
        m_view = real::window(m_home, "a");
        QVERIFY(real::begin(*m_view));
        m_isSmall = true;
    }
    const engine::ModelInfo& model = *m_view->session().model();
    QVERIFY(model.pages * model.page_tokens * model.bytes_per_token <= 64'000'000);
    bar().setTokensToGenerate(generate);
    bar().setPrompt(QStringLiteral("word ").repeated(words).trimmed());
    QVERIFY(fake::eventually([&] { return previewed() && line()->preview().tokens == words; },
                             real::patience));
    QTest::qWait(200);  // the count of tokens to generate is a change of its own
    const ui::PromptPreview& of = line()->preview();
    QVERIFY2(problem.isEmpty() ? of.problem.isEmpty() : of.problem.contains(problem),
             qPrintable(of.problem));
    QVERIFY2(of.remedy.startsWith(remedy), qPrintable(of.remedy));
    if (words <= model.context) {
        // The numbers are those that the engine refuses by.
        const double page = static_cast<double>(model.page_tokens * model.bytes_per_token) / 1e6;
        const auto need = std::ceil((words + generate) / double(model.page_tokens)) * page;
        const QStringList said = of.need.split(QStringLiteral(" of "));
        QCOMPARE(said.size(), 2);
        QVERIFY(said[0].endsWith(QStringLiteral(" MB")) && said[1].endsWith(QStringLiteral(" MB")));
        QVERIFY2(std::abs(said[0].chopped(3).toDouble() - need) < 0.006 * need + 0.1,
                 qPrintable(of.need));
        QVERIFY(std::abs(said[1].chopped(3).toDouble() - double(model.pages) * page) < 0.1);
    }
    for (const QString& text : {line()->toolTip(), line()->accessibleDescription()})
        QVERIFY2(text.contains(problem.isEmpty() ? of.need : of.remedy), qPrintable(text));
    QVERIFY(problem.isEmpty() || of.captions().contains(line()->shownCaption()));
    auto* run = bar().findChild<QToolButton*>(QStringLiteral("Run"));
    QCOMPARE(run->toolTip().contains(QStringLiteral("Would be refused")), !problem.isEmpty());
    // It was no guess.
    const engine::RunId before = m_view->session().run().id;
    m_view->window().messageBar().dismiss();
    Q_EMIT m_view->window().runRequested();
    QVERIFY(::settle(*m_view, real::patience));
    QCOMPARE(m_view->window().messageBar().isVisible(), !problem.isEmpty());
    QCOMPARE(m_view->session().run().id == before, !problem.isEmpty());
}

void WindowPreviewTest::captionLeavesRoom_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<int>("characters");  // of the prompt, that are read at least
    QTest::addRow("640x480") << QSize(640, 480) << 20;
    QTest::addRow("1280x800") << QSize(1280, 800) << 30;
    QTest::addRow("1440x900") << QSize(1440, 900) << 30;
    QTest::addRow("2560x1440") << QSize(2560, 1440) << 60;
}

void WindowPreviewTest::captionLeavesRoom() {
    QFETCH(QSize, size);
    QFETCH(int, characters);
    m_view->window().resize(size);
    bar().setPrompt(
        QStringLiteral("The keeper of the north lighthouse was called Arto, and he "
                       "had not seen the town since the winter of the storm."));
    QVERIFY(previewed());
    QCOMPARE(m_view->window().size(), size);
    QVERIFY(bar().isEditedSinceRun());  // which is said, too
    QVERIFY2(line()->shownCaption().startsWith(QStringLiteral("25 tokens")),
             qPrintable(line()->shownCaption()));
    const QString read = line()->text().left(characters);
    const int room = line()->width() - line()->textMargins().right() - 10;
    QVERIFY2(line()->fontMetrics().horizontalAdvance(read) <= room,
             qPrintable(QString::number(room)));
    // A short one has room for all that is said.
    bar().setPrompt(QStringLiteral("Hello"));
    QVERIFY(previewed());
    if (size.width() != 640)
        QVERIFY2(line()->shownCaption().contains(QStringLiteral("needs")),
                 qPrintable(line()->shownCaption()));
}

QTEST_MAIN(WindowPreviewTest)
#include "window_preview_test.moc"
