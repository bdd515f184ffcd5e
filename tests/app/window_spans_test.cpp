// SPDX-License-Identifier: GPL-3.0-or-later
// The real window by words, sentences, lines and turns, on the real engine and the default model,
// by clicks and keys. Every number is compared with fp64 sums over the pattern that the engine's
// `read` writes into a dump.
#include <QAbstractButton>
#include <QFileDialog>
#include <QLineEdit>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/default_model.h"
#include "tests/support/real_cli.h"
#include "tests/support/real_window.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/mini_map.h"
#include "ui/heatmap/read_out.h"
#include "ui/heatmap/scale_column.h"
#include "ui/painting/text_spans.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/strip/text_view.h"
#include "ui/strip/token_strip.h"
#include "ui/widgets/segment_bar.h"
#include "ui/window/page_bar.h"

using engine::Position;
using fake::eventually;
using ui::Granularity;

namespace {

constexpr int kPatience = real::patience;
const std::string kPrompt =
    "Mary, John and Tom met at the station. Mary gave John the keys.\nJohn didn't give Tom the "
    "keys. Did Mary ask for them?\n";
const std::string kTurns = "Who has the keys?";

}  // namespace

class WindowSpansTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }

    void everySpanIsTheMassOfTheDump_data();
    void everySpanIsTheMassOfTheDump();
    void keysAndMenu();
    void scoresAreTheLargest();
    void cellsMoveBySpans();
    void wholeBesideAPart();
    void textPreviewsAndSelects();
    void filesHoldTheSpans();
    void verbWritesTheSame_data();
    void verbWritesTheSame();
    void stepsGoOnWithTheSpans();
    void turnsOfAChat();

  private:
    bool settle() { return ::settle(*m_view, kPatience); }
    bool runPrompt(const std::string& text, bool chat);
    void choose(Granularity);
    QString exportTo(const QString& name);
    static QByteArray bytesOf(const QString& path);
    // What `headscope export --by` writes of the same head; empty: it failed.
    QByteArray verbExport(const std::string& by, const std::string& ending, bool chat);
    app::Session& session() const { return m_view->session(); }
    ui::HeadHeatmap& map() const { return m_view->headPage().heatmap(); }
    ui::PageBar& bar() const { return *m_view->window().findChild<ui::PageBar*>(); }
    std::int64_t rows() const { return session().run().rows; }
    // Of the focused head, [dest, src], as dumped.
    std::vector<float> pattern() const;
    double mass(const std::vector<float>& p, engine::Rows dest, engine::Rows src) const;

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
};

void WindowSpansTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home, kPrompt);
    QVERIFY(real::begin(*m_view));
    session().selectHead({engine::Layer(17), engine::QueryHead(4)});
    QVERIFY(settle());
}

bool WindowSpansTest::runPrompt(const std::string& text, bool chat) {
    engine::TokenizeOptions options;
    options.chat = chat;
    m_view->window().promptPanel().setPrompt(QString::fromStdString(text));
    m_view->window().promptPanel().setTokenOptions(options);
    const engine::RunId before = session().run().id;
    Q_EMIT m_view->window().runRequested();
    return eventually([&] { return session().run().id != before && session().run().promptRead; },
                      kPatience) &&
           settle();
}

void WindowSpansTest::choose(Granularity granularity) {
    QTest::mouseClick(bar().spans().segment(static_cast<int>(granularity)), Qt::LeftButton);
    QCOMPARE(map().units().granularity(), granularity);
    QVERIFY(settle());
}

std::vector<float> WindowSpansTest::pattern() const {
    const engine::LayerHead at = session().selection().at;
    const auto tensor =
        session().reader()->read(session().run().id, {"pattern", at.layer, {}}, {0, rows()});
    const auto area = static_cast<std::size_t>(rows() * rows());
    const auto one = tensor.data.as<float>().subspan(
        static_cast<std::size_t>(engine::to_int(at.head)) * area, area);
    return {one.begin(), one.end()};
}

