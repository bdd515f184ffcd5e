// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers that the real window writes, on the real engine and the default model: those of all
// heads, of a renormalized map, and how far heads moved between two runs. They are what is on
// screen, what sums over the engine's `read` give, and the verb's file byte for byte.
#include <QCheckBox>
#include <QFile>
#include <QImage>
#include <QTest>
#include <cstring>

#include "app/view/main_view.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"
#include "tests/support/real_cli.h"
#include "tests/support/real_window.h"
#include "ui/compare/compare_page.h"
#include "ui/finder/head_finder.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/scale_column.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/strip/token_strip.h"

using engine::LayerHead;
using fake::eventually;
using ui::HeadMetric;

namespace {

constexpr int kPatience = real::patience;
const std::string kPrompt = "When Mary and John went to the store, John gave a drink to Mary and";

// The data of an NPY file; `shape` as the header writes it.
std::vector<float> npyValues(const QByteArray& bytes, const QByteArray& shape) {
    const qsizetype begin =
        10 + static_cast<quint8>(bytes[8]) + 256 * static_cast<quint8>(bytes[9]);
    if (!bytes.left(begin).contains("'shape': (" + shape + ")")) return {};
    std::vector<float> values(static_cast<std::size_t>(bytes.size() - begin) / sizeof(float));
    std::memcpy(values.data(), bytes.constData() + begin, values.size() * sizeof(float));
    return values;
}

QList<QByteArray> csvLines(const QByteArray& bytes) {
    QList<QByteArray> lines = bytes.split('\n');
    lines.removeLast();
    return lines;
}

}  // namespace

class WindowNumbersTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }

    void renormalizedDataAreTheMaps_data();
    void renormalizedDataAreTheMaps();
    void partInViewIsTheVerbs_data();
    void partInViewIsTheVerbs();
    void numbersAreTheFindersAndTheVerbs_data();
    void numbersAreTheFindersAndTheVerbs();
    void aChosenSpanIsAColumn();
    void scatterIsAPicture();
    void verbRefusesWhatItHasNot_data();
    void verbRefusesWhatItHasNot();
    void changesAreTheTables();

  private:
    bool settle() { return ::settle(*m_view, kPatience); }
    app::Session& session() const { return m_view->session(); }
    std::int64_t rows() const { return session().run().rows; }
    void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        m_view->window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&m_view->window()));
        QTest::keyClick(&m_view->window(), static_cast<Qt::Key>(key), modifiers);
    }
    QString answer(const QString& name) {
        const QString path = m_home.folder.filePath(name);
        QFile::remove(path);
        if (!real::answer(*m_view, "exportDialog", path)) return {};
        return eventually([&] { return QFile::exists(path); }, kPatience) ? path : QString();
    }
    QString verb(const QString& name, std::vector<std::string> words) {
        const QString path = m_home.folder.filePath(QStringLiteral("verb-") + name);
        std::vector<std::string> all{"export", default_model_path(), "--prompt", kPrompt};
        all.insert(all.end(), words.begin(), words.end());
        all.insert(all.end(), {"--out", path.toStdString()});
        const CliOutcome outcome = run_verb(all);
        if (outcome.code != 0) qWarning("%s", outcome.err.c_str());
        return path;
    }
    void trigger(const QString& text) {
        for (QAction* action : m_view->window().findChildren<QAction*>())
            if (QString(action->text()).remove(u'&') == text) return action->trigger();
        QFAIL(qPrintable(text));
    }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
};

void WindowNumbersTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home, kPrompt);
    QVERIFY(real::begin(*m_view));
    QVERIFY(rows() > 12);
}

void WindowNumbersTest::renormalizedDataAreTheMaps_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("csv") << "map.csv";
    QTest::newRow("npy") << "map.npy";
}

