// SPDX-License-Identifier: GPL-3.0-or-later
// The range of the map's colours beyond the head: the layer's and the model's, of every quantity,
// by keys in the real window on the default model, against loops over whole maps.
#include <QFile>
#include <QImage>
#include <QTest>
#include <cmath>

#include "app/view/main_view.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"
#include "tests/support/real_cli.h"
#include "tests/support/real_window.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/scale_column.h"

using engine::LayerHead;
using engine::Quantity;
using ui::RangeMode;
using ui::SinkMode;

namespace {

constexpr int kPatience = real::patience;
const std::string kPrompt = "When Mary and John went to the store, John gave a drink to Mary and";

}  // namespace

class WindowRangesTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }
    void rangeIsOfTheHeads_data();
    void rangeIsOfTheHeads();
    void verbHasTheSame_data();
    void verbHasTheSame();
    void followsHeadTargetAndRows();
    void ranksAmongTheModel();
    void figureHasTheRange();

  private:
    app::Session& session() const { return m_view->session(); }
    ui::MapLegend legend() const { return m_view->headPage().heatmap().legend(); }
    const ui::ScaleChoice& choice() const { return m_view->headPage().scaleColumn().choice(); }
    void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        m_view->window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&m_view->window()));
        QTest::keyClick(&m_view->window(), static_cast<Qt::Key>(key), modifiers);
    }
    bool settled() {
        return settle(*m_view, kPatience) &&
               fake::eventually([this] { return !legend().measuring; }, kPatience);
    }
    void take(RangeMode range) {
        for (int i = 0; choice().range != range && i < 5; ++i) key(Qt::Key_R);
        QCOMPARE(choice().range, range);
    }
    void take(SinkMode sink) {
        for (int i = 0; choice().sink != sink && i < 5; ++i) key(Qt::Key_B);
        QCOMPARE(choice().sink, sink);
    }
    void rank(bool wanted) {
        for (int i = 0; choice().rank != wanted && i < 5; ++i) key(Qt::Key_S);
        QCOMPARE(choice().rank, wanted);
    }
    // |value| of every visible cell of these heads.
    std::vector<float> cells(Quantity quantity, std::optional<engine::Layer> layer, bool sink) {
        std::vector<float> all;
        const engine::ModelInfo& model = *session().model();
        engine::TileRequest request;
        request.run = session().run().id;
        request.quantity = quantity;
        request.pooling = engine::Pooling::None;
        const std::int64_t n = session().run().rows;
        request.dest = request.src = {0, n, 1, {}};
        request.target = m_view->views().target().value();
        request.distractor = m_view->views().distractor();
        for (int l = 0; l < model.layers; ++l)
            for (int h = 0; h < model.query_heads; ++h)
                if (!layer || *layer == engine::Layer(l))
                    request.heads.push_back({engine::Layer(l), engine::QueryHead(h)});
        const engine::Tile tile = session().reader()->tile(request);
        const auto values = tile.data.as<float>();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto at = static_cast<std::int64_t>(i) % (n * n);
            if (at % n <= at / n && (sink || at % n > 0)) all.push_back(std::fabs(values[i]));
        }
        return all;
    }
    static double most(const std::vector<float>& values) {
        return static_cast<double>(*std::max_element(values.begin(), values.end()));
    }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
};

void WindowRangesTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home, kPrompt);
    QVERIFY(real::begin(*m_view));
    session().selectHead({engine::Layer(17), engine::QueryHead(4)});
    QVERIFY(settled());
}

void WindowRangesTest::rangeIsOfTheHeads_data() {
    QTest::addColumn<int>("quantity");
    QTest::addColumn<int>("range");
    QTest::addColumn<int>("sink");
    const char* names[] = {"scores", "p", "value", "attribution"};
    for (int quantity = 0; quantity < 4; ++quantity)
        for (const RangeMode range : {RangeMode::Layer, RangeMode::Model})
            for (const SinkMode sink : {SinkMode::OutOfScale, SinkMode::InScale})
                QTest::addRow("%s of the %s, sink %s", names[quantity],
                              range == RangeMode::Layer ? "layer" : "model",
                              sink == SinkMode::InScale ? "in" : "out")
                    << quantity << int(range) << int(sink);
}