double WindowSpansTest::mass(const std::vector<float>& p, engine::Rows dest,
                             engine::Rows src) const {
    double sum = 0;
    for (std::int64_t d = dest.begin; d < dest.end; ++d)
        for (std::int64_t s = src.begin; s < std::min(src.end, d + 1); ++s)
            sum += static_cast<double>(p[static_cast<std::size_t>(d * rows() + s)]);
    return sum / static_cast<double>(dest.count());
}

void WindowSpansTest::everySpanIsTheMassOfTheDump_data() {
    QTest::addColumn<Granularity>("granularity");
    QTest::addColumn<int>("least");
    QTest::addRow("words") << Granularity::Words << 20;
    QTest::addRow("sentences") << Granularity::Sentences << 4;
    QTest::addRow("lines") << Granularity::Lines << 2;
}

void WindowSpansTest::everySpanIsTheMassOfTheDump() {
    QFETCH(Granularity, granularity);
    QFETCH(int, least);
    choose(granularity);
    const std::int64_t spans = map().units().spans();
    QVERIFY(spans >= least && spans < rows());
    const std::vector<float> p = pattern();
    const engine::Tile tile = *map().scene().tile;
    QCOMPARE(tile.request.dest.edges, ui::spanEdges(session().run().tokens, granularity));
    const auto values = tile.data.as<float>();
    for (std::int64_t y = 0; y < spans; ++y) {
        double row = 0;
        for (std::int64_t x = 0; x < spans; ++x) {
            const double shown =
                static_cast<double>(values[static_cast<std::size_t>(y * spans + x)]);
            const double expected = mass(p, map().units().tokensOf(y), map().units().tokensOf(x));
            QVERIFY(std::abs(shown - expected) < 2e-6);
            row += shown;
        }
        QVERIFY(std::abs(row - 1) < 1e-5);
    }
    // The read-out of a locked one: its spans by their tokens, its mass to six digits.
    const engine::Rows dest = map().units().tokensOf(spans - 1), src = map().units().tokensOf(1);
    session().selectCell(Position{dest.end - 1}, Position{src.begin});
    QVERIFY(settle());
    const auto* readOut = map().findChild<ui::ReadOut*>();
    QVERIFY(readOut->header().contains(ui::rangeText(dest)));
    QVERIFY(readOut->header().contains(ui::spanText(session().run().tokens, src, 24)));
    QVERIFY(std::abs(readOut->fields().front().value.toDouble() - mass(p, dest, src)) < 2e-6);
    QVERIFY(map().accessibleValue().contains(QStringLiteral("mass")));
    QVERIFY(m_view->headPage().scaleColumn().notes().contains(
        QStringLiteral("mean over dest, sum over src")));
    session().unlock();
}

void WindowSpansTest::keysAndMenu() {
    choose(Granularity::Tokens);
    map().setFocus();
    for (const Granularity next : {Granularity::Words, Granularity::Sentences, Granularity::Lines,
                                   Granularity::Tokens}) {  // no chat: no turns
        QTest::keyClick(&map(), Qt::Key_G);
        QCOMPARE(map().units().granularity(), next);
        QCOMPARE(bar().spans().current(), static_cast<int>(next));
    }
    const QList<QAction*> actions = m_view->window().findChildren<QAction*>();
    const auto named = [&](const QString& text) {
        const auto found = std::find_if(actions.begin(), actions.end(), [&](const QAction* action) {
            return action->text() == text;
        });
        return found == actions.end() ? nullptr : *found;
    };
    QAction* lines = named(ui::unitsName(Granularity::Lines));
    QVERIFY(lines && lines->isEnabled() && !lines->isChecked());
    lines->trigger();
    QCOMPARE(map().units().granularity(), Granularity::Lines);
    QVERIFY(lines->isChecked());
    QVERIFY(!named(ui::unitsName(Granularity::Turns))->isEnabled());
    QVERIFY(!bar().spans().segment(static_cast<int>(Granularity::Turns))->isEnabled());
    // By the bar's own keys, which stop before what is not offered.
    bar().spans().setFocus();
    QTest::keyClick(&bar().spans(), Qt::Key_Right);
    QCOMPARE(map().units().granularity(), Granularity::Lines);
    QTest::keyClick(&bar().spans(), Qt::Key_Left);
    QCOMPARE(map().units().granularity(), Granularity::Sentences);
    // The finder has no map: nothing to choose.
    m_view->window().showFinderPage();
    QVERIFY(!bar().spans().isVisible());
    m_view->window().showHeadPage();
    QVERIFY(bar().spans().isVisible());
}

