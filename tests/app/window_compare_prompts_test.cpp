// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of two prompts on the Compare page of the real window: aligned by token, each number that of
// the cell it says, and none where only one run has the row or the source.
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <cmath>
#include <cstring>
#include <set>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"
#include "tests/support/real_window.h"
#include "ui/compare/compare_page.h"
#include "ui/compare/compare_strip.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"

using engine::LayerHead;
using engine::Position;
using engine::to_int;
using fake::eventually;
using ui::CompareMaps;

namespace {

constexpr int kPatience = real::patience;
const QString kShort = QStringLiteral("The cat sat on the mat and the dog");
const QString kLong = QStringLiteral("The small cat sat on the old red mat and the dog");

LayerHead head(int layer, int index) {
    return {engine::Layer(layer), engine::QueryHead(index)};
}

}  // namespace

class WindowComparePromptsTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase();
    void init() { failOnDroppedSignals(); }
    void cleanupTestCase() { m_view.reset(); }

    void theNextPromptIsComparedWithTheOneBefore();
    void cellsAreOfTheSameTokens_data();
    void cellsAreOfTheSameTokens();
    void whatOnlyOneHasSaysSo();
    void headsAreSortedOverWhatBothHave();
    void theDifferenceIsWritten_data();
    void theDifferenceIsWritten();
    void theDifferenceIsCopiedAsItIsShown();
    void cellsAreSelectedInTheRunOnScreen();
    void aWordForAnotherStaysInItsPlace();
    void anyTwoCanBeChosen();
    void aSessionBringsBothPromptsBack();
    void aClosedPromptEndsIt();

  private:
    bool settle() const { return ::settle(*m_view, kPatience); }
    bool run(const QString& prompt, int tokens) const;
    std::vector<float> dumped(engine::RunId, LayerHead, std::int64_t rows) const;  // pattern
    app::Session& session() const { return m_view->session(); }
    ui::ComparePage& page() const { return m_view->comparePage(); }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
    std::vector<std::array<std::int64_t, 2>> m_places;  // by hand: A's position, B's; −1: none
};

bool WindowComparePromptsTest::run(const QString& prompt, int tokens) const {
    const engine::RunId before = session().run().id;
    m_view->window().promptPanel().setPrompt(prompt);
    m_view->window().promptPanel().setTokensToGenerate(std::max(tokens, 1));
    if (tokens == 0)
        Q_EMIT m_view->window().stepRequested();
    else
        Q_EMIT m_view->window().runRequested();
    return eventually(
               [&] {
                   return session().run().id != before && session().run().promptRead &&
                          session().run().steps.size() == static_cast<std::size_t>(tokens);
               },
               kPatience) &&
           settle();
}

std::vector<float> WindowComparePromptsTest::dumped(engine::RunId run, LayerHead at,
                                                    std::int64_t rows) const {
    const auto all = session().reader()->read(run, {"pattern", at.layer, {}}, {0, rows});
    const auto values = all.data.as<float>();
    const auto size = static_cast<std::size_t>(rows * rows);
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(
                                            static_cast<std::size_t>(to_int(at.head)) * size);
    return {first, first + static_cast<std::ptrdiff_t>(size)};
}

void WindowComparePromptsTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home, kShort.toStdString());
    QVERIFY(real::begin(*m_view));
    m_view->window().showComparePage();
    QVERIFY(settle());
    QVERIFY(page().isEmpty());
}

void WindowComparePromptsTest::theNextPromptIsComparedWithTheOneBefore() {
    const engine::RunId first = session().run().id;
    QVERIFY(run(kLong, 0));
    QVERIFY(!page().isEmpty());
    const auto pair = *m_view->compare().pair();
    QCOMPARE(pair.a, first);
    QCOMPARE(pair.b, session().run().id);
    QCOMPARE(page().maps().title(CompareMaps::Difference), QStringLiteral("A − 1A"));
    QVERIFY(page()
                .picker(CompareMaps::A)
                .currentText()
                .startsWith(QStringLiteral("Run 1A · The cat sat")));
    QVERIFY2(page().note().endsWith(QStringLiteral("; 3 only in A")), qPrintable(page().note()));
    QVERIFY(page().note().startsWith(QStringLiteral("aligned by token, 9 the same")));
    // "small", "old" and "red" are put in; all else is the same.
    const app::RunView &a = *m_view->compare().run(pair.a), &b = *m_view->compare().run(pair.b);
    std::size_t next = 0;
    for (std::size_t i = 0; i < b.tokens.size(); ++i) {
        const bool same = next < a.tokens.size() && a.tokens[next].id == b.tokens[i].id;
        m_places.push_back(
            {same ? static_cast<std::int64_t>(next++) : -1, static_cast<std::int64_t>(i)});
    }
    QCOMPARE(next, a.tokens.size());
    QCOMPARE(b.tokens.size(), a.tokens.size() + 3);
}