void WindowRangesTest::rangeIsOfTheHeads() {
    QFETCH(int, quantity);
    QFETCH(int, range);
    QFETCH(int, sink);
    key(Qt::Key_1 + quantity);
    QVERIFY(settled());
    take(RangeMode(range));
    take(SinkMode(sink));
    QVERIFY(settled());
    const auto layer = RangeMode(range) == RangeMode::Layer
                           ? std::optional(session().selection().at.layer)
                           : std::nullopt;
    const double expected =
        most(cells(Quantity(quantity), layer, SinkMode(sink) == SinkMode::InScale));
    const double shown = legend().scale.high;
    QVERIFY2(std::fabs(shown - expected) <= 1e-5 * expected,
             qPrintable(QStringLiteral("%1, not %2").arg(shown).arg(expected)));
    // Not by chance that of the head alone: it is not the strongest of all.
    take(RangeMode::Head);
    QVERIFY(settled());
    if (RangeMode(range) == RangeMode::Model && SinkMode(sink) == SinkMode::OutOfScale)
        QVERIFY(legend().scale.high < (1 - 1e-5) * expected);
}

void WindowRangesTest::followsHeadTargetAndRows() {
    key(Qt::Key_4);
    take(SinkMode::OutOfScale);
    take(RangeMode::Layer);
    QVERIFY(settled());
    const auto expected = [this] {
        return most(cells(Quantity::Attribution, session().selection().at.layer, false));
    };
    const auto isExact = [&] {
        const double value = expected();
        return std::fabs(legend().scale.high - value) <= 1e-5 * value;
    };
    QVERIFY(isExact());
    const double before = legend().scale.high;
    key(Qt::Key_Up);  // another layer
    QVERIFY(settled());
    QVERIFY(isExact());
    QVERIFY(legend().scale.high != before);
    m_view->views().setTarget(engine::TokenId(500));
    QVERIFY(fake::eventually([&] { return !legend().measuring && isExact(); }, kPatience));
    for (int i = 0; i < 3; ++i) {
        const std::int64_t rows = session().run().rows;
        Q_EMIT m_view->window().stepRequested();
        QVERIFY(fake::eventually([&] { return session().run().rows > rows; }, kPatience));
        QVERIFY(settled());
    }
    QVERIFY(settled());
    QVERIFY(fake::eventually(isExact, kPatience));
    m_view->views().setTarget({});
}

void WindowRangesTest::ranksAmongTheModel() {
    key(Qt::Key_2);
    take(SinkMode::OutOfScale);
    take(RangeMode::Model);
    rank(true);
    QVERIFY(settled());
    std::vector<float> all = cells(Quantity::Pattern, {}, false);
    std::sort(all.begin(), all.end());
    const ui::MapLegend now = legend();
    // Few enough cells for each to be counted, and the largest after them if it is not among them.
    QVERIFY(std::abs(now.rankedCells - std::ssize(all)) <= 1);
    QCOMPARE(static_cast<double>(all.back()), now.scale.high);
    for (const float p : {0.001F, 0.05F, 0.5F}) {
        const auto below = std::lower_bound(all.begin(), all.end(), p) - all.begin();
        QVERIFY(std::fabs(now.scale.position(double(p)) - double(below) / double(all.size())) <
                1e-3);
    }
    QVERIFY(m_view->headPage().scaleColumn().notes().join(u' ').contains(
        QStringLiteral("of their cells")));
    // Among those in view it is another place.
    take(RangeMode::Head);
    QVERIFY(settled());
    QCOMPARE(legend().rankedCells, 0);
    QVERIFY(std::fabs(legend().scale.position(0.05) - now.scale.position(0.05)) > 1e-3);
    rank(false);
}

