// SPDX-License-Identifier: GPL-3.0-or-later
// The Finder page: its numbers, its filter, what its table and points choose, and the grid that
// shows its order.
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <limits>

#include "tests/support/qt_warnings.h"
#include "tests/ui/frame_values.h"
#include "ui/finder/head_finder.h"
#include "ui/finder/head_scatter.h"
#include "ui/grid/head_grid.h"
#include "ui/painting/theme.h"
#include "ui/widgets/labelled_combo.h"

using engine::LayerHead;
using ui::HeadFinder;
using ui::HeadMetric;

namespace {

LayerHead at(int layer, int head) {
    return {engine::Layer(layer), engine::QueryHead(head)};
}

// Sink of head i is i / 24, its entropy 24 − i.
engine::HeadTable metrics() {
    engine::HeadTable table;
    table.layers = 4;
    table.query_heads = 6;
    for (int i = 0; i < 24; ++i) {
        table.sink.push_back(static_cast<float>(i) / 24);
        table.entropy.push_back(static_cast<float>(24 - i));
        table.max_pattern.push_back(0.5F);
        table.distance.push_back(static_cast<float>(i % 5));
        table.previous_token.push_back(static_cast<float>(i % 7) / 10);
        table.duplicate_token.push_back(0.01F);
        table.induction.push_back(i == 9 ? 0.8F : 0.02F);
    }
    return table;
}

// As frame::contributions, one head with a large negative write.
engine::ContributionTable contributions() {
    engine::ContributionTable table = frame::contributions(4, 6);
    table.head_attribution[2 * 6 + 1] = -9;
    return table;
}

void fill(HeadFinder& finder) {
    finder.setModel(frame::model("m", 1));
    finder.setMetrics(metrics());
    finder.setContributions(contributions(), QStringLiteral("13 ·to"), QStringLiteral("·Mary"));
    finder.resize(800, 600);
    finder.show();
    QVERIFY(QTest::qWaitForWindowExposed(&finder));
}

}  // namespace

