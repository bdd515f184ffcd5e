// SPDX-License-Identifier: GPL-3.0-or-later
// What the real window says of all heads and of the first token's part in them, on the real engine
// and the default model, by clicks and keys. Every number is compared with sums over the pattern
// that the engine's `read` writes into a dump.
#include <QHeaderView>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <map>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/real_window.h"
#include "ui/finder/head_finder.h"
#include "ui/grid/head_grid.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/read_out.h"
#include "ui/heatmap/scale_column.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/strip/token_strip.h"

using engine::LayerHead;
using engine::Position;
using fake::eventually;
using ui::HeadMetric;

namespace {

constexpr int kPatience = real::patience;
const std::string kPrompt =
    "Mary, John and Tom met at the station. Mary gave John the keys, John gave Tom the map, and "
    "Tom thanked Mary. Later Tom asked John for the keys, but John said that Mary had the keys";

}  // namespace

class WindowHeadsTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }

    void scoresAreThoseOfTheDump_data();
    void scoresAreThoseOfTheDump();
    void headerSortsAndTheGridFollows();
    void draggedSpanIsAColumn();
    void sinkIsRenormalizedAway();
    void spanStaysWithItsTokens();

  private:
    bool settle() { return ::settle(*m_view, kPatience); }
    void spanIsThatOfTheDump(engine::Rows);
    app::Session& session() const { return m_view->session(); }
    // [head, dest, src] of a layer, as dumped.
    const std::vector<float>& pattern(int layer);
    // Σ p over rows and the cells that `counts`, of every head, over all p.
    std::vector<double> shares(const std::function<double(std::int64_t, std::int64_t)>& counts,
                               std::int64_t firstRow = 0);
    bool same(std::int64_t a, std::int64_t b) const {
        const auto& tokens = session().run().tokens;
        return tokens[static_cast<std::size_t>(a)].id == tokens[static_cast<std::size_t>(b)].id;
    }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
    std::map<int, std::vector<float>> m_patterns;
    std::int64_t m_rows = 0;
};

void WindowHeadsTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home, kPrompt);
    QVERIFY(real::begin(*m_view));
    m_rows = session().run().rows;
    QVERIFY(m_rows > 40);
}

const std::vector<float>& WindowHeadsTest::pattern(int layer) {
    std::vector<float>& values = m_patterns[layer];
    if (values.empty()) {
        const auto tensor = session().reader()->read(
            session().run().id, {"pattern", engine::Layer(layer), {}}, {0, m_rows});
        const auto span = tensor.data.as<float>();
        values.assign(span.begin(), span.end());
    }
    return values;
}

std::vector<double> WindowHeadsTest::shares(
    const std::function<double(std::int64_t, std::int64_t)>& counts, std::int64_t firstRow) {
    std::vector<double> found;
    const engine::ModelInfo& model = *session().model();
    for (int layer = 0; layer < model.layers; ++layer) {
        const float* p = pattern(layer).data();
        for (int head = 0; head < model.query_heads; ++head, p += m_rows * m_rows) {
            double sum = 0, all = 0;
            for (std::int64_t dest = firstRow; dest < m_rows; ++dest)
                for (std::int64_t src = 0; src <= dest; ++src) {
                    const auto value = static_cast<double>(p[dest * m_rows + src]);
                    all += value;
                    sum += value * counts(dest, src);
                }
            found.push_back(sum / all);
        }
    }
    return found;
}

void WindowHeadsTest::scoresAreThoseOfTheDump_data() {
    QTest::addColumn<int>("metric");
    for (const HeadMetric metric : {HeadMetric::Sink, HeadMetric::Distance, HeadMetric::Previous,
                                    HeadMetric::Duplicate, HeadMetric::Induction})
        QTest::addRow("%s", qPrintable(ui::infoOf(metric).name)) << static_cast<int>(metric);
}

void WindowHeadsTest::scoresAreThoseOfTheDump() {
    QFETCH(int, metric);
    const auto expected = shares([&](std::int64_t dest, std::int64_t src) {
        switch (HeadMetric(metric)) {
            case HeadMetric::Sink: return src == 0 ? 1.0 : 0.0;
            case HeadMetric::Distance: return static_cast<double>(dest - src);
            case HeadMetric::Previous: return src == dest - 1 ? 1.0 : 0.0;
            case HeadMetric::Duplicate: return src < dest && same(src, dest) ? 1.0 : 0.0;
            default: return src > 0 && same(src - 1, dest) ? 1.0 : 0.0;
        }
    });
    const double most = *std::max_element(expected.begin(), expected.end());
    QVERIFY(most > 0.2);
    for (int row = 0; row < m_view->finder().model().heads(); ++row) {
        const auto shown = m_view->finder().model().value(row, HeadMetric(metric));
        QVERIFY(shown.has_value());
        QVERIFY(std::abs(*shown - expected[static_cast<std::size_t>(row)]) < 1e-5 * (1 + most));
    }
}

void WindowHeadsTest::headerSortsAndTheGridFollows() {
    m_view->window().showFinderPage();
    const auto induction = shares([&](std::int64_t dest, std::int64_t src) {
        return src > 0 && same(src - 1, dest) ? 1.0 : 0.0;
    });
    const auto best =
        static_cast<int>(std::max_element(induction.begin(), induction.end()) - induction.begin());
    QTableView& table = m_view->finder().table();
    QHeaderView* header = table.horizontalHeader();
    const int column = ui::columnOf(HeadMetric::Induction);
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                      QPoint(header->sectionViewportPosition(column) + 20, header->height() / 2));
    QCOMPARE(m_view->finder().rankText(), QStringLiteral("induction"));
    const LayerHead first = m_view->finder().ranked().front();
    QCOMPARE(first, m_view->finder().model().headAt(best));
    QCOMPARE(m_view->grid().rankOf(first), 1);
    QCOMPARE(table.model()->index(0, column).data().toString(),
             QString::number(induction[static_cast<std::size_t>(best)], 'f', 3));
    m_view->window().showHeadPage();
}

