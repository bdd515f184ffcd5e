// SPDX-License-Identifier: GPL-3.0-or-later
// The target and the distractor named by hand, in the real window on the default model: by keys,
// with what is attributed then held against the logits of the two tokens.
#include <QAbstractItemView>
#include <QCompleter>
#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <cmath>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/real_window.h"
#include "ui/contributions/contribution_bars.h"
#include "ui/contributions/logits_panel.h"
#include "ui/contributions/token_picker.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/painting/theme.h"

class WindowTargetTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }
    void namedByHand_data();
    void namedByHand();
    void refused_data();
    void refused();
    void beginningsAreOffered();
    void whatIsNotEnteredChangesNothing();
    void attributesTheDifference();

  private:
    ui::LogitsPanel& panel() const { return m_view->window().logitsPanel(); }
    ui::TokenPicker* picker(const char* name) const {
        for (ui::TokenPicker* box : panel().findChildren<ui::TokenPicker*>())
            if (box->accessibleName() == QLatin1String(name)) return box;
        return nullptr;
    }
    QLabel* refusal() const { return panel().findChild<QLabel*>(QStringLiteral("tokenRefusal")); }
    static void type(ui::TokenPicker* box, const QString& text, bool enter = true) {
        box->setFocus();
        box->lineEdit()->selectAll();
        QTest::keyClick(box, Qt::Key_Delete);
        for (const QChar c : text)  // keyClicks() knows Latin-1 only
            QTest::sendKeyEvent(QTest::Click, box, Qt::Key_unknown, QString(c), Qt::NoModifier);
        if (enter) QTest::keyClick(box, Qt::Key_Return);
    }
    static bool waitFor(const std::function<bool()>& done) {
        return fake::eventually(done, real::patience);
    }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
};

void WindowTargetTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home);
    QVERIFY(real::begin(*m_view));
}

// The tokens' ids are those of the model's own tokenizer.json.
void WindowTargetTest::namedByHand_data() {
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("bytes");
    const QString space = QStringLiteral(" ");
    QTest::addRow("a space as a mark") << QStringLiteral("·Mary") << QStringLiteral(" Mary");
    QTest::addRow("a space") << QStringLiteral(" John") << QStringLiteral(" John");
    QTest::addRow("with its space only") << QStringLiteral("kettle") << QStringLiteral(" kettle");
    QTest::addRow("as it is") << QStringLiteral("the") << QStringLiteral("the");
    QTest::addRow("a digit is text") << QStringLiteral("4") << QStringLiteral("4");
    QTest::addRow("a line break") << QStringLiteral("⏎") << QStringLiteral("\n");
    QTest::addRow("a control token")
        << QStringLiteral("<|im_end|>") << QStringLiteral("<|im_end|>");
    QTest::addRow("its id") << QStringLiteral("#2") << QStringLiteral("<|im_end|>");
    QTest::addRow("to the letter") << QStringLiteral("\"the\"") << QStringLiteral("the");
    QTest::addRow("a number sign") << QStringLiteral("#") << QStringLiteral("#");
}

void WindowTargetTest::namedByHand() {
    QFETCH(QString, typed);
    QFETCH(QString, bytes);
    for (const char* name : {"Target", "Distractor"}) {
        ui::TokenPicker* box = picker(name);
        QVERIFY(box);
        type(box, typed);
        const auto chosen = [&] {
            return name[0] == 'T' ? m_view->views().chosenTarget() : m_view->views().distractor();
        };
        std::optional<engine::Candidate> held;
        QVERIFY(waitFor([&] {
            const QVariant data = box->currentData();
            if (!data.isValid() || box->isTyping()) return false;
            held = data.value<engine::Candidate>();
            return held->bytes == bytes.toStdString();
        }));
        QVERIFY(chosen() == held->token);
        QCOMPARE(box->lineEdit()->text(), ui::visibleToken(held->bytes));
        QVERIFY(!box->isTyping() && refusal()->isHidden());
        QVERIFY(box->toolTip().contains(QStringLiteral("#%1").arg(to_int(held->token))));
    }
}

void WindowTargetTest::refused_data() {
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("why");
    QTest::addRow("two tokens") << QStringLiteral("kettle drums") << QStringLiteral("tokens, ");
    QTest::addRow("past the vocabulary")
        << QStringLiteral("#999999999") << QStringLiteral("#0 to #49151");
    QTest::addRow("past every number")
        << QStringLiteral("#99999999999999999999999") << QStringLiteral("tokens, ");
    QTest::addRow("to the letter, two")
        << QStringLiteral("\"kettle\"") << QStringLiteral("2 tokens, 'k");
    QTest::addRow("long") << QStringLiteral("no token is as long as this sentence, I hope")
                          << QStringLiteral("and more");
}

void WindowTargetTest::refused() {
    QFETCH(QString, typed);
    QFETCH(QString, why);
    ui::TokenPicker* box = picker("Target");
    type(box, QStringLiteral("·Mary"));
    QVERIFY(waitFor([&] { return !box->isTyping(); }));
    const auto before = m_view->views().chosenTarget();
    QVERIFY(before);
    type(box, typed);
    QVERIFY(waitFor([&] { return refusal()->isVisible(); }));
    QVERIFY2(refusal()->text().contains(why), qPrintable(refusal()->text()));
    QCOMPARE(box->lineEdit()->text(), typed);  // to be corrected
    QVERIFY(m_view->views().chosenTarget() == before);
    // Esc brings back what is attributed, and takes nothing else away.
    const auto selection = m_view->session().selection();
    QTest::keyClick(box, Qt::Key_Escape);
    QVERIFY(refusal()->isHidden());
    QCOMPARE(box->lineEdit()->text(), QStringLiteral("·Mary"));
    QVERIFY(m_view->session().selection().dest == selection.dest);
}