void WindowRangesTest::figureHasTheRange() {
    key(Qt::Key_3);
    take(RangeMode::Layer);
    QVERIFY(settled());
    const double high = legend().scale.high;
    key(Qt::Key_E, Qt::ControlModifier);
    const QString path = m_home.folder.filePath(QStringLiteral("layer.png"));
    QVERIFY(real::answer(*m_view, "exportDialog", path));
    QVERIFY(fake::eventually([&] { return QFile::exists(path); }, kPatience));
    const QString said = QImage(path).text(QStringLiteral("Description"));
    QVERIFY2(said.contains(QStringLiteral("colours to %1").arg(QString::number(high, 'g', 9))),
             qPrintable(said));
    take(RangeMode::Head);
    key(Qt::Key_2);
}

void WindowRangesTest::verbHasTheSame_data() {
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("says");  // in the picture, or when it is refused
    QTest::addColumn<bool>("refused");
    const auto largest = [this](Quantity quantity, std::optional<engine::Layer> layer) {
        return QStringLiteral("colours to ") +
               QString::number(most(cells(quantity, layer, false)), 'g', 7);
    };
    QTest::newRow("layer") << "--view L16.H4 --range layer"
                           << largest(Quantity::Pattern, engine::Layer(16)) << false;
    QTest::newRow("model") << "--view L16.H4,L2.H0 --quantity scores --range model"
                           << largest(Quantity::Scores, {}) << false;
    QTest::newRow("ranks") << "--view L16.H4 --scale rank --range model"
                           << "of the model's cells" << false;
    QTest::newRow("ranks in view") << "--view L16.H4 --scale rank"
                                   << "colours by rank among the cells shown" << false;
    QTest::newRow("a part by words") << "--view L16.H4 --by words --rows 5-12 --srcs 2-9"
                                     << "mean over dest, sum over src" << false;
    QTest::newRow("ranks to a value") << "--view L16.H4 --scale rank --range 0.5"
                                      << "a rank counts cells" << true;
    QTest::newRow("ranks, fixed") << "--view L16.H4 --scale rank --range fixed"
                                  << "a rank counts cells" << true;
    QTest::newRow("of two layers") << "--view L16.H4,L2.H0 --range layer"
                                   << "the heads are of several layers" << true;
    QTest::newRow("sums") << "--view L16.H4 --pooling sum --range layer"
                          << "pixels are means or sums" << true;
    QTest::newRow("words") << "--view L16.H4 --by words --range layer"
                           << "pixels are means or sums" << true;
}

void WindowRangesTest::verbHasTheSame() {
    QFETCH(QString, words);
    QFETCH(QString, says);
    QFETCH(bool, refused);
    const QString path = m_home.folder.filePath(QStringLiteral("verb.png"));
    std::vector<std::string> all{"export", default_model_path(), "--prompt", kPrompt};
    for (const QString& word : words.split(u' ')) all.push_back(word.toStdString());
    all.insert(all.end(), {"--out", path.toStdString()});
    const CliOutcome outcome = run_verb(all);
    QCOMPARE(outcome.code, refused ? 2 : 0);
    const QString said = refused ? QString::fromStdString(outcome.err)
                                 : QImage(path).text(QStringLiteral("Description"));
    if (words.contains(QStringLiteral("--rows"))) QVERIFY(!said.contains(QStringLiteral("1 px")));
    const QString colours = QStringLiteral("colours to ");
    if (!says.startsWith(colours)) {
        QVERIFY2(said.contains(says), qPrintable(said));
        return;
    }
    const double expected = says.mid(colours.size()).toDouble();
    const double value = said.section(colours, 1, 1).section(QStringLiteral(", "), 0, 0).toDouble();
    QVERIFY2(std::fabs(value - expected) <= 1e-5 * expected, qPrintable(said + says));
}

QTEST_MAIN(WindowRangesTest)
#include "window_ranges_test.moc"