void WindowHeadsTest::spanIsThatOfTheDump(engine::Rows span) {
    const auto expected =
        shares([span](std::int64_t,
                      std::int64_t src) { return src >= span.begin && src < span.end ? 1.0 : 0.0; },
               span.begin);
    const ui::FinderModel& model = m_view->finder().model();
    for (int row = 0; row < model.heads(); ++row)
        QVERIFY(std::abs(model.value(row, HeadMetric::Span).value_or(-1) -
                         expected[static_cast<std::size_t>(row)]) < 1e-5);
}

void WindowHeadsTest::draggedSpanIsAColumn() {
    ui::TokenStrip& strip = m_view->window().tokenStrip();
    strip.scrollTo(0);
    const QPoint from = strip.tokenRect(2).center(), to = strip.tokenRect(4).center();
    QTest::mousePress(&strip, Qt::LeftButton, {}, from);
    QTest::mouseMove(&strip, to);
    QTest::mouseRelease(&strip, Qt::LeftButton, {}, to);
    QCOMPARE(strip.span().value(), (engine::Rows{2, 5}));
    QVERIFY(settle());
    spanIsThatOfTheDump({2, 5});
    const ui::FinderModel& model = m_view->finder().model();
    QVERIFY(!m_view->finder().table().isColumnHidden(ui::columnOf(HeadMetric::Span)));
    session().unlock();
    QTest::keyClick(&m_view->window(), Qt::Key_Escape);
    QVERIFY(!strip.span());
    QVERIFY(m_view->finder().table().isColumnHidden(ui::columnOf(HeadMetric::Span)));
    QVERIFY(!model.value(0, HeadMetric::Span).has_value());
}

void WindowHeadsTest::sinkIsRenormalizedAway() {
    session().selectHead({engine::Layer(17), engine::QueryHead(4)});
    ui::HeadHeatmap& map = m_view->headPage().heatmap();
    const auto isRenormalized = [&] { return map.scene().tile->request.renormalized; };
    map.setFocus();
    for (int i = 0; i < 3; ++i) QTest::keyClick(&map, Qt::Key_B);
    QCOMPARE(m_view->headPage().scaleColumn().choice().sink, ui::SinkMode::Renormalized);
    QVERIFY(settle());
    QVERIFY(isRenormalized());
    const float* p = pattern(17).data() + 4 * m_rows * m_rows;
    const std::int64_t dest = m_rows - 2;
    double rest = 0;
    for (std::int64_t src = 1; src <= dest; ++src)
        rest += static_cast<double>(p[dest * m_rows + src]);
    QVERIFY(rest < 0.9);  // there is a sink
    session().selectCell(Position{dest}, Position{3});
    QVERIFY(settle());
    const auto* readOut = map.findChild<ui::ReadOut*>();
    const auto fields = readOut->fields();
    const auto own = static_cast<double>(p[dest * m_rows + 3]);
    QCOMPARE(fields[0].name, QStringLiteral("p, renormalized"));
    QVERIFY(std::abs(fields[0].value.toDouble() - own / rest) < 2e-6);
    QCOMPARE(fields[1].name, QStringLiteral("p"));
    QVERIFY(std::abs(fields[1].value.toDouble() - own) < 2e-6);
    QVERIFY(m_view->headPage().scaleColumn().notes().contains(
        QStringLiteral("rows sum to 1 without source 0")));
    // Of no other quantity, and back with the pattern.
    QTest::keyClick(&map, Qt::Key_3);
    QVERIFY(settle());
    QVERIFY(!isRenormalized());
    QTest::keyClick(&map, Qt::Key_2);
    QVERIFY(settle());
    QVERIFY(isRenormalized());
    QTest::keyClick(&map, Qt::Key_B);
    QVERIFY(settle());
    QVERIFY(!isRenormalized());
    QVERIFY(m_view->window().messages().isEmpty());
}

// It follows new rows, a fork and the same prompt, and ends with another.
void WindowHeadsTest::spanStaysWithItsTokens() {
    ui::MainWindow& window = m_view->window();
    const engine::Rows span{3, 9};
    window.tokenStrip().setSpan(span);
    const auto holds = [&] {
        QVERIFY(settle());
        m_rows = session().run().rows;
        m_patterns.clear();
        QCOMPARE(window.tokenStrip().span().value(), span);
        spanIsThatOfTheDump(span);
    };
    holds();
    const std::int64_t before = m_rows;
    Q_EMIT window.stepRequested();
    QVERIFY(eventually([&] { return session().run().rows > before; }, kPatience));
    holds();
    const engine::Step step = session().run().steps.front();
    session().fork(step.position, step.alternatives.at(1), {});
    QVERIFY(eventually([&] { return !session().run().parent.empty(); }, kPatience));
    holds();
    window.promptPanel().setPrompt(QStringLiteral("Another prompt, of its own tokens"));
    Q_EMIT window.runRequested();
    QVERIFY(eventually([&] { return session().run().parent.empty() && session().run().promptRead; },
                       kPatience));
    QVERIFY(settle());
    QVERIFY(!window.tokenStrip().span());
    QVERIFY(m_view->finder().table().isColumnHidden(ui::columnOf(HeadMetric::Span)));
    QVERIFY(window.messages().isEmpty());
}

QTEST_MAIN(WindowHeadsTest)
#include "window_heads_test.moc"