void WindowNumbersTest::renormalizedDataAreTheMaps() {
    QFETCH(QString, name);
    session().selectHead({engine::Layer(17), engine::QueryHead(4)});
    for (int i = 0; !m_view->views().isRenormalized() && i < 4; ++i) key(Qt::Key_B);
    QVERIFY(m_view->views().isRenormalized());
    QVERIFY(settle());
    key(Qt::Key_E, Qt::ControlModifier);
    const QString path = answer(name);
    QVERIFY(!path.isEmpty());
    const QByteArray bytes = file_bytes(path);
    const std::int64_t n = rows();
    const auto dumped =
        session().reader()->read(session().run().id, {"pattern", engine::Layer(17), {}}, {0, n});
    const float* p = dumped.data.as<float>().data() + 4 * n * n;
    const auto expected = [&](std::int64_t dest, std::int64_t src) {
        double rest = 0;
        for (std::int64_t i = 1; i <= dest; ++i) rest += static_cast<double>(p[dest * n + i]);
        return src == 0 || dest == 0 ? 0 : static_cast<double>(p[dest * n + src]) / rest;
    };
    if (name.endsWith(u"npy")) {
        const auto values = npyValues(
            bytes, QByteArray("1, ") + QByteArray::number(n) + ", " + QByteArray::number(n) + ", ");
        QCOMPARE(std::ssize(values), n * n);
        for (std::int64_t dest = 0; dest < n; ++dest)
            for (std::int64_t src = 0; src <= dest; ++src)
                QVERIFY(
                    std::abs(static_cast<double>(values[static_cast<std::size_t>(dest * n + src)]) -
                             expected(dest, src)) < 2e-6);
    } else {
        const auto lines = csvLines(bytes);
        QCOMPARE(lines.size(), 1 + n * (n + 1) / 2);
        for (const QByteArray& line : lines.mid(1)) {
            const auto fields = line.split(',');
            QVERIFY(std::abs(line.mid(line.lastIndexOf(',') + 1).toDouble() -
                             expected(fields[2].toLongLong(), fields[3].toLongLong())) < 2e-6);
        }
    }
    QCOMPARE(file_bytes(verb(name, {"--view", "L17.H4", "--sink", "renormalized"})), bytes);
    QVERIFY(file_bytes(verb(name, {"--view", "L17.H4"})) != bytes);
    m_view->headPage().scaleColumn().setChoice({});
    Q_EMIT m_view->headPage().scaleColumn().scaleChanged({});
    QVERIFY(settle());
}

void WindowNumbersTest::partInViewIsTheVerbs_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("part");
    for (const char* ending : {"csv", "npy", "png", "svg"})
        for (const bool part : {true, false})
            QTest::addRow("%s, %s", ending, part ? "in view" : "whole")
                << QStringLiteral("part.") + QLatin1String(ending) << part;
}

void WindowNumbersTest::partInViewIsTheVerbs() {
    QFETCH(QString, name);
    QFETCH(bool, part);
    session().selectHead({engine::Layer(21), engine::QueryHead(1)});
    session().selectCell(engine::Position{8}, engine::Position{5});  // the view follows it
    QVERIFY(settle());
    m_view->headPage().heatmap().showView({6, 3, 5});
    QVERIFY(settle());
    key(Qt::Key_E, Qt::ControlModifier);
    QCheckBox* box = nullptr;
    QVERIFY(eventually([&] {
        box = m_view->window().findChild<QCheckBox*>(QStringLiteral("inView"));
        return box && box->isVisible();
    }));
    QCOMPARE(box->text(), QStringLiteral("&Only what is in view: rows 6–10, sources 3–7"));
    box->setChecked(part);
    const QString path = answer(name);
    QVERIFY(!path.isEmpty());
    const QByteArray bytes = file_bytes(path);
    std::vector<std::string> words{"--view", "L21.H1"};
    if (name.endsWith(u"png")) words.insert(words.end(), {"--zoom", "2"});
    if (part) words.insert(words.end(), {"--rows", "6-10", "--srcs", "3-7"});
    QCOMPARE(file_bytes(verb(name, words)), bytes);
    const QString says = QStringLiteral("rows 6–10, sources 3–7");
    if (name.endsWith(u"png"))
        QCOMPARE(QImage(path).text(QStringLiteral("Description")).contains(says), part);
    if (name.endsWith(u"svg")) QCOMPARE(bytes.contains(says.toUtf8()), part);
    if (name.endsWith(u"csv") && part) {
        const auto lines = csvLines(bytes);
        QCOMPARE(lines.size(), 1 + 4 + 4 * 5);  // row 6 ends at source 6
    }
    if (!name.endsWith(u"npy") || !part) return;
    const auto values = npyValues(bytes, "1, 5, 5, ");
    QCOMPARE(std::ssize(values), std::ptrdiff_t(25));
    const std::int64_t n = rows();
    const auto dumped =
        session().reader()->read(session().run().id, {"pattern", engine::Layer(21), {}}, {0, n});
    for (std::int64_t dest = 6; dest < 11; ++dest)
        for (std::int64_t src = 3; src < 8; ++src)
            QVERIFY(std::abs(values[static_cast<std::size_t>((dest - 6) * 5 + src - 3)] -
                             (src > dest ? 0.0F
                                         : dumped.data.as<float>()[static_cast<std::size_t>(
                                               (n + dest) * n + src)])) < 1e-6F);
}

void WindowNumbersTest::numbersAreTheFindersAndTheVerbs_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("csv") << "heads.csv";
    QTest::newRow("npy") << "heads.npy";
}

