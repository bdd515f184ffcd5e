// SPDX-License-Identifier: GPL-3.0-or-later
// The frame's item models, and the rule that tokens, names and paths are shown as they are.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <QTextDocument>
#include <limits>

#include "tests/support/qt_warnings.h"
#include "tests/ui/frame_values.h"
#include "ui/models/checks_model.h"
#include "ui/models/logits_model.h"
#include "ui/models/model_table.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_line.h"
#include "ui/widgets/plain_text.h"

class FrameModels : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void logitsModel() {
        ui::LogitsModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto list = frame::candidates(frame::literal);
        model.setCandidates(list);
        QCOMPARE(model.rowCount(), static_cast<int>(frame::literal.size()));
        for (int row = 0; row < model.rowCount(); ++row)
            QCOMPARE(model.index(row, ui::LogitsModel::Token).data().toString(),
                     ui::visibleToken(frame::literal[static_cast<std::size_t>(row)]));
        QVERIFY(model.isTarget(0));  // without a choice the top token is the target
        model.setTarget(list[3]);
        model.setDistractor(list[1]);
        QCOMPARE(model.index(3, ui::LogitsModel::Mark).data().toString(), QStringLiteral("T"));
        QCOMPARE(model.index(1, ui::LogitsModel::Mark).data().toString(), QStringLiteral("D"));
        QCOMPARE(model.index(0, ui::LogitsModel::Mark).data().toString(), QString());
        QCOMPARE(model.index(1, ui::LogitsModel::Probability).data().toString(),
                 QStringLiteral("0.2500"));
        model.setCandidates({{engine::TokenId{1}, "a", 1e-9, -4.5F}});
        QCOMPARE(model.index(0, ui::LogitsModel::Logit).data().toString(),
                 QStringLiteral("\u22124.50"));
        model.setCandidates({});
    }

    void checksModel() {
        ui::ChecksModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        engine::CheckReport one, two;
        one.layer = engine::Layer{1};
        one.row_sum_error = 5e-5F;
        one.row_sum_tolerance = two.row_sum_tolerance = 1e-5F;
        two.z_error = 2e-4F;
        model.setReports({one, two});
        const auto at = [&](int row, int column, int role) {
            return model.index(row, column).data(role);
        };
        QCOMPARE(at(0, 0, Qt::DisplayRole).toString(), QStringLiteral("L0"));  // sorted
        QCOMPARE(at(1, ui::ChecksModel::RowSums, Qt::ForegroundRole).value<QColor>(),
                 ui::theme().warn);
        QCOMPARE(at(0, ui::ChecksModel::PatternV, Qt::ForegroundRole).value<QColor>(),
                 ui::theme().error);
        QCOMPARE(at(0, ui::ChecksModel::Closes, Qt::DisplayRole).toString(), QString());
        QVERIFY(!at(1, ui::ChecksModel::Closes, Qt::DisplayRole).toString().isEmpty());
    }

    void modelTable_data() {
        QTest::addColumn<qint64>("weights");
        QTest::addColumn<bool>("supported");
        QTest::addColumn<QString>("verdict");
        QTest::newRow("fits") << qint64(9'000'000'000) << true << "fits";
        QTest::newRow("short") << qint64(12'300'000'000) << true << "2.3 GB short";
        QTest::newRow("refused") << qint64(1) << false << "refused: linear attention";
    }

    void modelTable() {
        QFETCH(qint64, weights);
        QFETCH(bool, supported);
        QFETCH(QString, verdict);
        ui::ModelTable table;
        QAbstractItemModelTester tester(&table,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        table.setModels({frame::model("<b>model</b>", weights, supported)});
        QCOMPARE(table.index(0, ui::ModelTable::Verdict).data().toString(), verdict);
        QCOMPARE(table.index(0, ui::ModelTable::Name).data().toString(),
                 QStringLiteral("<b>model</b>"));
        QCOMPARE(table.index(0, ui::ModelTable::Shape).data().toString(),
                 QStringLiteral("4 × 6 / 2"));
        QCOMPARE(bool(table.flags(table.index(0, 0)) & Qt::ItemIsSelectable), supported);
    }

    void toolTipsAreLiteral_data() {
        QTest::addColumn<QString>("text");
        for (const std::string& text : frame::literal)
            QTest::addRow("%s", text.c_str()) << QString::fromStdString(text).replace(u'\r', u'.');
        QTest::newRow("two lines") << QStringLiteral("a <b>\n  & c");
    }

    void toolTipsAreLiteral() {
        QFETCH(QString, text);
        QTextDocument document;
        document.setHtml(ui::literalToolTip(text));
        if (!text.startsWith(u'\n'))
            QCOMPARE(document.toPlainText().simplified(), text.simplified());
        QVERIFY(Qt::mightBeRichText(ui::literalToolTip(text)));  // so that it is never guessed
    }

    void editsKeepWhatTheyDoNotTouch_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        QTest::addColumn<QString>("result");
        QTest::newRow("typed after a newline") << "a\nb"
                                               << "a⏎b"
                                               << "a⏎xb"
                                               << "a\nxb";
        QTest::newRow("a mark of the text's own stays") << "⏎\nb"
                                                        << "⏎⏎b"
                                                        << "⏎⏎bc"
                                                        << "⏎\nbc";
        QTest::newRow("the newline removed") << "a\nb"
                                             << "a⏎b"
                                             << "ab"
                                             << "ab";
        QTest::newRow("put back by undo") << "ab"
                                          << "ab"
                                          << "a⏎b"
                                          << "a\nb";
        QTest::newRow("carriage return kept") << "a\r\nb"
                                              << "a␍⏎b"
                                              << "a␍⏎bc"
                                              << "a\r\nbc";
        QTest::newRow("all replaced") << "a\nb"
                                      << "a⏎b"
                                      << "z"
                                      << "z";
        QTest::newRow("from empty") << ""
                                    << ""
                                    << "<b>"
                                    << "<b>";
    }

    void editsKeepWhatTheyDoNotTouch() {
        QFETCH(QString, text);
        QFETCH(QString, before);
        QFETCH(QString, after);
        QTEST(ui::applyEdit(text, before, after), "result");
    }
};

QTEST_MAIN(FrameModels)
#include "frame_models.moc"
