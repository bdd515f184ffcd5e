// SPDX-License-Identifier: GPL-3.0-or-later
// The prompt's field, line and editor, and the bar they stand in, with real clicks and keys.
#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QElapsedTimer>
#include <QHelpEvent>
#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <QWheelEvent>

#include "tests/support/qt_warnings.h"
#include "tests/ui/frame_values.h"
#include "ui/painting/theme.h"
#include "ui/prompt/model_picker.h"
#include "ui/prompt/prompt_editor.h"
#include "ui/prompt/prompt_field.h"
#include "ui/prompt/prompt_line.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/strip/hidden_characters.h"
#include "ui/widgets/elided_label.h"

using frame::show;

class FramePrompt : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() {
        ui::loadFonts();
        ui::setTheme(ui::Scheme::Light);
    }

    // Another model ends the run: keys and wheel open the list of models at most.
    void closedPickerKeepsItsModel_data() {
        QTest::addColumn<int>("key");  // 0: the wheel
        QTest::addColumn<bool>("opens");
        for (const Qt::Key key : {Qt::Key_Up, Qt::Key_Down, Qt::Key_Space})
            QTest::addRow("key %d", int(key)) << int(key) << true;
        for (const Qt::Key key : {Qt::Key_Home, Qt::Key_End, Qt::Key_PageDown, Qt::Key_C})
            QTest::addRow("key %d", int(key)) << int(key) << false;
        QTest::addRow("wheel") << 0 << false;
    }
    void closedPickerKeepsItsModel() {
        QFETCH(int, key);
        QFETCH(bool, opens);
        ui::ModelPicker picker;
        picker.addItems({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")});
        picker.setCurrentIndex(1);
        show(picker, {200, 30});
        if (key) {
            QTest::keyClick(&picker, static_cast<Qt::Key>(key));
        } else {
            QWheelEvent wheel({9, 9}, picker.mapToGlobal(QPointF(9, 9)), {}, {0, -120},
                              Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
            QApplication::sendEvent(&picker, &wheel);
        }
        QCOMPARE(picker.currentIndex(), 1);
        QCOMPARE(picker.view()->isVisible(), opens);
    }

    void promptKeepsEveryCharacter() {
        ui::PromptPanel panel;
        show(panel, {1300, 40});
        const QString text = QStringLiteral("a\nb\r\n\u00a0⏎<b>&&\t\u2028end");
        panel.setPrompt(text);
        QCOMPARE(panel.prompt(), text);
        auto* field = panel.findChild<ui::PromptField*>();
        field->line()->setFocus();
        field->line()->end(false);
        QTest::keyClicks(field->line(), QStringLiteral("!"));
        QCOMPARE(panel.prompt(), text + u'!');
        QTest::keyClick(field->line(), Qt::Key_Backspace);
        panel.editPrompt();
        QVERIFY(field->isEditorOpen());
        field->editor()->moveCursor(QTextCursor::End);
        QTest::keyClicks(field->editor(), QStringLiteral("?"));
        QTest::keyClick(field->editor(), Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(panel.prompt(), text + QStringLiteral("?\n"));
        QTest::keyClick(field->editor(), Qt::Key_Escape);
        QVERIFY(!field->isEditorOpen());
        QCOMPARE(panel.prompt(), text + QStringLiteral("?\n"));
        QCOMPARE(field->line()->text().count(u'⏎'),
                 5);  // two of them lines, one the text's own, U+2028, the last
    }

    // What prints nothing or turns the text is shown, and stays what it is.
    void promptShowsWhatPrintsNothing_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("editor");
        QTest::addColumn<QString>("note");
        const auto row = [](const char* name, const QString& text, const char* line,
                            const char* editor, const char* note) {
            QTest::newRow(name) << text << QString::fromUtf8(line) << QString::fromUtf8(editor)
                                << QString::fromUtf8(note);
        };
        row("plain", QStringLiteral("é שלום 👩‍👧"), "é שלום 👩‍👧",
            "é שלום 👩‍👧", "");
        row("escape", QStringLiteral("a\u001B[31mb\u001B"), "a␛[31mb␛", "a␛[31mb␛",
            "Shown as marks: 2 × U+001B.");
        row("override", QStringLiteral("a\u202Etxt\u202C.exe"), "a⇠txt⇡.exe", "a⇠txt⇡.exe",
            "Shown as marks: U+202C, U+202E.");
        row("isolates and marks", QStringLiteral("\u2066\u2067\u2068\u2069\u200E\u200F"), "⇢⇠⇡⇡⇢⇠",
            "⇢⇠⇡⇡⇢⇠", "");
        row("no width", QStringLiteral("\uFEFFa\u200Bb"), "␢a␢b", "␢a␢b",
            "Shown as marks: U+200B, U+FEFF.");
        row("controls", QStringLiteral("\u0007\u007F\u0085"), "␇␡␦", "␇␡␦",
            "Shown as marks: U+0007, U+007F, U+0085.");
        row("NUL", QStringLiteral("a") + QChar(0) + u'b', "a␀b", "a␀b", "Shown as marks: U+0000.");
        row("lines", QStringLiteral("a\n\tb"), "a⏎⇥b", "a\n\tb", "");
        row("not UTF-8", QString::fromUtf8("a\xFF") + u'b', "a�b", "a�b", "not valid UTF-8");
    }
    void promptShowsWhatPrintsNothing() {
        QFETCH(QString, text);
        QFETCH(QString, line);
        QFETCH(QString, editor);
        QFETCH(QString, note);
        ui::PromptPanel panel;
        show(panel, {1300, 400});
        panel.setPrompt(text);
        auto* field = panel.findChild<ui::PromptField*>();
        QCOMPARE(field->line()->text(), line);
        QVERIFY2(field->line()->accessibleDescription().contains(note),
                 qPrintable(field->line()->accessibleDescription()));
        panel.editPrompt();
        QCOMPARE(field->editor()->shownText(), editor);
        field->editor()->moveCursor(QTextCursor::End);
        QTest::keyClicks(field->editor(), QStringLiteral("!"));
        QCOMPARE(panel.prompt(), text + u'!');
        // Pasted it is the same, and the cursor stays behind it.
        panel.setPrompt(QStringLiteral("<>"));
        field->editor()->moveCursor(QTextCursor::Start);
        QTest::keyClick(field->editor(), Qt::Key_Right);
        QApplication::clipboard()->setText(text);
        QTest::keySequence(field->editor(), QKeySequence::Paste);
        QTest::keyClicks(field->editor(), QStringLiteral("?"));
        QCOMPARE(panel.prompt(), u'<' + text + QStringLiteral("?>"));
        QCOMPARE(field->editor()->shownText(), u'<' + editor + QStringLiteral("?>"));
    }

    void charactersAreCountedAsTheyAreRead_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("count");
        QTest::newRow("none") << QString() << qint64(0);
        QTest::newRow("letters") << QStringLiteral("abc") << qint64(3);
        QTest::newRow("an accent of its own") << QStringLiteral("e\u0301t") << qint64(2);
        QTest::newRow("beyond 16 bits") << QStringLiteral("\U0001F600\U00020000") << qint64(2);
        QTest::newRow("a family") << QStringLiteral("\U0001F469\u200D\U0001F467!") << qint64(2);
        QTest::newRow("a flag") << QStringLiteral("\U0001F1E9\U0001F1EA") << qint64(1);
        QTest::newRow("long: code points")
            << QString(1'000'000, u'a') + QStringLiteral("e\u0301\U0001F600") << qint64(1'000'003);
    }
    void charactersAreCountedAsTheyAreRead() {
        QFETCH(QString, text);
        QFETCH(qint64, count);
        QCOMPARE(ui::charactersOf(text), count);
        if (text.size() > 100) return;
        ui::PromptPanel panel;
        show(panel, {1300, 400});
        panel.setPrompt(text);
        panel.editPrompt();
        const QString says =
            QString::number(count) +
            (count == 1 ? QStringLiteral(" character ·") : QStringLiteral(" characters ·"));
        const auto labels = panel.window()->findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
            return label->text().startsWith(says) &&
                   label->toolTip().contains(QStringLiteral("accents"));
        }));
    }

    // A field that cannot be typed in looks and acts as the way to the one that can.
    void aLongPromptIsEditedElsewhere() {
        ui::PromptPanel panel;
        show(panel, {1300, 400});
        panel.setPrompt(QString(ui::PromptLine::longest + 1, u'w'));
        auto* field = panel.findChild<ui::PromptField*>();
        auto* edit = field->findChild<QToolButton*>();
        QVERIFY(field->line()->isReadOnly() && edit->isVisible());
        QVERIFY(field->line()->palette().color(QPalette::Base) == ui::theme().window);
        QCOMPARE(field->line()->cursor().shape(), Qt::PointingHandCursor);
        QVERIFY(field->line()->toolTip().contains(QStringLiteral("4,001 characters")));
        QTest::mouseClick(edit, Qt::LeftButton);
        QVERIFY(field->isEditorOpen() && !edit->isVisible());
        QTest::keyClick(field->editor(), Qt::Key_Escape);
        QVERIFY(!field->isEditorOpen() && edit->isVisible());
        QTest::mouseClick(field->line(), Qt::LeftButton);
        QVERIFY(field->isEditorOpen());
        field->closeEditor();
        panel.setPrompt(QStringLiteral("short"));
        QVERIFY(!field->line()->isReadOnly() && !edit->isVisible());
        QVERIFY(field->line()->palette().color(QPalette::Base) == ui::theme().base);
        QCOMPARE(field->line()->cursor().shape(), Qt::IBeamCursor);
        QTest::mouseClick(field->line(), Qt::LeftButton);
        QVERIFY(!field->isEditorOpen());
    }

    // At an end where the text goes on it fades into the ground, and nowhere else.
    void textThatGoesOnFades_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("cursor");
        QTest::addColumn<bool>("left");
        QTest::addColumn<bool>("right");
        const QString wide(200, u'W');
        QTest::newRow("short") << QStringLiteral("WWW") << 0 << false << false;
        QTest::newRow("its beginning") << wide << 0 << false << true;
        QTest::newRow("its middle") << wide << 100 << true << true;
        QTest::newRow("its end") << wide << 200 << true << false;
        QTest::newRow("right to left") << QString(200, u'ש') << 0 << true << false;
    }
    void textThatGoesOnFades() {
        QFETCH(QString, text);
        QFETCH(int, cursor);
        QFETCH(bool, left);
        QFETCH(bool, right);
        ui::PromptLine line;
        show(line, {300, 24});
        line.setPlain(text);
        line.setCursorPosition(cursor);
        line.clearFocus();  // no cursor is drawn
        const QImage image = line.grab().toImage();
        // How far the darkest pixel of some columns is from the ground.
        const auto ink = [&image](int from, int to) {
            int most = 0;
            for (int x = from; x < to; ++x)
                for (int y = 5; y < image.height() - 5; ++y)
                    most = std::max(most, 255 - qGray(image.pixel(x, y)));
            return most;
        };
        QVERIFY(text.size() < 9 || ink(100, 200) > 100);
        if (left) QVERIFY2(ink(3, 8) < 100, qPrintable(QString::number(ink(3, 8))));
        if (right) QVERIFY2(ink(290, 297) < 100, qPrintable(QString::number(ink(290, 297))));
        if (text.size() > 9 && !left) QVERIFY(ink(3, 16) > 150);
        if (text.size() > 9 && !right) QVERIFY(ink(284, 297) > 150);
        if (text.size() < 9) QVERIFY(ink(3, 30) > 150);
    }

    void saysThatThePromptWasEdited_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("special");
        QTest::addColumn<bool>("edited");
        QTest::newRow("the run's") << "a b" << false << false;
        QTest::newRow("another text") << "a b " << false << true;
        QTest::newRow("no text") << "" << false << true;
        QTest::newRow("other tokens") << "a b" << true << true;
    }
    void saysThatThePromptWasEdited() {
        QFETCH(QString, text);
        QFETCH(bool, special);
        QFETCH(bool, edited);
        ui::PromptPanel panel;
        show(panel, {1300, 40});
        const auto* note = panel.findChild<QLabel*>(QStringLiteral("editedSinceRun"));
        panel.setPrompt(text);
        if (special) panel.toggleControlStrings();
        QVERIFY(!note->isVisible());  // there is no run yet
        panel.setRunPrompt("a b");
        QCOMPARE(note->isVisible(), edited);
        QCOMPARE(note->toolTip().isEmpty(), !edited);
        panel.setPrompt(QStringLiteral("a b"));  // typed back
        if (special) panel.toggleControlStrings();
        QVERIFY(!note->isVisible());
        auto* field = panel.findChild<ui::PromptField*>();
        QTest::keyClicks(field->line(), QStringLiteral("c"));
        QVERIFY(note->isVisible());
        panel.setRunPrompt({});
        QVERIFY(!note->isVisible());
    }

    void barFits_data() {
        QTest::addColumn<int>("width");
        for (const int width : {560, 640, 799, 800, 960, 1040, 1300, 1920})
            QTest::addRow("%d", width) << width;
    }
    void barFits() {
        QFETCH(int, width);
        ui::PromptPanel panel;
        panel.setModels({frame::model(QStringLiteral("/a/very/long/name/of/a/model").toStdString(),
                                      1'000'000'000)});
        panel.setDeviceText(QStringLiteral("CPU · fp32 · 2 threads"),
                            QStringLiteral("weights 98 MB · trace 12 MB"), {});
        panel.setPrompt(QString(5000, u'w'));
        panel.setRunPrompt("another");
        panel.resize(width, 40);
        panel.resize(width, std::max(40, panel.sizeHint().height()));
        show(panel, panel.size());
        QList<QWidget*> shown;
        for (QWidget* child : panel.findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
            if (child->isVisible() && !child->isWindow()) shown << child;
        QVERIFY(shown.size() > 8);
        for (QWidget* one : shown) {
            QVERIFY2(panel.rect().contains(one->geometry()), qPrintable(one->accessibleName()));
            for (QWidget* other : shown)
                QVERIFY2(one == other || !one->geometry().intersects(other->geometry()),
                         qPrintable(one->accessibleName() + u'/' + other->accessibleName()));
        }
        QVERIFY(panel.findChild<ui::PromptField*>()->width() >= 160);
    }

    void statusTextsAreElided() {
        const QString text = QStringLiteral("Generating, token 453 of 6,000 & <b>");
        ui::ElidedLabel label(ui::wordFont(11));
        label.setText(text);
        show(label, {400, 20});
        const auto toolTip = [&] {
            QHelpEvent help(QEvent::ToolTip, {5, 5}, label.mapToGlobal(QPoint(5, 5)));
            QApplication::sendEvent(&label, &help);
            return QToolTip::text();
        };
        QVERIFY(!label.isElided());
        QCOMPARE(toolTip(), QString());
        label.resize(label.minimumSizeHint());
        QVERIFY(label.isElided() && label.shownText().endsWith(u'…'));
        QVERIFY2(toolTip().contains(text.toHtmlEscaped()), qPrintable(toolTip()));
        QToolTip::hideText();
    }

    void editorMakesRoomForTheRun() {
        ui::PromptPanel panel;
        show(panel, {1300, 40});
        panel.setRunState(ui::RunState::Idle);
        panel.setPrompt(QStringLiteral("A"));
        panel.editPrompt();
        auto* field = panel.findChild<ui::PromptField*>();
        QVERIFY(field->isEditorOpen());
        panel.setRunState(ui::RunState::Prefilling);
        QVERIFY(!field->isEditorOpen());
        QCOMPARE(panel.prompt(), QStringLiteral("A"));
        panel.editPrompt();  // the next one, while this one runs
        panel.setRunState(ui::RunState::Decoding);
        QVERIFY(field->isEditorOpen());
    }

    // What a paste replaced is an undo away, and what was pasted stays what it was.
    void pasteIsUndone() {
        ui::PromptPanel panel;
        show(panel, {1300, 40});
        auto* line = panel.findChild<ui::PromptField*>()->line();
        line->setFocus();
        QTest::keyClicks(line, QStringLiteral("abc"));
        QTest::keySequence(line, QKeySequence::SelectAll);
        QApplication::clipboard()->setText(QStringLiteral("x\n⏎\ty"));
        QTest::keySequence(line, QKeySequence::Paste);
        QCOMPARE(panel.prompt(), QStringLiteral("x\n⏎\ty"));
        QCOMPARE(line->text(), QStringLiteral("x⏎⏎⇥y"));
        QTest::keyClicks(line, QStringLiteral("z"));
        QCOMPARE(panel.prompt(), QStringLiteral("x\n⏎\tyz"));
        for (int i = 0; i < 3 && panel.prompt() != QStringLiteral("abc"); ++i)
            QTest::keySequence(line, QKeySequence::Undo);
        QCOMPARE(panel.prompt(), QStringLiteral("abc"));
    }

    void longPasteIsNotCut() {
        ui::PromptPanel panel;
        show(panel, {1300, 40});
        const QString text(100'000, u'^');
        QApplication::clipboard()->setText(text);
        auto* field = panel.findChild<ui::PromptField*>();
        field->line()->setFocus();
        QElapsedTimer timer;
        timer.start();
        QTest::keySequence(field->line(), QKeySequence::Paste);
        QCOMPARE(panel.prompt(), text);
        QVERIFY2(timer.elapsed() < 500, qPrintable(QString::number(timer.elapsed())));
    }

    // A million of one character: set, opened, pasted and typed over without stopping the window.
    void longLinesDoNotStopTheEditor() {
        ui::PromptPanel panel;
        show(panel, {1300, 400});
        const QString text(1'000'000, u'^');
        auto* field = panel.findChild<ui::PromptField*>();
        QElapsedTimer timer;
        timer.start();
        panel.setPrompt(text);
        panel.editPrompt();
        QApplication::processEvents();
        field->closeEditor();
        QCOMPARE(panel.prompt(), text);  // looking at it changes nothing
        panel.editPrompt();
        QTest::keyClicks(field->editor(), QStringLiteral("ab"));
        QVERIFY(panel.prompt() == text);  // nor does a key there
        field->editor()->parentWidget()->findChild<QPushButton*>()->click();
        QTest::keyClicks(field->editor(), QStringLiteral("ab"));
        QCOMPARE(panel.prompt(), QStringLiteral("ab"));
        QApplication::clipboard()->setText(text);
        QTest::keyClick(field->editor(), Qt::Key_Left);
        QTest::keySequence(field->editor(), QKeySequence::Paste);
        QCOMPARE(panel.prompt(), u'a' + text + u'b');
        field->closeEditor();
        QCOMPARE(panel.prompt(), u'a' + text + u'b');
        QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
        panel.setPrompt(QStringLiteral("x"));
        panel.editPrompt();
        QApplication::clipboard()->setText(QStringLiteral("1\r\n2"));
        QTest::keySequence(field->editor(), QKeySequence::Paste);
        QCOMPARE(panel.prompt(), QStringLiteral("x1\r\n2"));
    }
};

QTEST_MAIN(FramePrompt)
#include "frame_prompt.moc"