void WindowSpansTest::scoresAreTheLargest() {
    choose(Granularity::Words);
    QTest::keyClick(&map(), Qt::Key_1);
    QVERIFY(settle());
    QCOMPARE(map().scene().tile->request.pooling, engine::Pooling::Max);
    QVERIFY(m_view->headPage().scaleColumn().notes().contains(
        QStringLiteral("largest magnitude of the spans")));
    QTest::keyClick(&map(), Qt::Key_2);
    QVERIFY(settle());
    QCOMPARE(map().scene().tile->request.pooling, engine::Pooling::Mean);
}

void WindowSpansTest::cellsMoveBySpans() {
    choose(Granularity::Sentences);
    session().selectCell(Position{rows() - 1}, Position{0});
    QVERIFY(settle());
    const ui::MapUnits units = map().units();
    const std::int64_t last = units.spans() - 1;
    map().setFocus();
    QTest::keyClick(&map(), Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(units.unitOf(engine::to_int(session().selection().src)), 1);
    Q_EMIT m_view->window().cellMoveRequested(-1, 0);  // Shift+Up elsewhere in the window
    QCOMPARE(units.unitOf(engine::to_int(session().selection().dest)), last - 1);
    QCOMPARE(engine::to_int(session().selection().dest), units.tokensOf(last - 1).end - 1);
    session().unlock();
}

QString WindowSpansTest::exportTo(const QString& name) {
    Q_EMIT m_view->window().exportHeatmapRequested();
    const QString path = real::answerExport(*m_view, m_home, name);
    settle();
    return path;
}

void WindowSpansTest::filesHoldTheSpans() {
    choose(Granularity::Sentences);
    const std::vector<float> p = pattern();
    const ui::MapUnits units = map().units();
    QFile csv(exportTo(QStringLiteral("spans.csv")));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    const QStringList lines = QString::fromUtf8(csv.readAll()).split(u'\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.front(),
             QStringLiteral(
                 "layer,head,dest_begin,dest_last,src_begin,src_last,dest_text,src_text,value"));
    int rowsSeen = 0;
    for (const QString& line : lines) {
        if (!line.startsWith(QStringLiteral("17,4,"))) continue;  // texts may hold line feeds
        const QStringList fields = line.split(u',');
        const engine::Rows dest{fields[2].toLongLong(), fields[3].toLongLong() + 1},
            src{fields[4].toLongLong(), fields[5].toLongLong() + 1};
        QCOMPARE(units.tokensOf(units.unitOf(dest.begin)), dest);
        QCOMPARE(units.tokensOf(units.unitOf(src.begin)), src);
        ++rowsSeen;
    }
    QCOMPARE(rowsSeen, static_cast<int>(units.spans() * (units.spans() + 1) / 2));
    QFile npy(exportTo(QStringLiteral("spans.npy")));
    QVERIFY(npy.open(QIODevice::ReadOnly));
    const QByteArray bytes = npy.readAll();
    const auto cells = static_cast<std::size_t>(units.spans() * units.spans());
    std::vector<float> values(cells);
    QVERIFY(bytes.size() > static_cast<qsizetype>(cells * 4));
    std::memcpy(values.data(), bytes.constData() + bytes.size() - static_cast<qsizetype>(cells * 4),
                cells * 4);
    for (std::int64_t y = 0; y < units.spans(); ++y)
        for (std::int64_t x = 0; x < units.spans(); ++x)
            QVERIFY(std::abs(static_cast<double>(
                                 values[static_cast<std::size_t>(y * units.spans() + x)]) -
                             mass(p, units.tokensOf(y), units.tokensOf(x))) < 2e-6);
    const QImage picture(exportTo(QStringLiteral("spans.png")));
    QVERIFY(!picture.isNull());
    // `headscope export --by` draws it too, at its own zoom.
    const QImage verb = QImage::fromData(verbExport("sentences", "png", false));
    QCOMPARE(verb.size() * 2, picture.size());
    const CliOutcome turns = run_verb(
        {"export", default_model_path(), "--prompt", kPrompt, "--view", "L17.H4", "--by", "turns",
         "--out", m_home.folder.filePath(QStringLiteral("turns.csv")).toStdString()});
    QCOMPARE(turns.code, int{app::ExitBadArguments});
    QVERIFY2(turns.err.find("there are no chat turns") != std::string::npos, turns.err.c_str());
    QVERIFY(m_view->window().messages().isEmpty());
}

void WindowSpansTest::verbWritesTheSame_data() {
    QTest::addColumn<Granularity>("granularity");
    QTest::addColumn<std::string>("by");
    QTest::addRow("tokens") << Granularity::Tokens << std::string("tokens");
    QTest::addRow("words") << Granularity::Words << std::string("words");
    QTest::addRow("sentences") << Granularity::Sentences << std::string("sentences");
    QTest::addRow("lines") << Granularity::Lines << std::string("lines");
}

// Byte for byte, and not by every unit the same.
void WindowSpansTest::verbWritesTheSame() {
    QFETCH(Granularity, granularity);
    QFETCH(std::string, by);
    choose(granularity);
    for (const std::string ending : {"csv", "npy"}) {
        const QByteArray window = bytesOf(exportTo(QString::fromStdString(by + '.' + ending)));
        const QByteArray verb = verbExport(by, ending, false);
        QVERIFY(!verb.isEmpty());
        QCOMPARE(verb, window);
    }
    choose(Granularity::Tokens);
}

QByteArray WindowSpansTest::bytesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QByteArray WindowSpansTest::verbExport(const std::string& by, const std::string& ending,
                                       bool chat) {
    const QString out = m_home.folder.filePath(QString::fromStdString("verb-" + by + '.' + ending));
    std::vector<std::string> words{"export",   default_model_path(),
                                   "--prompt", chat ? kTurns : kPrompt,
                                   "--view",   "L17.H4",
                                   "--by",     by,
                                   "--out",    out.toStdString()};
    if (chat)  // a row for each token but the last sampled
        words.insert(words.end(), {"--chat", "--generate",
                                   std::to_string(rows() - session().run().promptTokens + 1)});
    const CliOutcome outcome = run_verb(words);
    return outcome.code == 0 && outcome.err.empty() ? bytesOf(out) : QByteArray();
}

void WindowSpansTest::stepsGoOnWithTheSpans() {
    choose(Granularity::Words);
    const std::int64_t before = rows();
    for (int i = 0; i < 3; ++i) {
        const std::int64_t now = rows();
        Q_EMIT m_view->window().stepRequested();
        QVERIFY(eventually([&] { return rows() > now; }, kPatience));
        QVERIFY(settle());
    }
    QCOMPARE(rows(), before + 3);
    QCOMPARE(map().units(), ui::unitsOf(session().run().tokens, Granularity::Words));
    const std::vector<float> p = pattern();
    const auto& tile = *map().scene().tile;
    const std::int64_t spans = map().units().spans(), last = spans - 1;
    QCOMPARE(tile.request.dest.edges.back(), std::ssize(session().run().tokens));
    engine::Rows dest = map().units().tokensOf(last);
    dest.end = std::min(dest.end, rows());
    for (std::int64_t x = 0; x < spans; ++x)
        QVERIFY(std::abs(static_cast<double>(
                             tile.data.as<float>()[static_cast<std::size_t>(last * spans + x)]) -
                         mass(p, dest, map().units().tokensOf(x))) < 2e-6);
}

void WindowSpansTest::wholeBesideAPart() {
    choose(Granularity::Tokens);
    ui::MiniMap& mini = m_view->headPage().miniMap();
    QVERIFY(!mini.isVisible());
    map().showView({5, 2, 12});
    QVERIFY(mini.isVisible());
    QVERIFY(settle());
    const std::vector<float> p = pattern();
    const auto shown = [&](std::int64_t dest, std::int64_t src) {
        return mini.picture().valueAt({dest, src}).value_or(-1);
    };
    for (std::int64_t dest = 0; dest < rows(); ++dest)
        for (std::int64_t src = 0; src <= dest; ++src)
            QVERIFY(std::abs(shown(dest, src) -
                             static_cast<double>(
                                 p[static_cast<std::size_t>(dest * rows() + src)])) < 1e-6);
    map().setFocus();
    QTest::keyClick(&map(), Qt::Key_O);
    QVERIFY(!mini.isVisible());
    QTest::keyClick(&map(), Qt::Key_O);
    QVERIFY(mini.isVisible());
    choose(Granularity::Words);  // the same part, and the whole by words
    QVERIFY(mini.isVisible());
    QCOMPARE(mini.picture().tile()->request.dest.edges.back(), std::ssize(session().run().tokens));
    map().showWhole();
    QVERIFY(!mini.isVisible());
    choose(Granularity::Tokens);
}

void WindowSpansTest::textPreviewsAndSelects() {
    ui::TextView& text = m_view->headPage().textView();
    map().setFocus();
    QTest::keyClick(&map(), Qt::Key_V);
    QVERIFY(text.isVisible() && !map().isVisible());
    const std::vector<float> p = pattern();
    const auto row = [&](std::int64_t dest) {
        const auto from = p.begin() + dest * rows();
        return std::vector<float>(from, from + dest + 1);
    };
    QTest::mouseMove(text.viewport(), text.tokenRect(9).center());
    QVERIFY(settle());
    QCOMPARE(text.preview().size(), row(9).size());
    for (std::size_t i = 0; i < row(9).size(); ++i)
        QVERIFY(std::abs(text.preview()[i] - row(9)[i]) < 1e-6F);
    QTest::mouseClick(text.viewport(), Qt::LeftButton, {}, text.tokenRect(9).center());
    QCOMPARE(session().selection().dest, Position{9});
    // Another head under the same mouse: its row, not the last one's.
    QTest::mouseMove(text.viewport(), text.tokenRect(7).center());
    QVERIFY(settle());
    session().selectHead({engine::Layer(11), engine::QueryHead(2)});
    QVERIFY(settle());
    const std::vector<float> other = pattern();
    QCOMPARE(text.preview().size(), 8U);
    for (std::size_t i = 0; i < 8; ++i)
        QVERIFY(std::abs(text.preview()[i] - other[7 * static_cast<std::size_t>(rows()) + i]) <
                1e-6F);
    QTest::mouseClick(text.viewport(), Qt::LeftButton, Qt::ControlModifier,
                      text.tokenRect(4).center());
    QCOMPARE(session().selection().src, Position{4});
    session().selectHead({engine::Layer(17), engine::QueryHead(4)});
    QVERIFY(settle());
    QTest::keyClick(&text, Qt::Key_V);
    QVERIFY(map().isVisible() && !text.isVisible());
    QVERIFY(m_view->window().messages().isEmpty());
}

void WindowSpansTest::turnsOfAChat() {
    QVERIFY(runPrompt(kTurns, true));
    QVERIFY(bar().spans().segment(static_cast<int>(Granularity::Turns))->isEnabled());
    choose(Granularity::Turns);
    QVERIFY(map().units().spans() >= 2);
    const std::vector<float> p = pattern();
    const std::int64_t spans = map().units().spans();
    const auto values = map().scene().tile->data.as<float>();
    for (std::int64_t y = 0; y < spans; ++y)
        for (std::int64_t x = 0; x <= y; ++x)
            QVERIFY(std::abs(static_cast<double>(values[static_cast<std::size_t>(y * spans + x)]) -
                             mass(p, map().units().tokensOf(y), map().units().tokensOf(x))) < 2e-6);
    QCOMPARE(verbExport("turns", "csv", true),
             bytesOf(exportTo(QStringLiteral("turns-window.csv"))));
    // Another prompt without turns: the map goes back to tokens.
    QVERIFY(runPrompt(kTurns, false));
    QVERIFY(map().units().areTokens());
    QCOMPARE(bar().spans().current(), static_cast<int>(Granularity::Tokens));
    QVERIFY(m_view->window().messages().isEmpty());
}

QTEST_MAIN(WindowSpansTest)
#include "window_spans_test.moc"