void WindowNumbersTest::numbersAreTheFindersAndTheVerbs() {
    QFETCH(QString, name);
    session().selectDest(engine::Position(rows() - 1));
    QVERIFY(settle());
    key(Qt::Key_2, Qt::ControlModifier);
    QVERIFY(m_view->window().isFinderShown());
    key(Qt::Key_E, Qt::ControlModifier);  // of the page that is shown
    const QString path = answer(name);
    QVERIFY(!path.isEmpty());
    const QByteArray bytes = file_bytes(path);
    const ui::FinderModel& model = m_view->finder().model();
    std::vector<HeadMetric> metrics;  // as there is no span
    for (int i = 0; i < ui::headMetrics; ++i)
        if (HeadMetric(i) != HeadMetric::Span) metrics.push_back(HeadMetric(i));
    std::vector<std::vector<double>> columns(metrics.size());
    if (name.endsWith(u"npy")) {
        const auto values = npyValues(bytes, "9, 30, 9, ");
        QCOMPARE(std::ssize(values), std::ptrdiff_t(9 * 270));
        for (std::size_t i = 0; i < values.size(); ++i)
            columns[i / 270].push_back(static_cast<double>(values[i]));
    } else {
        const auto lines = csvLines(bytes);
        QCOMPARE(lines.size(), 271);
        QCOMPARE(lines[0],
                 "layer,head,entropy,sink,max_pattern,distance,previous_token,duplicate_token,"
                 "induction,contribution_norm,logit_attribution");
        QVERIFY(lines[1 + 9 * 21 + 7].startsWith("21,7,"));
        for (const QByteArray& line : lines.mid(1))
            for (std::size_t i = 0; i < metrics.size(); ++i)
                columns[i].push_back(line.split(',')[2 + static_cast<qsizetype>(i)].toDouble());
    }
    for (std::size_t i = 0; i < metrics.size(); ++i)
        for (int head = 0; head < 270; ++head) {
            const auto shown = model.value(head, metrics[i]);
            QVERIFY(shown);
            QVERIFY(std::abs(*shown - columns[i][static_cast<std::size_t>(head)]) <=
                    1e-5 * std::max(1.0, std::abs(*shown)));
        }
    // And one of them by hand.
    const std::int64_t n = rows();
    const auto dumped =
        session().reader()->read(session().run().id, {"pattern", engine::Layer(8), {}}, {0, n});
    double sink = 0;
    for (std::int64_t dest = 0; dest < n; ++dest)
        sink += static_cast<double>(
            dumped.data.as<float>()[static_cast<std::size_t>((5 * n + dest) * n)]);
    QVERIFY(std::abs(columns[1][8 * 9 + 5] - sink / static_cast<double>(n)) < 1e-5);
    QCOMPARE(file_bytes(verb(name, {"--view", "heads"})), bytes);
}

void WindowNumbersTest::aChosenSpanIsAColumn() {
    m_view->window().tokenStrip().setSpan(engine::Rows{2, 5});
    QVERIFY(settle());
    trigger(QStringLiteral("All heads' numbers…"));  // from any page
    const QString path = answer(QStringLiteral("span.csv"));
    QVERIFY(!path.isEmpty());
    const auto lines = csvLines(file_bytes(path));
    const qsizetype column = lines[0].split(',').indexOf("span_mass");
    QCOMPARE(column, 9);
    const ui::FinderModel& model = m_view->finder().model();
    for (int head = 0; head < 270; ++head)
        QVERIFY(std::abs(lines[1 + head].split(',')[column].toDouble() -
                         model.value(head, HeadMetric::Span).value()) < 1e-6);
    m_view->window().tokenStrip().setSpan({});
    QVERIFY(settle());
}

void WindowNumbersTest::scatterIsAPicture() {
    key(Qt::Key_2, Qt::ControlModifier);
    const ui::Scheme shown = ui::theme().scheme;
    QByteArray before;
    for (const ui::Scheme scheme : {ui::Scheme::Light, ui::Scheme::Dark}) {
        ui::setTheme(scheme);  // the picture is light whatever the window is
        key(Qt::Key_E, Qt::ControlModifier);
        const QString path = answer(QStringLiteral("scatter.png"));
        QVERIFY(!path.isEmpty());
        const QImage picture(path);
        QCOMPARE(picture.size(), QSize(1280, 840));
        QCOMPARE(picture.pixelColor(2, 2), ui::themeOf(ui::Scheme::Light).base);
        QVERIFY2(
            picture.text(QStringLiteral("Description")).startsWith(QStringLiteral("all heads, ")),
            qPrintable(picture.text(QStringLiteral("Description"))));
        const QByteArray bytes = file_bytes(path);
        QVERIFY(before.isEmpty() || bytes == before);
        before = bytes;
    }
    ui::setTheme(shown);
    key(Qt::Key_E, Qt::ControlModifier);
    const QString path = answer(QStringLiteral("scatter.svg"));
    QVERIFY(!path.isEmpty());
    QVERIFY(file_bytes(path).contains("logit attr"));
    key(Qt::Key_1, Qt::ControlModifier);
}