void WindowComparePromptsTest::cellsAreOfTheSameTokens_data() {
    QTest::addColumn<int>("layer");
    QTest::addColumn<int>("index");
    for (const auto& [layer, index] : {std::pair(0, 0), std::pair(12, 4), std::pair(29, 8)})
        QTest::addRow("L%d.H%d", layer, index) << layer << index;
}

void WindowComparePromptsTest::cellsAreOfTheSameTokens() {
    QFETCH(int, layer);
    QFETCH(int, index);
    session().selectHead(head(layer, index));
    QVERIFY(settle());
    const auto pair = *m_view->compare().pair();
    const std::int64_t inA = session().reader()->rows(pair.a),
                       inB = session().reader()->rows(pair.b);
    const std::vector<float> a = dumped(pair.a, head(layer, index), inA),
                             b = dumped(pair.b, head(layer, index), inB);
    int differences = 0;
    double most = 0;
    for (std::size_t y = 0; y < m_places.size(); ++y)
        for (std::size_t x = 0; x <= y; ++x) {
            const CompareMaps::Values values = page().maps().valuesAt(
                {static_cast<std::int64_t>(y), static_cast<std::int64_t>(x)});
            const auto expected = [&](const std::vector<float>& of, std::int64_t rows,
                                      std::size_t side) -> std::optional<double> {
                const std::int64_t dest = m_places[y][side], src = m_places[x][side];
                if (dest < 0 || src < 0) return std::nullopt;
                return static_cast<double>(of[static_cast<std::size_t>(dest * rows + src)]);
            };
            const auto left = expected(a, inA, 0), right = expected(b, inB, 1);
            QCOMPARE(values.a.has_value(), left.has_value());
            QCOMPARE(values.b.has_value(), right.has_value());
            QCOMPARE(values.difference.has_value(), left && right);
            if (left) QVERIFY(std::abs(*values.a - *left) < 1e-6);
            if (right) QVERIFY(std::abs(*values.b - *right) < 1e-6);
            if (!left || !right) continue;
            QVERIFY(std::abs(*values.difference - (*right - *left)) < 1e-6);
            most = std::max(most, std::abs(*values.difference));
            ++differences;
        }
    QCOMPARE(differences, 9 * 10 / 2);
    QVERIFY(most > 1e-4);
}

void WindowComparePromptsTest::whatOnlyOneHasSaysSo() {
    CompareMaps& maps = page().maps();
    QVERIFY(maps.describe({1, 0}).contains(QStringLiteral("dest –|1 ← src 0 · 1A – · A ")));
    QVERIFY(maps.describe({1, 0}).endsWith(QStringLiteral("A − 1A – · row only in A")));
    QVERIFY(maps.describe({2, 1}).contains(QStringLiteral("dest 1|2 ← src –|1")));
    QVERIFY(maps.describe({2, 1}).endsWith(QStringLiteral("source only in A")));
    QCOMPARE(page().strip().differing(), 3);
    QVERIFY(page().strip().differs(1) && !page().strip().differs(2));
    // Without a number is not the colour of 0: hatched, and so not one colour.
    const QImage shown = maps.grab().toImage();
    const ui::MapScene& scene = maps.picture(CompareMaps::Difference).scene();
    const auto colours = [&](ui::MapCell cell) {
        std::set<QRgb> all;
        const QRect box =
            scene.logical(scene.geometry.rectOf(cell)).toRect().adjusted(2, 2, -2, -2);
        for (int y = box.top(); y <= box.bottom(); ++y)
            for (int x = box.left(); x <= box.right(); ++x) all.insert(shown.pixel(x, y));
        return all.size();
    };
    QVERIFY(colours({7, 1}) > 1);
    QCOMPARE(colours({8, 2}), 1u);
}