class FrameFinder : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() { ui::loadFonts(); }

    void ordersByMagnitude() {
        HeadFinder finder;
        fill(finder);
        QCOMPARE(finder.rankText(), QStringLiteral("logit attr."));
        const auto ranked = finder.ranked();
        QCOMPARE(ranked.size(), std::size_t(24));
        QCOMPARE(ranked[0], at(2, 1));  // −9 before +5.3
        QCOMPARE(ranked[1], at(3, 5));
        QCOMPARE(
            finder.table().model()->index(0, columnOf(HeadMetric::Attribution)).data().toString(),
            QStringLiteral("−9.000"));
        QSignalSpy changed(&finder, &HeadFinder::rankingChanged);
        finder.table().sortByColumn(2, Qt::DescendingOrder);  // sink
        QVERIFY(changed.count() > 0);
        QCOMPARE(finder.ranked().front(), at(3, 5));
        QCOMPARE(finder.rankText(), QStringLiteral("sink"));
        finder.table().sortByColumn(columnOf(HeadMetric::Induction), Qt::DescendingOrder);
        QCOMPARE(finder.ranked().front(), at(1, 3));
        QCOMPARE(finder.rankText(), QStringLiteral("induction"));
    }

    void aFilterDimsThePoints() {
        HeadFinder finder;
        fill(finder);
        ui::HeadScatter& scatter = finder.scatter();
        finder.setFocusedHead(at(3, 5));
        const auto shown = [&](LayerHead head) {
            const QImage picture = scatter.toPixmap(scatter.width(), scatter.height()).toImage();
            return picture.pixelColor(scatter.pointOf(head)->toPoint());
        };
        scatter.grab();
        const QColor whole = shown(at(2, 1)), kept = shown(at(0, 1));
        finder.filter().setText(QStringLiteral("sink < 0.3"));
        QVERIFY(scatter.isDimmed(at(2, 1)) && !scatter.isDimmed(at(0, 1)));
        QVERIFY(shown(at(2, 1)) != whole);
        QCOMPARE(shown(at(0, 1)), kept);
        // What is filtered out is not taken by a rectangle either.
        const auto drag = [&](QPoint from, QPoint to) {
            QTest::mousePress(&scatter, Qt::LeftButton, {}, from);
            QMouseEvent move(QEvent::MouseMove, to, scatter.mapToGlobal(to), Qt::NoButton,
                             Qt::LeftButton, {});
            QCoreApplication::sendEvent(&scatter, &move);
            QTest::mouseRelease(&scatter, Qt::LeftButton, {}, to);
        };
        drag({scatter.axisRect()->left() + 1, scatter.axisRect()->top() + 1},
             {scatter.axisRect()->right() - 1, scatter.axisRect()->bottom() - 1});
        QCOMPARE(scatter.selected().size(), finder.ranked().size());
        finder.filter().clear();
        QVERIFY(!scatter.isDimmed(at(2, 1)));
        QCOMPARE(shown(at(2, 1)), whole);
    }

    // Below zero to the left of the middle, above it to the right.
    void barsHaveTheirSign() {
        HeadFinder finder;
        fill(finder);
        QTableView& table = finder.table();
        const int column = columnOf(HeadMetric::Attribution);
        const auto bar = [&](int row) {
            const QRect cell = table.visualRect(table.model()->index(row, column));
            const QImage picture = table.viewport()->grab(cell).toImage();
            const int y = cell.height() - 3;
            int left = 0, right = 0;
            for (int x = 0; x < picture.width(); ++x)
                if (picture.pixelColor(x, y) == ui::theme().bar)
                    ++(x < picture.width() / 2 - 1 ? left : right);
            return std::pair(left, right);
        };
        QVERIFY(bar(0).first > 10 && bar(0).second < 3);  // −9, the largest
        QVERIFY(bar(1).first == 0 && bar(1).second > 5);  // +5.3
    }

    void whatIsNoFilterIsSaidAsAnError() {
        HeadFinder finder;
        fill(finder);
        const auto said = [&](const QString& begins) -> const QLabel* {
            for (const auto* label : finder.findChildren<QLabel*>())
                if (label->text().startsWith(begins)) return label;
            return nullptr;
        };
        finder.filter().setText(QStringLiteral("foo > 3"));
        const QLabel* error = said(QStringLiteral("Not understood"));
        QVERIFY(error);
        QCOMPARE(error->palette().color(error->foregroundRole()), ui::theme().error);
        finder.filter().clear();
        QVERIFY(error->palette().color(error->foregroundRole()) != ui::theme().error);
    }

    void columnsSayWhatTheyAre_data() {
        QTest::addColumn<int>("metric");
        QTest::addColumn<QString>("shown");
        QTest::addColumn<QString>("says");
        const auto row = [](HeadMetric metric, const char* shown, const char* says) {
            QTest::addRow("%s", qPrintable(ui::infoOf(metric).name))
                << static_cast<int>(metric) << QString::fromUtf8(shown) << QString::fromUtf8(says);
        };
        row(HeadMetric::Entropy, "15.00", "−Σ p ln p");
        row(HeadMetric::Sink, "0.375", "source 0");
        row(HeadMetric::Distance, "4.0", "Σ p · (dest − src)");
        row(HeadMetric::Previous, "0.200", "previous_token_head, error_measure mul");
        row(HeadMetric::Duplicate, "0.010", "duplicate_token_head, error_measure mul");
        row(HeadMetric::Induction, "0.800", "induction_head, error_measure mul");
        row(HeadMetric::Span, "–", "chosen in the strip");
    }
    void columnsSayWhatTheyAre() {
        QFETCH(int, metric);
        QFETCH(QString, shown);
        QFETCH(QString, says);
        HeadFinder finder;
        fill(finder);
        const int column = ui::columnOf(HeadMetric(metric));
        const ui::FinderModel& model = finder.model();
        QCOMPARE(model.index(9, column).data().toString(), shown);
        for (const QString& tip :
             {model.index(9, column).data(Qt::ToolTipRole).toString(),
              model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString()})
            QVERIFY2(tip.contains(says), qPrintable(tip));
    }

    void spanIsAColumnWhileOneIsChosen() {
        HeadFinder finder;
        fill(finder);
        const int column = columnOf(HeadMetric::Span);
        QVERIFY(finder.table().isColumnHidden(column));
        std::vector<float> mass(24, 0.1F);
        mass[17] = 0.9F;
        finder.setSpan({}, QStringLiteral("span 2 ·a to 4 ·b"));
        QVERIFY(!finder.table().isColumnHidden(column));
        QVERIFY(!finder.model().value(17, HeadMetric::Span).has_value());
        finder.setSpan(mass, QStringLiteral("span 2 ·a to 4 ·b"));
        finder.table().sortByColumn(column, Qt::DescendingOrder);
        QCOMPARE(finder.ranked().front(), at(2, 5));
        QCOMPARE(finder.rankText(), QStringLiteral("span"));
        const auto labels = finder.findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text().contains(QStringLiteral("span 2 ·a to 4 ·b"));
        }));
        auto* x = finder.findChild<ui::LabelledCombo*>();
        x->setCurrentIndex(static_cast<int>(HeadMetric::Span));
        finder.scatter().grab();
        QVERIFY(finder.scatter().pointOf(at(2, 5)).has_value());
        finder.filter().setText(QStringLiteral("span > 0.5"));
        QCOMPARE(finder.ranked(), std::vector<LayerHead>{at(2, 5)});
        finder.filter().clear();
        QVERIFY(finder.isRankKnown());
        finder.setSpan({}, QStringLiteral("span 2 ·a to 4 ·b"));  // of another run
        QVERIFY(!finder.isRankKnown());
        finder.setSpan({}, {});  // nothing may still be sorted or drawn by it
        finder.filter().setText(QStringLiteral("span > 0.5"));  // no head, and why
        QVERIFY(finder.ranked().empty());
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text().contains(QStringLiteral("drag over tokens in the strip"));
        }));
        finder.filter().clear();
        QVERIFY(finder.table().isColumnHidden(column));
        QCOMPARE(finder.rankText(), QStringLiteral("logit attr."));
        QCOMPARE(x->currentIndex(), static_cast<int>(HeadMetric::Sink));
    }

    void filters_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("heads");
        QTest::addRow("none") << QString() << 24;
        QTest::addRow("layer") << QStringLiteral("L2") << 6;
        QTest::addRow("head") << QStringLiteral("h3") << 4;
        QTest::addRow("one") << QStringLiteral("L2.H1") << 1;
        QTest::addRow("magnitude") << QStringLiteral("attr > 5") << 5;
        QTest::addRow("both") << QStringLiteral("sink<0.25 and entropy>20") << 5;
        QTest::addRow("no such layer") << QStringLiteral("L99") << 0;
        QTest::addRow("induction") << QStringLiteral("induction > 0.1") << 1;
        QTest::addRow("begun words") << QStringLiteral("prev > 0.5 dist<2") << 4;
        QTest::addRow("not understood") << QStringLiteral("curvature > 0.1") << 24;
        QTest::addRow("nonsense") << QStringLiteral("<b>%1 ((") << 24;
    }
    void filters() {
        QFETCH(QString, text);
        QFETCH(int, heads);
        HeadFinder finder;
        fill(finder);
        finder.filter().setText(text);
        QCOMPARE(static_cast<int>(finder.ranked().size()), heads);
        QCOMPARE(finder.isFiltered(), heads != 24);
    }

    // As the window does: a choice comes back as the focus and moves what the table shows.
    void takingRowsAwayChoosesNoHead() {
        HeadFinder finder;
        fill(finder);
        finder.setFocusedHead(at(1, 1));
        QSignalSpy chosen(&finder, &HeadFinder::headChosen);
        connect(&finder, &HeadFinder::headChosen, &finder, [&](LayerHead head) {
            finder.setFocusedHead(head);
            finder.setMetrics(metrics());
        });
        const QAbstractItemModel& rows = *finder.table().model();
        for (const char* text : {"L2", "attr > 5 L3", "L1", "entropy > 1e9", ""}) {
            finder.filter().clear();
            for (const char key : QByteArray(text)) {
                QTest::keyClick(&finder.filter(), key);
                QCOMPARE(static_cast<int>(finder.ranked().size()), rows.rowCount());
            }
            QCoreApplication::processEvents();
            QCOMPARE(chosen.count(), 0);
            const QModelIndex now = finder.table().currentIndex();
            QCOMPARE(now.isValid() ? now.siblingAtColumn(0).data().toString() : QString(),
                     std::string_view(text) == "L1" || std::string_view(text).empty()
                         ? QStringLiteral("L1.H1")
                         : QString());
        }
    }

    void rowsChooseHeads() {
        HeadFinder finder;
        fill(finder);
        QSignalSpy chosen(&finder, &HeadFinder::headChosen),
            activated(&finder, &HeadFinder::headActivated);
        finder.setFocusedHead(at(1, 1));  // the program's own choice is not the user's
        QCOMPARE(chosen.count(), 0);
        QTableView& table = finder.table();
        const QRect row = table.visualRect(table.model()->index(1, 0));
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, row.center());
        QCOMPARE(chosen.takeLast()[0].value<LayerHead>(), at(3, 5));
        QTest::keyClick(&table, Qt::Key_Up);
        QCOMPARE(chosen.takeLast()[0].value<LayerHead>(), at(2, 1));
        QTest::keyClick(&table, Qt::Key_Return);
        QCOMPARE(activated.count(), 1);
    }

    void pointsChooseHeads() {
        HeadFinder finder;
        fill(finder);
        finder.scatter().grab();  // the axes are laid out
        const auto point = finder.scatter().pointOf(at(2, 1));
        QVERIFY(point.has_value());
        QCOMPARE(finder.scatter().headNear(*point).value(), at(2, 1));
        QSignalSpy chosen(&finder, &HeadFinder::headChosen);
        QTest::mouseClick(&finder.scatter(), Qt::LeftButton, {}, point->toPoint());
        QCOMPARE(chosen.takeLast()[0].value<LayerHead>(), at(2, 1));
        // A rectangle around it alone.
        QTest::mousePress(&finder.scatter(), Qt::LeftButton, {}, point->toPoint() - QPoint(12, 12));
        QTest::mouseMove(&finder.scatter(), point->toPoint() + QPoint(12, 12));
        QTest::mouseRelease(&finder.scatter(), Qt::LeftButton, {},
                            point->toPoint() + QPoint(12, 12));
        QCOMPARE(finder.scatter().selected(), std::vector<LayerHead>{at(2, 1)});
        for (QPushButton* button : finder.findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Show only these")) button->click();
        QCOMPARE(finder.ranked(), std::vector<LayerHead>{at(2, 1)});
        for (QPushButton* button : finder.findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Show all")) button->click();
        QCOMPARE(finder.ranked().size(), std::size_t(24));
    }

    void unknownIsNotZero() {
        HeadFinder finder;
        finder.setModel(frame::model("m", 1));
        for (int column = 1; column < ui::FinderModel::columns; ++column)
            QCOMPARE(finder.model().index(0, column).data().toString(), QStringLiteral("–"));
        finder.scatter().grab();
        QVERIFY(!finder.scatter().pointOf(at(0, 0)).has_value());
        engine::HeadTable foreign = metrics();
        foreign.sink.pop_back();
        finder.setMetrics(foreign);
        QVERIFY(!finder.model().value(0, HeadMetric::Sink).has_value());
        QVERIFY(finder.model().value(0, HeadMetric::Entropy).has_value());
    }

    void headsWithoutANumberHaveNoRank_data() {
        QTest::addColumn<int>("clicks");
        QTest::addRow("most first") << 1;
        QTest::addRow("least first") << 2;
    }
    void headsWithoutANumberHaveNoRank() {
        QFETCH(int, clicks);
        HeadFinder finder;
        finder.setModel(frame::model("m", 1));
        engine::HeadTable table = metrics();
        for (std::size_t i = 0; i < 24; ++i)
            if (i != 3 && i != 20) table.sink[i] = std::numeric_limits<float>::quiet_NaN();
        finder.setMetrics(table);
        auto* view = finder.findChild<QTableView*>();
        view->sortByColumn(1 + int(HeadMetric::Sink),
                           clicks == 1 ? Qt::DescendingOrder : Qt::AscendingOrder);
        QCOMPARE(finder.rankedByNumber(), std::size_t(2));
        const std::vector<LayerHead> ranked = finder.ranked();
        QCOMPARE(ranked.size(), std::size_t(24));
        QCOMPARE(ranked[0], clicks == 1 ? at(3, 2) : at(0, 3));
        QCOMPARE(ranked[1], clicks == 1 ? at(0, 3) : at(3, 2));
        ui::HeadGrid grid;
        grid.setModel(frame::model("m", 1));
        grid.resize(400, 300);
        grid.setRanking(ranked, true, finder.rankedByNumber());
        QCOMPARE(grid.rankOf(ranked[1]), 2);
        QCOMPARE(grid.rankOf(ranked[2]), 0);
        QVERIFY(!grid.isDimmed(ranked[2]));
    }

    void gridShowsTheOrder() {
        ui::HeadGrid grid;
        grid.setModel(frame::model("m", 1));
        grid.resize(400, 300);
        grid.setRanking({at(2, 1), at(0, 3)}, true);
        QCOMPARE(grid.rankOf(at(2, 1)), 1);
        QCOMPARE(grid.rankOf(at(0, 3)), 2);
        QCOMPARE(grid.rankOf(at(0, 0)), 0);
        QVERIFY(grid.isDimmed(at(0, 0)) && !grid.isDimmed(at(0, 3)));
        grid.setRanking({at(99, 0), at(1, 1)}, false);
        QCOMPARE(grid.rankOf(at(1, 1)), 2);
        QVERIFY(!grid.isDimmed(at(0, 0)));
        grid.grab();
    }
};

QTEST_MAIN(FrameFinder)
#include "frame_finder.moc"
