// SPDX-License-Identifier: GPL-3.0-or-later
// A session that is opened again in the real window: what is said of one that was edited, and where
// its Finder stands.
#include <QFile>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <nlohmann/json.hpp>

#include "app/session/session_file.h"
#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"
#include "tests/support/real_window.h"
#include "ui/finder/head_finder.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"

using fake::eventually;
using nlohmann::json;

class WindowRestoredTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }
    void whatDiffersIsWarnedOf_data();
    void whatDiffersIsWarnedOf();
    void finderOpensAtItsHead_data();
    void finderOpensAtItsHead();

  private:
    bool settle(app::MainView& view) const { return ::settle(view, real::patience); }
    QString file() const { return m_home.folder.filePath(QStringLiteral("work.headscope")); }
    void write(const QByteArray& bytes) const {
        QFile target(file());
        QVERIFY(target.open(QIODevice::WriteOnly | QIODevice::Truncate));
        target.write(bytes);
    }
    bool save() {
        QFile::remove(file());
        Q_EMIT m_view->window().saveSessionAsRequested();
        return real::answer(*m_view, "saveSessionDialog", file()) &&
               eventually([&] { return QFile::exists(file()); });
    }
    // Opened, and another run than before.
    bool open() {
        const engine::RunId before = m_view->session().run().id;
        Q_EMIT m_view->window().sessionChosen(file());
        return eventually([&] { return m_view->session().run().id != before; }, real::patience) &&
               settle(*m_view);
    }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
    QByteArray m_saved;  // the session of the first run
};

void WindowRestoredTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home, "When Mary and John went to the store , John gave a drink to");
    QVERIFY(real::begin(*m_view));
    QVERIFY(save());
    QFile saved(file());
    QVERIFY(saved.open(QIODevice::ReadOnly));
    m_saved = saved.readAll();
}

// By what was done to the file, or to the model since: a text that was edited is no fault of the
// tokenizer.
void WindowRestoredTest::whatDiffersIsWarnedOf_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QStringList>("said");
    QTest::addColumn<QStringList>("unsaid");
    const QString file = QStringLiteral("file is another than when it was saved");
    const QString edited = QStringLiteral("were edited in the file"),
                  tokenizer = QStringLiteral("tokenizer now makes other tokens of the prompt"),
                  either = QStringLiteral("the file was edited, or the model's tokenizer");
    const auto row = [](const char* what, const QStringList& said, const QStringList& unsaid) {
        QTest::newRow(what) << QString::fromLatin1(what) << said << unsaid;
    };
    row("nothing", {}, {});
    row("text", {edited}, {tokenizer, either, file});
    row("ids", {edited}, {tokenizer, either, file});
    row("tokenizer", {tokenizer}, {edited, either, file});
    row("model and tokenizer", {file, tokenizer}, {edited, either});
    row("text of a file without a check", {either}, {edited, tokenizer, file});
    row("no check", {}, {});
}