void WindowComparePromptsTest::headsAreSortedOverWhatBothHave() {
    QVERIFY(eventually([&] { return m_view->compare().changes().has_value(); }, kPatience));
    const ui::ChangeTable& changes = *m_view->compare().changes();
    const auto pair = *m_view->compare().pair();
    const std::int64_t inA = session().reader()->rows(pair.a),
                       inB = session().reader()->rows(pair.b);
    QVERIFY(changes.byToken);
    QCOMPARE(changes.rows, (engine::Rows{1, 12}));
    for (const LayerHead at : {head(0, 2), head(13, 5), head(29, 8)}) {
        const std::vector<float> a = dumped(pair.a, at, inA), b = dumped(pair.b, at, inB);
        double total = 0, rows = 0;
        for (std::size_t y = 1; y < m_places.size(); ++y) {
            if (m_places[y][0] < 0) continue;
            for (std::size_t x = 0; x <= y; ++x) {
                const auto p = [&](const std::vector<float>& of, std::int64_t width,
                                   std::size_t side) {
                    const std::int64_t src = m_places[x][side];
                    return src < 0
                               ? 0.0
                               : static_cast<double>(
                                     of[static_cast<std::size_t>(m_places[y][side] * width + src)]);
                };
                total += std::abs(p(b, inB, 1) - p(a, inA, 0)) / 2;
            }
            ++rows;
        }
        const int index = to_int(at.layer) * 9 + to_int(at.head);
        QVERIFY(std::abs(static_cast<double>(changes.mean(index)) - total / rows) < 1e-5);
    }
    QCOMPARE(page().ranked().size(), 270u);
    const QString told = page().model().definition(ui::ChangeModel::Moved);
    QVERIFY(told.contains(QStringLiteral("rows that stand for one another")) &&
            told.contains(QStringLiteral("a source that only one run has counts")));
}