void WindowTargetTest::beginningsAreOffered() {
    ui::TokenPicker* box = picker("Distractor");
    type(box, QStringLiteral("kett"), false);
    QAbstractItemView* offered = box->completions()->popup();
    QVERIFY(waitFor([&] { return offered->isVisible() && offered->model()->rowCount() > 0; }));
    QStringList texts;
    for (int i = 0; i < offered->model()->rowCount(); ++i)
        texts << offered->model()->index(i, 0).data().toString().section(u' ', 0, 0);
    QVERIFY2(texts.contains(QStringLiteral("·kettle")), qPrintable(texts.join(u'|')));
    for (const QString& text : texts)
        QVERIFY2(
            text.startsWith(QStringLiteral("kett")) || text.startsWith(QStringLiteral("·kett")),
            qPrintable(text));
    const int at = static_cast<int>(texts.indexOf(QStringLiteral("·kettle")));
    for (int i = 0; i <= at; ++i) QTest::keyClick(offered, Qt::Key_Down);
    QTest::keyClick(offered, Qt::Key_Return);
    QVERIFY(!offered->isVisible());
    QCOMPARE(box->lineEdit()->text(), QStringLiteral("·kettle"));
    QVERIFY(m_view->views().distractor() == box->currentData().value<engine::Candidate>().token);
}

void WindowTargetTest::whatIsNotEnteredChangesNothing() {
    ui::TokenPicker* box = picker("Target");
    type(box, QStringLiteral("·Mary"));
    QVERIFY(waitFor([&] { return !box->isTyping(); }));
    QVERIFY(::settle(*m_view, real::patience));
    const auto before = m_view->views().chosenTarget();
    type(box, QStringLiteral("·Jo"), false);
    // The rows' own news do not take away what is being typed.
    m_view->session().selectDest(engine::Position{3});
    QVERIFY(::settle(*m_view, real::patience));
    QCOMPARE(box->lineEdit()->text(), QStringLiteral("·Jo"));
    QVERIFY(box->isTyping());
    box->completions()->popup()->hide();
    m_view->window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&m_view->window()));
    m_view->headPage().heatmap().setFocus();
    QCOMPARE(box->lineEdit()->text(), QStringLiteral("·Mary"));
    QVERIFY(m_view->views().chosenTarget() == before);
    // An empty line is no choice of one's own.
    type(box, {});
    QVERIFY(!m_view->views().chosenTarget());
    QVERIFY(!box->isTyping() && box->currentIndex() == 0);
    QVERIFY(::settle(*m_view, real::patience));
}

void WindowTargetTest::attributesTheDifference() {
    // Neither is among the ten candidates of the row.
    type(picker("Target"), QStringLiteral("·kettle"));
    type(picker("Distractor"), QStringLiteral("·garden"));
    app::Session& session = m_view->session();
    QVERIFY(waitFor([&] {
        if (picker("Target")->isTyping() || picker("Distractor")->isTyping()) return false;
        const auto& table = m_view->views().contributions();
        return table && table->target == m_view->views().chosenTarget() && table->distractor &&
               table->distractor == m_view->views().distractor();
    }));
    QVERIFY(::settle(*m_view, real::patience));
    const auto& table = m_view->views().contributions();
    const engine::TopTokens all = session.reader()->logits(
        session.run().id, session.selection().dest, session.model()->vocab);
    double logits[2] = {};
    int named = 0;
    for (const engine::Candidate& candidate : all.candidates) {
        if (candidate.token == table->target) logits[0] = double(candidate.logit);
        if (candidate.token == *table->distractor) logits[1] = double(candidate.logit);
        named += candidate.bytes == " kettle" && candidate.token == table->target;
        named += candidate.bytes == " garden" && candidate.token == *table->distractor;
    }
    QCOMPARE(named, 2);
    QVERIFY2(std::abs(double(table->logit) - (logits[0] - logits[1])) < 1e-3,
             qPrintable(QString::number(double(table->logit))));
    QCOMPARE(m_view->window().contributionBars().distractorText(), QStringLiteral("·garden"));
    // Beside the pickers, whole, in a narrow window, too.
    m_view->window().resize(1280, 800);
    QTest::qWait(100);
    const QString said = ui::signedNumber(double(table->logit), 3);
    const QLabel* shown = nullptr;
    for (const QLabel* label : panel().findChildren<QLabel*>())
        if (label->text() == said) shown = label;
    QVERIFY2(shown, qPrintable(said));
    type(picker("Target"), QStringLiteral("·kettle"));  // once more: it is what it was
    QVERIFY(waitFor([&] { return !picker("Target")->isTyping(); }));
    QCOMPARE(shown->text(), said);
    QVERIFY(shown->width() >= shown->sizeHint().width() &&
            panel().rect().contains(QRect(shown->mapTo(&panel(), QPoint()), shown->size())));
}

QTEST_MAIN(WindowTargetTest)
#include "window_target_test.moc"