void WindowRestoredTest::whatDiffersIsWarnedOf() {
    QFETCH(QString, what);
    QFETCH(QStringList, said);
    QFETCH(QStringList, unsaid);
    write(m_saved);
    app::SavedSession as = app::readSession(file().toStdString());
    QVERIFY(as.prompt->isAsWritten.value_or(false));
    // Written with these tokens, as by a program whose tokenizer made them.
    if (what.contains(QStringLiteral("tokenizer"))) as.prompt->tokens[2] = engine::TokenId(5);
    json changed = json::parse(app::sessionText(as));
    if (what.contains(QStringLiteral("model"))) changed["model"]["hash"] = "of another file";
    if (what == QStringLiteral("ids")) changed["prompt"]["tokens"][2] = 5;
    if (what.startsWith(QStringLiteral("text"))) changed["prompt"]["text"] = "When Mary left";
    if (what.contains(QStringLiteral("check"))) changed["prompt"].erase("check");
    write(QByteArray::fromStdString(changed.dump()));
    const auto& messages = m_view->window().messages();
    const auto before = messages.size();
    QVERIFY(open());
    QCOMPARE(messages.size() - before, said.isEmpty() ? 0 : 1);
    const QString message = said.isEmpty() ? QString() : messages.back().what;
    for (const QString& each : said) QVERIFY2(message.contains(each), qPrintable(message));
    for (const QString& each : unsaid) QVERIFY2(!message.contains(each), qPrintable(message));
    const auto third = engine::TokenId(changed["prompt"]["tokens"][2].get<int>());
    QCOMPARE(m_view->session().run().tokens[2].id, third);
    // The runs are those of their tokens' text, of which the run bar may have another.
    const bool edited = what == QStringLiteral("ids") || what.startsWith(QStringLiteral("text of"));
    QCOMPARE(m_view->window().promptPanel().isEditedSinceRun(), edited);
    // Saved once more it is said again, unless text and tokens belong together now.
    if (said.isEmpty() || what.contains(QStringLiteral("model"))) return;
    QVERIFY(save());
    QVERIFY(open());
    if (what == QStringLiteral("text")) {
        QCOMPARE(messages.size() - before, 1);
        return;
    }
    QCOMPARE(messages.size() - before, 2);
    for (const QString& each : said)
        QVERIFY2(messages.back().what.contains(each), qPrintable(messages.back().what));
}

// Wherever its head stands in the order: near the top, or at the end of it.
void WindowRestoredTest::finderOpensAtItsHead_data() {
    QTest::addColumn<int>("rank");  // by the table's order
    for (const int rank : {0, 3, 120, 269}) QTest::addRow("%d", rank) << rank;
}

void WindowRestoredTest::finderOpensAtItsHead() {
    QFETCH(int, rank);
    write(m_saved);
    QVERIFY(open());
    m_view->window().showFinderPage();
    QVERIFY(settle(*m_view));
    const engine::LayerHead head = m_view->finder().ranked().at(static_cast<std::size_t>(rank));
    m_view->session().selectHead(head);
    QVERIFY(settle(*m_view));
    QVERIFY(save());
    const auto isSeen = [](const QTableView& table) {
        return table.viewport()->rect().contains(table.visualRect(table.currentIndex()).center());
    };
    // Where it was saved, scrolled elsewhere meanwhile, and in a window of its own.
    QTableView& here = m_view->finder().table();
    here.verticalScrollBar()->triggerAction(rank < 100 ? QScrollBar::SliderToMaximum
                                                       : QScrollBar::SliderToMinimum);
    QVERIFY(!isSeen(here) || rank == 120);
    QVERIFY(open());
    QVERIFY(isSeen(here));
    real::Home home;
    app::MainView second(real::engineSource(), home.settings,
                         app::MainView::Start{file().toStdString(), std::nullopt,
                                              home.folder.path().toStdString(), false});
    second.window().resize(1440, 900);
    second.window().show();
    QVERIFY(QTest::qWaitForWindowExposed(&second.window()));
    second.begin();
    QVERIFY(eventually([&] { return second.session().hasRun(); }, real::patience));
    QVERIFY(settle(second));
    QVERIFY(second.window().isFinderShown());
    QCOMPARE(second.session().selection().at, head);
    QTableView& table = second.finder().table();
    const int at = table.currentIndex().row();
    QCOMPARE(second.finder().ranked().at(static_cast<std::size_t>(at)), head);
    QVERIFY2(isSeen(table),
             qPrintable(QStringLiteral("row %1, from row %2 on").arg(at).arg(table.rowAt(1))));
    // Whoever sorts anew wants the first, and whoever scrolls is not pulled back.
    second.finder().rankBy(ui::columnOf(ui::HeadMetric::Entropy));
    table.verticalScrollBar()->triggerAction(QScrollBar::SliderToMinimum);
    QTest::qWait(50);
    QCOMPARE(table.rowAt(1), 0);
}

QTEST_MAIN(WindowRestoredTest)
#include "window_restored_test.moc"