void WindowNumbersTest::verbRefusesWhatItHasNot_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("out");
    QTest::addColumn<QString>("says");
    QTest::newRow("picture") << QString::fromLatin1("").split(u' ', Qt::SkipEmptyParts) << "h.png"
                             << "csv or npy";
    QTest::newRow("quantity")
        << QString::fromLatin1("--quantity value").split(u' ', Qt::SkipEmptyParts) << "h.csv"
        << "--quantity";
    QTest::newRow("page") << QString::fromLatin1("--letters").split(u' ', Qt::SkipEmptyParts)
                          << "h.csv"
                          << "--letters";
    QTest::newRow("sink")
        << QString::fromLatin1("--sink renormalized").split(u' ', Qt::SkipEmptyParts) << "h.csv"
        << "--sink";
    QTest::newRow("position")
        << QString::fromLatin1("--position 99").split(u' ', Qt::SkipEmptyParts) << "h.csv"
        << "positions 0 to";
    QTest::newRow("units") << QString::fromLatin1("--by words").split(u' ', Qt::SkipEmptyParts)
                           << "h.csv"
                           << "--by";
}

void WindowNumbersTest::verbRefusesWhatItHasNot() {
    QFETCH(QStringList, words);
    QFETCH(QString, out);
    QFETCH(QString, says);
    std::vector<std::string> all{"export", default_model_path(), "--prompt", kPrompt, "--view",
                                 "heads"};
    for (const QString& word : words) all.push_back(word.toStdString());
    all.insert(all.end(), {"--out", m_home.folder.filePath(out).toStdString()});
    const CliOutcome outcome = run_verb(all);
    QCOMPARE(outcome.code, 2);
    QVERIFY2(outcome.err.find(says.toStdString()) != std::string::npos, outcome.err.c_str());
    QVERIFY(!QFile::exists(m_home.folder.filePath(out)));
}

void WindowNumbersTest::changesAreTheTables() {
    trigger(QStringLiteral("Changes of all heads…"));  // says why not
    QTest::qWait(30);
    QVERIFY(!m_view->window().findChild<QFileDialog*>(QStringLiteral("exportDialog")));
    m_view->window().promptPanel().setTokensToGenerate(2);
    Q_EMIT m_view->window().runRequested();
    QVERIFY(eventually([&] { return session().run().steps.size() == 2; }, kPatience) && settle());
    const engine::Step step = session().run().steps[0];
    session().fork(step.position, step.alternatives.at(1), {});
    QVERIFY(eventually([&] { return !session().otherRuns().empty(); }, kPatience) && settle());
    key(Qt::Key_3, Qt::ControlModifier);
    QVERIFY(eventually([&] { return m_view->compare().changes().has_value(); }, kPatience));
    const ui::ChangeTable& table = *m_view->compare().changes();
    trigger(QStringLiteral("Changes of all heads…"));
    const QString path = answer(QStringLiteral("changes.csv"));
    QVERIFY(!path.isEmpty());
    const auto lines = csvLines(file_bytes(path));
    QCOMPARE(lines.size(), 271);
    QCOMPARE(lines[0],
             "layer,head,moved_mean,moved_at_dest,largest_change,largest_dest,largest_src");
    const std::int64_t dest = engine::to_int(session().selection().dest);
    for (int head = 0; head < 270; ++head) {
        const auto fields = lines[1 + head].split(',');
        const auto& largest = table.largest[static_cast<std::size_t>(head)];
        QCOMPARE(fields[0].toInt() * 9 + fields[1].toInt(), head);
        QCOMPARE(fields[2].toFloat(), table.mean(head));
        if (table.has(dest))
            QCOMPARE(fields[3].toFloat(), table.at(head, dest));
        else
            QCOMPARE(fields[3], dest < table.rows.begin ? "0" : "");
        QCOMPARE(fields[4].toFloat(), largest.value);
        QCOMPARE(fields[5].toInt(), static_cast<int>(engine::to_int(largest.dest)));
        QCOMPARE(fields[6].toInt(), static_cast<int>(engine::to_int(largest.src)));
    }
    trigger(QStringLiteral("Changes of all heads…"));
    const QString array = answer(QStringLiteral("changes.npy"));
    QVERIFY(!array.isEmpty());
    const auto values = npyValues(file_bytes(array), "3, 30, 9, ");
    QCOMPARE(std::ssize(values), std::ptrdiff_t(3 * 270));
    for (int head = 0; head < 270; ++head)
        QCOMPARE(values[static_cast<std::size_t>(540 + head)],
                 table.largest[static_cast<std::size_t>(head)].value);
}

QTEST_MAIN(WindowNumbersTest)
#include "window_numbers_test.moc"
