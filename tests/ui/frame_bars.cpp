// SPDX-License-Identifier: GPL-3.0-or-later
// The contribution bars: which numbers are written, and the rows of what only some models have.
#include <qcustomplot.h>
#include <QLabel>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <limits>

#include "tests/support/qt_warnings.h"
#include "tests/ui/frame_values.h"
#include "ui/contributions/contribution_bars.h"

using frame::show;

class FrameBars : public QObject {
    Q_OBJECT

    // All that is written in a plot, top to bottom.
    static QStringList textsOf(const QCustomPlot* plot) {
        std::vector<std::pair<double, QString>> found;
        for (int i = 0; i < plot->itemCount(); ++i)
            if (const auto* item = qobject_cast<QCPItemText*>(plot->item(i)))
                found.emplace_back(item->position->coords().y(), item->text());
        std::stable_sort(found.begin(), found.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        QStringList texts;
        for (const auto& [row, text] : found) texts << text;
        return texts;
    }

  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() {
        ui::loadFonts();
        ui::setTheme(ui::Scheme::Light);
    }

    // Every number has its row where there is room; else the window says which are written.
    void barsWriteWhatHasRoom_data() {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("height");
        QTest::addColumn<bool>("all");
        QTest::newRow("few layers") << 8 << 620 << true;
        QTest::newRow("many layers") << 60 << 500 << false;
    }
    void barsWriteWhatHasRoom() {
        QFETCH(int, layers);
        QFETCH(int, height);
        QFETCH(bool, all);
        ui::ContributionBars bars;
        engine::ContributionTable table = frame::contributions(layers, 4);
        table.attention_attribution[4] = 0.0625F;  // however small
        table.mlp_attribution[4] = 0;
        bars.setTable(table, 2, QStringLiteral("t"), {});
        bars.setFocusedHead({engine::Layer{1}, engine::QueryHead{0}});
        show(bars, {326, height});
        const QString small = QStringLiteral("+0.06");
        const auto title = [&] {
            for (const QLabel* label : bars.findChildren<QLabel*>())
                if (label->text().contains(QStringLiteral(" total"))) return label;
            return static_cast<const QLabel*>(nullptr);
        };
        QVERIFY(title());
        const auto numbers = [&] {
            return textsOf(bars.layersPlot())
                .filter(QRegularExpression(QStringLiteral("^[+\u2212]")));
        };
        QCOMPARE(numbers().size() == layers + 1, all);  // the embedding's too
        QCOMPARE(numbers().contains(small), all);
        QCOMPARE(title()->text(),
                 all ? QStringLiteral("layer total") : QStringLiteral("largest totals"));
        QCOMPARE(title()->toolTip().contains(QStringLiteral("hover a row for its own")), !all);
        const double row =
            static_cast<double>(bars.layersPlot()->height() - 2 * ui::layersMargin) / (layers + 1);
        QTest::mouseMove(bars.layersPlot(),
                         QPoint(100, static_cast<int>(ui::layersMargin + 5.5 * row)));
        QVERIFY(numbers().contains(small));
        QVERIFY(bars.toolTipOf(bars.layersPlot(), 5).contains(QStringLiteral("+0.0625")));
    }

    // Nothing lies over anything else, however low the dock is.
    void lowDocksScroll_data() {
        QTest::addColumn<int>("height");
        QTest::newRow("a window of 600") << 240;
        QTest::newRow("at the bottom") << 140;
        QTest::newRow("least") << 120;
    }
    void lowDocksScroll() {
        QFETCH(int, height);
        ui::ContributionBars bars;
        bars.setTable(frame::contributions(30, 9), 3, QStringLiteral("t"), {});
        show(bars, {326, height});
        auto* area = bars.findChild<QScrollArea*>(QStringLiteral("barsArea"));
        QVERIFY(area->verticalScrollBar()->maximum() > 0);
        std::vector<QRect> parts;
        for (QWidget* part :
             area->widget()->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
            if (!part->isVisible()) continue;
            if (qobject_cast<QLabel*>(part))
                QVERIFY(part->height() >= part->minimumSizeHint().height());
            for (const QRect& other : parts) QVERIFY(!other.intersects(part->geometry()));
            parts.push_back(part->geometry());
        }
        QVERIFY(parts.size() > 8);
    }

    // The largest error of the sums that are numbers says nothing of the others.
    void closingCannotBeToldOfNoNumbers() {
        ui::ContributionBars bars;
        engine::ContributionTable table = frame::contributions(3, 4);
        table.heads_close = 6e-8F;
        const auto says = [&](const QString& text) {
            const auto labels = bars.findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                               [&](const QLabel* label) { return label->text() == text; });
        };
        bars.setTable(table, 2, QStringLiteral("t"), {});
        QVERIFY(says(QStringLiteral("Σ closes to 6e-8")));
        table.attention_norm[1] = std::numeric_limits<float>::quiet_NaN();
        bars.setTable(table, 2, QStringLiteral("t"), {});
        QVERIFY(says(QStringLiteral("Σ: cannot be told")));
        QVERIFY(!says(QStringLiteral("Σ closes to 6e-8")));
    }

    // What no head writes has a row of its own, only in models that have it.
    void barsOfBiasesAndCaps() {
        ui::ContributionBars bars;
        engine::ContributionTable table = frame::contributions(3, 4);
        bars.setTable(table, 2, QStringLiteral("t"), {});
        show(bars, {326, 620});
        const auto says = [&](const QString& text) {
            const auto labels = bars.findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                               [&](const QLabel* label) { return label->text() == text; });
        };
        const int height = bars.headsPlot()->height();
        QVERIFY(!textsOf(bars.headsPlot()).contains(QStringLiteral("bias")));
        QVERIFY(says(QStringLiteral("Σ heads = attention out")));
        QVERIFY(says(QStringLiteral("Σ writes = logit")));

        table.output_bias_attribution = {0.25F, -1.5F, 0.75F};
        table.output_bias_norm = {1, 2, 3};
        table.soft_cap = 30;
        table.logit = 45;
        bars.setTable(table, 2, QStringLiteral("t"), {});
        bars.setFocusedHead({engine::Layer{1}, engine::QueryHead{0}});
        QCOMPARE(bars.headsPlot()->minimumHeight() * 4, height * 5);
        QCOMPARE(textsOf(bars.headsPlot()).mid(8),
                 (QStringList{QStringLiteral("bias"), QStringLiteral("\u22121.500")}));
        QVERIFY(bars.toolTipOf(bars.headsPlot(), 4).contains(QStringLiteral("\u22121.5000")));
        QVERIFY(says(QStringLiteral("Σ heads + bias = attention out")));
        QVERIFY(says(QStringLiteral("Σ writes = logit before the cap")));
        const auto labels = bars.findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->toolTip().contains(QStringLiteral("here to +27.154"));  // 30 tanh(1.5)
        }));
        QSignalSpy head(&bars, &ui::ContributionBars::headActivated);
        QTRY_COMPARE(bars.headsPlot()->height(), height * 5 / 4);
        QTest::mouseClick(bars.headsPlot(), Qt::LeftButton, {},
                          QPoint(100, bars.headsPlot()->height() - 4));
        QCOMPARE(head.count(), 0);
        bars.setMeasure(ui::Measure::Write);
        QCOMPARE(textsOf(bars.headsPlot()).back(), QStringLiteral("2.00"));
    }
};

QTEST_MAIN(FrameBars)
#include "frame_bars.moc"