void WindowComparePromptsTest::theDifferenceIsWritten_data() {
    QTest::addColumn<QString>("name");
    for (const char* name :
         {"by-token.csv", "by-token.npy", "by-token.png", "by-token.svg", "by-token.pdf"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

// Each cell with the positions and tokens that it has in either prompt, which the file names.
void WindowComparePromptsTest::theDifferenceIsWritten() {
    QFETCH(QString, name);
    const auto pair = *m_view->compare().pair();
    const app::RunView &runA = *m_view->compare().run(pair.a),
                       &runB = *m_view->compare().run(pair.b);
    const std::int64_t inA = runA.rows, inB = runB.rows;
    const LayerHead at = session().selection().at;
    const std::vector<float> a = dumped(pair.a, at, inA), b = dumped(pair.b, at, inB);
    Q_EMIT m_view->window().exportDifferenceRequested();
    const QString path = real::answerExport(*m_view, m_home, name);
    QVERIFY(!path.isEmpty());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    QVERIFY(m_view->window().messages().isEmpty());
    const auto quoted = [](const app::RunView& run, std::int64_t position) {
        return '"' +
               QByteArray::fromStdString(run.tokens[static_cast<std::size_t>(position)].bytes) +
               '"';
    };
    const auto difference = [&](std::size_t y, std::size_t x) {
        return static_cast<double>(
                   b[static_cast<std::size_t>(m_places[y][1] * inB + m_places[x][1])]) -
               static_cast<double>(
                   a[static_cast<std::size_t>(m_places[y][0] * inA + m_places[x][0])]);
    };
    if (name.endsWith(QStringLiteral("csv"))) {
        const QList<QByteArray> lines = bytes.trimmed().split('\n');
        QCOMPARE(lines[0], QByteArray("layer,head,dest_a,src_a,dest_b,src_b,dest_token_a,"
                                      "src_token_a,dest_token_b,src_token_b,value"));
        qsizetype line = 1;
        for (std::size_t y = 0; y < m_places.size(); ++y)
            for (std::size_t x = 0; x <= y; ++x) {
                const auto &dest = m_places[y], &src = m_places[x];
                if (dest[0] < 0 || src[0] < 0) continue;  // B's alone
                QVERIFY(line < lines.size());
                const QList<QByteArray> fields = lines[line++].split(',');
                QCOMPARE(fields.size(), 11);
                QCOMPARE(fields[2].toLongLong(), dest[0]);
                QCOMPARE(fields[3].toLongLong(), src[0]);
                QCOMPARE(fields[4].toLongLong(), dest[1]);
                QCOMPARE(fields[5].toLongLong(), src[1]);
                QCOMPARE(fields[6], quoted(runA, dest[0]));
                QCOMPARE(fields[7], quoted(runA, src[0]));
                QCOMPARE(fields[8], quoted(runB, dest[1]));
                QCOMPARE(fields[9], quoted(runB, src[1]));
                QVERIFY(std::abs(fields[10].toDouble() - difference(y, x)) < 1e-6);
            }
        QCOMPARE(line, lines.size());
    } else if (name.endsWith(QStringLiteral("npy"))) {
        const std::size_t places = m_places.size();
        QVERIFY(bytes.contains(QStringLiteral("'shape': (1, %1, %1, )").arg(places).toLatin1()));
        QVERIFY(bytes.contains("('dest_b', '<i4')"));
        const auto size = static_cast<qsizetype>(places * places * 20);
        const char* at0 = bytes.constData() + bytes.size() - size;
        QCOMPARE((bytes.size() - size) % 64, 0);
        for (std::size_t y = 0; y < places; ++y)
            for (std::size_t x = 0; x < places; ++x) {
                std::array<std::int32_t, 4> is{};
                float value = 0;
                const char* record = at0 + (y * places + x) * 20;
                std::memcpy(is.data(), record, 16);
                std::memcpy(&value, record + 16, 4);
                QCOMPARE(is,
                         (std::array<std::int32_t, 4>{static_cast<std::int32_t>(m_places[y][0]),
                                                      static_cast<std::int32_t>(m_places[x][0]),
                                                      static_cast<std::int32_t>(m_places[y][1]),
                                                      static_cast<std::int32_t>(m_places[x][1])}));
                const bool has = x <= y && is[0] >= 0 && is[1] >= 0;
                QCOMPARE(std::isnan(value), !has);
                if (has) QVERIFY(std::abs(static_cast<double>(value) - difference(y, x)) < 1e-6);
            }
    } else if (name.endsWith(QStringLiteral("png"))) {
        const QImage picture = QImage::fromData(bytes);
        QString all;
        for (const QString& key : picture.textKeys()) all += picture.text(key) + u'\n';
        for (const QString& said :
             {kShort, kLong, QStringLiteral("run A − run 1A"), QStringLiteral("aligned by token")})
            QVERIFY2(all.contains(said), qPrintable(all));
    } else if (name.endsWith(QStringLiteral("svg"))) {
        for (const char* said : {"run A − run 1A", "aligned by token", "–|1", "1|2"})
            QVERIFY2(bytes.contains(said), said);
    }
}

void WindowComparePromptsTest::theDifferenceIsCopiedAsItIsShown() {
    QGuiApplication::clipboard()->clear();
    m_view->window().showComparePage();
    Q_EMIT m_view->window().copyHeatmapRequested();
    QVERIFY(eventually([&] { return !QGuiApplication::clipboard()->image().isNull(); }, kPatience));
    Q_EMIT m_view->window().exportDifferenceRequested();
    const QString path = real::answerExport(*m_view, m_home, QStringLiteral("copied.png"));
    const QImage written(path), copied = QGuiApplication::clipboard()->image();
    QVERIFY(!written.isNull());
    QCOMPARE(copied.size(), written.size());
    QCOMPARE(copied.convertToFormat(QImage::Format_RGB32),
             written.convertToFormat(QImage::Format_RGB32));
}

void WindowComparePromptsTest::cellsAreSelectedInTheRunOnScreen() {
    CompareMaps& maps = page().maps();
    const ui::MapScene& scene = maps.picture(CompareMaps::B).scene();
    const auto click = [&](ui::MapCell cell) {
        QTest::mouseClick(&maps, Qt::LeftButton, {},
                          scene.logical(scene.geometry.rectOf(cell)).center().toPoint());
    };
    click({8, 2});  // B is on screen, and has a token at every place
    QCOMPARE(session().selection().dest, Position(8));
    QCOMPARE(session().selection().src, Position(2));
    session().showKept(m_view->compare().pair()->a);
    QVERIFY(settle());
    QCOMPARE(page().maps().title(CompareMaps::Difference), QStringLiteral("2A − A"));
    const ui::Selection before = session().selection();
    click({1, 0});  // only the other prompt has it
    QCOMPARE(session().selection(), before);
    click({8, 2});
    QCOMPARE(session().selection().dest, Position(m_places[8][0]));
    QCOMPARE(session().selection().src, Position(m_places[2][0]));
    QVERIFY(maps.accessibleDescription().contains(QStringLiteral("dest 5|8 ← src 1|2")));
    QTest::mouseClick(&page().strip(), Qt::LeftButton, {}, page().strip().tokenRect(1, 4).center());
    QCOMPARE(session().selection().dest, Position(m_places[4][0]));
}

// As researchers contrast prompts: nothing moves, and the word is marked.
void WindowComparePromptsTest::aWordForAnotherStaysInItsPlace() {
    QVERIFY(run(QStringLiteral("The cat lay on the mat and the dog"), 1));
    const auto pair = *m_view->compare().pair();
    QVERIFY(!m_view->compare().alignment());
    QVERIFY2(page().note().startsWith(QStringLiteral("aligned by position, 1 of 9 differ")),
             qPrintable(page().note()));
    const LayerHead at = session().selection().at;
    const std::vector<float> a = dumped(pair.a, at, 9), b = dumped(pair.b, at, 9);
    const CompareMaps::Values values = page().maps().valuesAt({8, 2});
    QVERIFY(values.difference && std::abs(*values.difference - static_cast<double>(b[74]) +
                                          static_cast<double>(a[74])) < 1e-6);
}

void WindowComparePromptsTest::anyTwoCanBeChosen() {
    // Of the prompt on screen, then the other two, the latest first.
    const auto runs = m_view->compare().runs();
    QCOMPARE(runs.size(), 3u);
    QComboBox &a = page().picker(CompareMaps::A), &b = page().picker(CompareMaps::B);
    QCOMPARE(a.count(), 3);
    b.setCurrentIndex(2);
    a.setCurrentIndex(1);
    Q_EMIT a.activated(1);
    QVERIFY(settle());
    QCOMPARE(m_view->compare().pair()->a, runs[1]->id);
    QCOMPARE(m_view->compare().pair()->b, runs[2]->id);
    QVERIFY(page().maps().valuesAt({0, 0}).difference.has_value());
    QVERIFY(m_view->window().messages().isEmpty());
    b.setCurrentIndex(0);
    Q_EMIT b.activated(0);
    QVERIFY(settle());
}

void WindowComparePromptsTest::aSessionBringsBothPromptsBack() {
    QVERIFY(run(kLong + QStringLiteral(" and"), 2));
    const auto pair = *m_view->compare().pair();
    const std::string prompt = m_view->compare().run(pair.a)->prompt;
    m_view->compare().choose({pair.b, pair.a});
    QVERIFY(settle());
    const QString title = page().maps().title(CompareMaps::Difference), note = page().note();
    const auto difference = page().maps().valuesAt({4, 2}).difference;
    QVERIFY(difference.has_value() && m_view->compare().alignment());
    const QString path = m_home.folder.filePath(QStringLiteral("two-prompts.headscope"));
    Q_EMIT m_view->window().saveSessionAsRequested();
    QVERIFY(real::answer(*m_view, "saveSessionDialog", path));
    QVERIFY(eventually([&] { return QFile::exists(path); }, kPatience));
    // Into a window that has computed nothing of it.
    real::Home home;
    auto other = real::window(home, kShort.toStdString());
    QVERIFY(real::begin(*other));
    Q_EMIT other->window().sessionChosen(path);
    QVERIFY(eventually([&] { return other->window().isCompareShown(); }, kPatience));
    QVERIFY(::settle(*other, kPatience));
    const auto back = *other->compare().pair();
    QCOMPARE(back.a, other->session().run().id);
    QCOMPARE(other->compare().run(back.b)->prompt, prompt);
    QCOMPARE(other->comparePage().note().section(u';', 0, 0), note.section(u';', 0, 0));
    QVERIFY(!title.isEmpty());
    const auto again = other->comparePage().maps().valuesAt({4, 2}).difference;
    QVERIFY(again && std::abs(*again - *difference) < 1e-6);
    // It is an earlier prompt there, and can be shown.
    other->session().showKept(back.b);
    QCOMPARE(other->session().run().prompt, prompt);
    QVERIFY(::settle(*other, kPatience));
    QVERIFY(other->window().messages().isEmpty());
}

void WindowComparePromptsTest::aClosedPromptEndsIt() {
    Q_EMIT m_view->window().modelChosen(QString::fromStdString(default_model_path()));
    QVERIFY(eventually([&] { return m_view->compare().runs().size() <= 1; }, kPatience));
    QVERIFY(settle());
    QVERIFY(page().isEmpty());
}

QTEST_MAIN(WindowComparePromptsTest)
#include "window_compare_prompts_test.moc"
