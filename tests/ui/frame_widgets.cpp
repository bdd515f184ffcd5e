// SPDX-License-Identifier: GPL-3.0-or-later
// The frame's widgets one by one, with real clicks and keys.
#include <qcustomplot.h>
#include <QAbstractItemView>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include "tests/support/qt_warnings.h"
#include "tests/ui/frame_values.h"
#include "ui/contributions/contribution_bars.h"
#include "ui/contributions/contribution_figure.h"
#include "ui/contributions/logits_panel.h"
#include "ui/models/candidate_delegates.h"
#include "ui/models/logits_model.h"
#include "ui/prompt/model_entry.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/steps/sampler_box.h"
#include "ui/widgets/elided_label.h"
#include "ui/window/checks_badge.h"
#include "ui/window/dock_title.h"
#include "ui/window/message_bar.h"
#include "ui/window/progress_panel.h"

using engine::Position;
using frame::show;

class FrameWidgets : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase() {
        ui::loadFonts();
        ui::setTheme(ui::Scheme::Light);
    }

    void logitsMarks() {
        ui::LogitsPanel panel;
        const auto list = frame::candidates({" Mary", "<b>", "&&", " John"});
        panel.setTopTokens({{}, Position{3}, list});
        show(panel, {326, 200});
        QSignalSpy target(&panel, &ui::LogitsPanel::targetChanged);
        QSignalSpy distractor(&panel, &ui::LogitsPanel::distractorChanged);
        const auto cell = [&](int row) {
            return panel.view()->visualRect(panel.model()->index(row, ui::LogitsModel::Mark));
        };
        QWidget* viewport = panel.view()->viewport();
        QTest::mouseClick(viewport, Qt::LeftButton, {},
                          ui::MarkDelegate::targetBox(cell(2)).center());
        QCOMPARE(target.count(), 1);
        QCOMPARE(target[0][0].value<std::optional<engine::Candidate>>()->token, engine::TokenId{3});
        QTest::mouseClick(viewport, Qt::LeftButton, {},
                          ui::MarkDelegate::distractorBox(cell(3)).center());
        QCOMPARE(distractor.count(), 1);
        QVERIFY(panel.model()->isTarget(2) && panel.model()->isDistractor(3));
        const auto boxes = panel.findChildren<QComboBox*>();
        QCOMPARE(boxes[0]->currentText(), QStringLiteral("&&"));
        QCOMPARE(boxes[1]->currentText(), QStringLiteral("·John"));
        const auto labels = panel.findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* l) {
            return l->text() == QStringLiteral("+1.000");  // logits 8 and 7
        }));
        QTest::mouseClick(viewport, Qt::LeftButton, {},
                          ui::MarkDelegate::distractorBox(cell(3)).center());
        QVERIFY(!distractor[1][0].value<std::optional<engine::Candidate>>());
    }

    // Whole rows, and room for a token in each picker, at the widths that the window gives it.
    void logitsAreNotCut_data() {
        QTest::addColumn<QSize>("size");
        for (const QSize size : {QSize(240, 120), QSize(240, 300), QSize(290, 181), QSize(326, 206),
                                 QSize(326, 187), QSize(640, 460)})
            QTest::addRow("%dx%d", size.width(), size.height()) << size;
    }
    void logitsAreNotCut() {
        QFETCH(QSize, size);
        ui::LogitsPanel panel;
        panel.setTopTokens({{},
                            Position{3},
                            frame::candidates({" Mary", " the", " a", " b", " c", " d", " e", " f",
                                               " g", " John", " incomprehensible"})});
        show(panel, size);
        panel.setTarget(panel.model()->candidates()[10]);
        QTest::qWait(20);  // the layout
        const QTableView* view = panel.view();
        const int high = view->viewport()->height(), rows = 11 * 19;
        QVERIFY(high > 0);
        QVERIFY2(high >= rows || high % 19 == 0, qPrintable(QString::number(high)));
        const auto boxes = panel.findChildren<QComboBox*>();
        for (const QComboBox* box : boxes) {
            QVERIFY(panel.rect().contains(QRect(box->mapTo(&panel, QPoint()), box->size())));
            const QString token = QStringLiteral("·Mary");
            QVERIFY2(
                box->lineEdit()->width() > box->lineEdit()->fontMetrics().horizontalAdvance(token),
                qPrintable(QString::number(box->lineEdit()->width())));
        }
        QVERIFY(!boxes[0]->geometry().intersects(boxes[1]->geometry()));
        QVERIFY(size.width() < 280 || std::abs(boxes[0]->width() - boxes[1]->width()) < 6);
        // One that is longer ends in …: nothing is drawn at the edge, where a letter would be cut.
        auto* line = boxes[0]->lineEdit();
        QCOMPARE(line->text(), QStringLiteral("·incomprehensible"));
        if (line->fontMetrics().horizontalAdvance(line->text()) < line->width() - 8) return;
        const auto atEdge = [line] {
            const QImage image = line->grab().toImage();
            QSet<QRgb> colours;
            for (int y = 4; y < image.height() - 4; ++y)
                for (const int x : {image.width() - 1, image.width() - 2})
                    colours << image.pixel(x, y);
            return colours.size();
        };
        QCOMPARE(atEdge(), 1);
        line->setFocus();  // to be typed in: all of it
        line->home(false);
        QVERIFY(atEdge() > 1);
    }

    void barsActivate() {
        ui::ContributionBars bars;
        bars.setTable(frame::contributions(30, 9), 3, QStringLiteral("<b>"), QStringLiteral("&&"));
        show(bars, {326, 620});
        QSignalSpy head(&bars, &ui::ContributionBars::headActivated);
        QSignalSpy layer(&bars, &ui::ContributionBars::layerActivated);
        QSignalSpy measure(&bars, &ui::ContributionBars::measureChanged);
        const QCustomPlot* heads = bars.headsPlot();
        QTest::mouseClick(bars.headsPlot(), Qt::LeftButton, {},
                          QPoint(100, heads->height() * 7 / 18));  // the middle of row 3 of 9
        QCOMPARE(head.count(), 1);
        QCOMPARE(head[0][0].value<engine::LayerHead>().head, engine::QueryHead{3});
        QTest::mouseClick(bars.layersPlot(), Qt::LeftButton, {}, QPoint(100, 4));
        QCOMPARE(layer.count(), 0);  // the embedding is no layer
        QTest::mouseClick(bars.layersPlot(), Qt::LeftButton, {},
                          QPoint(100, bars.layersPlot()->height() - 5));
        QCOMPARE(layer.count(), 1);
        QCOMPARE(layer[0][0].value<engine::Layer>(), engine::Layer{29});
        auto* write = bars.findChild<QToolButton*>();
        QTest::mouseClick(write, Qt::LeftButton);
        QCOMPARE(measure.count(), 1);
        QCOMPARE(bars.measure(), ui::Measure::Write);
        for (const QLabel* label : bars.findChildren<QLabel*>())
            QCOMPARE(label->textFormat(), Qt::PlainText);
    }

    void figureHasExactPixels_data() {
        QTest::addColumn<double>("scale");
        for (const double scale : {0.5, 1.0, 1.5, 2.0, 3.0}) QTest::addRow("%g", scale) << scale;
    }

    void figureHasExactPixels() {
        QFETCH(double, scale);
        ui::ContributionFigure figure;
        figure.table = frame::contributions(6, 4);
        figure.kvHeads = 2;
        figure.focus = {engine::Layer{2}, engine::QueryHead{1}};
        figure.targetText = QStringLiteral("<b>");
        ui::setTheme(ui::Scheme::Dark);  // the picture is light all the same
        const QImage image = ui::render(figure, {600, 400}, scale);
        ui::setTheme(ui::Scheme::Light);
        QCOMPARE(image.size(), QSize(qRound(600 * scale), qRound(400 * scale)));
        QCOMPARE(image.pixelColor(1, 1), QColor(Qt::white));
        // The focused head's bar stands in the picture in the accent's colour.
        const QRgb accent = ui::themeOf(ui::Scheme::Light).accent.rgb();
        int found = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) found += image.pixel(x, y) == accent;
        QVERIFY2(found > 100 * scale * scale, qPrintable(QString::number(found)));
    }

    void figureRefusesNonsense() {
        ui::ContributionFigure figure;
        QVERIFY(ui::render(figure, {600, 400}, 1).isNull());  // an empty table
        figure.table = frame::contributions(2, 2);
        QVERIFY(ui::render(figure, {600, 400}, 0).isNull());
        QVERIFY(ui::render(figure, {600, 400}, -1).isNull());
        QVERIFY(ui::render(figure, {0, 400}, 1).isNull());
        QVERIFY(ui::render(figure, {600, 400}, 1e9).isNull());
        figure.focus = {engine::Layer{99}, engine::QueryHead{99}};
        figure.table.head_attribution.resize(1);  // shorter than it says
        QVERIFY(!ui::render(figure, ui::figureSize(figure), 1).isNull());
    }

    void badgeVerdicts_data() {
        QTest::addColumn<float>("error");
        QTest::addColumn<int>("verdict");
        QTest::newRow("ok") << 6e-7F << int(ui::ChecksBadge::Verdict::Ok);
        QTest::newRow("warn") << 5e-5F << int(ui::ChecksBadge::Verdict::Warn);
        QTest::newRow("error") << 2e-4F << int(ui::ChecksBadge::Verdict::Error);
        QTest::newRow("not a number")
            << std::numeric_limits<float>::quiet_NaN() << int(ui::ChecksBadge::Verdict::Error);
    }

    void badgeVerdicts() {
        QFETCH(float, error);
        QFETCH(int, verdict);
        ui::ChecksBadge badge;
        engine::CheckReport good, odd;
        good.row_sum_tolerance = odd.row_sum_tolerance = 1e-5F;
        odd.z_error = error;
        badge.setReports({good, odd, good});
        QCOMPARE(int(badge.verdict()), verdict);
    }

    void messageShowsLiterally() {
        ui::MessageBar bar;
        ui::Message message;
        message.what = QStringLiteral("<b>x</b> & y");
        message.remedies = {{QStringLiteral("again"), QStringLiteral("Try && again")}};
        bar.setMessage(message);
        show(bar, {600, 80});
        QSignalSpy chosen(&bar, &ui::MessageBar::remedyChosen);
        const auto buttons = bar.findChildren<QPushButton*>();
        QTest::mouseClick(buttons[0], Qt::LeftButton);
        QCOMPARE(chosen[0][0].toString(), QStringLiteral("again"));
        QCOMPARE(buttons[0]->text(), QStringLiteral("Try &&&& again"));
        QTest::mouseClick(buttons[1], Qt::LeftButton);
        QCOMPARE(QApplication::clipboard()->text(), message.what);
        for (const QLabel* label : bar.findChildren<QLabel*>())
            QCOMPARE(label->textFormat(), Qt::PlainText);
        QTest::mouseClick(bar.findChild<QToolButton*>(), Qt::LeftButton);
        QVERIFY(bar.isHidden());
    }

    void runButtons_data() {
        using ui::RunState;
        QTest::addColumn<int>("state");
        QTest::addColumn<QString>("prompt");
        QTest::addColumn<QString>("enabled");  // of Run Step Pause Stop
        QTest::newRow("no model") << int(RunState::NoModel) << "x"
                                  << "";
        QTest::newRow("loading") << int(RunState::Loading) << "x"
                                 << "Stop";
        QTest::newRow("idle") << int(RunState::Idle) << "x"
                              << "Run Step";
        QTest::newRow("idle, no prompt") << int(RunState::Idle) << ""
                                         << "";
        QTest::newRow("prefilling") << int(RunState::Prefilling) << "x"
                                    << "Pause Stop";
        QTest::newRow("decoding") << int(RunState::Decoding) << "x"
                                  << "Pause Stop";
        QTest::newRow("paused") << int(RunState::Paused) << "x"
                                << "Run Step Stop";
        QTest::newRow("cancelling") << int(RunState::Cancelling) << "x"
                                    << "";
        QTest::newRow("failed") << int(RunState::Failed) << "x"
                                << "Run Step";
    }

    void runButtons() {
        QFETCH(int, state);
        QFETCH(QString, prompt);
        QFETCH(QString, enabled);
        ui::PromptPanel panel;
        panel.setPrompt(prompt);
        panel.setRunState(ui::RunState(state));
        QStringList found;
        for (const char* name : {"Run", "Step", "Pause", "Stop"}) {
            auto* button = panel.findChild<QToolButton*>(QLatin1StringView(name));
            if (button->isEnabled()) found << button->text();
            QVERIFY(!button->toolTip().isEmpty());  // what it does, or why it cannot
        }
        QCOMPARE(found.join(u' '), enabled);
    }

    // Too narrow, every part says by … that it goes on; else none does.
    void dockTitlesAreElided_data() {
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("whole");
        QTest::newRow("wide") << 500 << true;
        QTest::newRow("narrow") << 200 << false;
    }
    void dockTitlesAreElided() {
        QFETCH(int, width);
        QFETCH(bool, whole);
        QDockWidget dock(QStringLiteral("Next token"));
        auto* title = new ui::DockTitle(&dock);
        title->setText(QStringLiteral("Next token after"), QStringLiteral("12 <|im_start|>"),
                       QStringLiteral("(step 123456)"));
        show(dock, {width, 100});
        const auto parts = title->findChildren<ui::ElidedLabel*>();
        QCOMPARE(parts.size(), 3);
        for (const ui::ElidedLabel* part : parts) {
            QCOMPARE(part->isElided(), !whole);
            QVERIFY(part->geometry().right() <= title->width());
        }
    }

    void modelPicker() {
        ui::PromptPanel panel;
        panel.setModels(
            {frame::model("/m/a<b>", 1), frame::model("/m/b", 1), frame::model("/m/c", 1, false)});
        panel.setCurrentModel(QStringLiteral("/m/a<b>"));
        show(panel, {1300, 40});
        auto* box = panel.findChildren<QComboBox*>()[0];
        QCOMPARE(box->currentText(), QStringLiteral("/m/a<b>  Q4_1  1 KB  supported"));
        QSignalSpy chosen(&panel, &ui::PromptPanel::modelChosen);
        QSignalSpy other(&panel, &ui::PromptPanel::openModelRequested);
        Q_EMIT box->activated(1);
        QCOMPARE(chosen[0][0].toString(), QStringLiteral("/m/b"));
        QCOMPARE(box->currentIndex(), 0);  // until it is open
        Q_EMIT box->activated(box->count() - 1);
        QCOMPARE(other.count(), 1);
    }

    void pickerEntries_data() {
        QTest::addColumn<QString>("format");
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<bool>("supported");
        QTest::addColumn<QString>("entry");
        const auto row = [](const char* format, qint64 bytes, bool supported, const char* entry) {
            QTest::newRow(entry) << format << bytes << supported << entry;
        };
        row("GGUF Q4_1", 98'400'000, true, "a⏎b  Q4_1  98 MB  supported");
        row("safetensors bfloat16", 16'400'000'000, true,
            "a⏎b  safetensors bfloat16  16.4 GB  supported");
        row("", 1, false, "a⏎b  1 KB  not supported");
        row("pickle", 999'999, false, "a⏎b  pickle  1000 KB  not supported");
        row("", 0, false, "a⏎b");  // "and 9900 more"
    }
    void pickerEntries() {
        QFETCH(QString, format);
        QFETCH(qint64, bytes);
        QFETCH(bool, supported);
        QFETCH(QString, entry);
        engine::ModelInfo info = frame::model("a\nb", bytes, supported);
        info.format = format.toStdString();
        QCOMPARE(ui::modelEntry(info), entry);
        QVERIFY(ui::modelEntryTip(info).contains(QStringLiteral("linear attention")) != supported);
    }

    // Of a long name the middle gives way, never the size nor the verdict.
    void pickerShowsSizeAndVerdict() {
        ui::PromptPanel panel;
        panel.setModels({frame::model(std::string(300, 'm'), 98'400'000, false),
                         frame::model("short", 98'400'000)});
        show(panel, {1300, 40});
        const QComboBox* box = panel.findChildren<QComboBox*>()[0];
        const QAbstractItemView* list = box->view();
        QCOMPARE(list->textElideMode(), Qt::ElideMiddle);
        QVERIFY(list->minimumWidth() > 300 && list->minimumWidth() <= 600);
        const QString shown = list->fontMetrics().elidedText(
            box->itemText(1), list->textElideMode(), list->minimumWidth() - 24);
        QVERIFY2(shown.startsWith(u'm') && shown.endsWith(QStringLiteral("98 MB  not supported")),
                 qPrintable(shown));
    }

    void chatToolTip_data() {
        QTest::addColumn<bool>("known");
        QTest::addColumn<bool>("unknown");
        QTest::addColumn<QString>("tip");
        QTest::newRow("understood") << true << false << "in the model's own chat template";
        QTest::newRow("not understood") << false << true << "is not understood here: the prompt";
        QTest::newRow("none") << false << false << "has no chat template";
    }
    void chatToolTip() {
        QFETCH(bool, known);
        QFETCH(bool, unknown);
        QFETCH(QString, tip);
        engine::ModelInfo info = frame::model("m", 1);
        info.has_chat_template = known;
        info.has_unknown_template = unknown;
        ui::PromptPanel panel;
        panel.setModels({info});
        panel.setCurrentModel(QStringLiteral("m"));
        panel.setTokenOptions({true, false, true});
        const QCheckBox* chat = panel.findChild<QCheckBox*>();
        QVERIFY2(chat->toolTip().contains(tip), qPrintable(chat->toolTip()));
        QCOMPARE(panel.tokenOptions().chat, known);  // else the raw prompt is read
    }

    void sampler() {
        ui::SamplerBox box;
        show(box, {120, 25});
        QSignalSpy changed(&box, &ui::SamplerBox::samplingChanged);
        Q_EMIT box.activated(1);
        QCOMPARE(changed.count(), 1);
        QVERIFY(box.sampling().temperature > 0);
        auto* seed = box.findChild<QFrame*>(QStringLiteral("samplerPopup"))
                         ->findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
        seed->clear();
        QTest::keyClicks(seed, QStringLiteral("18446744073709551615"));
        QCOMPARE(box.sampling().seed, std::numeric_limits<std::uint64_t>::max());
        QTest::keyClicks(seed, QStringLiteral("x"));
        QCOMPARE(box.sampling().seed, std::numeric_limits<std::uint64_t>::max());
        Q_EMIT box.activated(0);
        QCOMPARE(box.sampling().temperature, 0.0);
    }

    void progressMovesWithinAChunk() {
        ui::ProgressPanel panel;
        panel.begin(QStringLiteral("Prefill"), ui::ProgressPanel::Unit::Tokens);
        QVERIFY(!panel.amountText().contains(QStringLiteral("0 of 0")));
        panel.setProgress(0, 1000, QStringLiteral("layer 1 of 30"), 17);
        QTest::qWait(20);
        panel.setProgress(0, 1000, QStringLiteral("layer 15 of 30"), 256);
        QCOMPARE(panel.fraction(), 0.256);
        QVERIFY(panel.amountText().startsWith(QStringLiteral("0 of 1,000 tokens")));
        QVERIFY(panel.rate() > 0 && !panel.timeLeftText().isEmpty());
        panel.setProgress(900, 1000, {}, 512);  // never past the end
        QCOMPARE(panel.fraction(), 1.0);
    }

    void progressWaitsBeforeItShows() {
        ui::ProgressPanel panel;
        panel.begin(QStringLiteral("Prefill"), ui::ProgressPanel::Unit::Tokens);
        panel.setProgress(0, 100);
        panel.setProgress(60, 100);
        QVERIFY(!panel.isVisible());  // it may be over before anyone could read it
        QTest::qWait(120);
        panel.end();
        QTest::qWait(420);
        QVERIFY(!panel.isVisible());
        panel.begin(QStringLiteral("Prefill"), ui::ProgressPanel::Unit::Tokens);
        panel.setProgress(0, 100'000);
        panel.setProgress(1, 100'000);
        QTRY_VERIFY(panel.isVisible());
        QVERIFY(panel.amountText().startsWith(QStringLiteral("1 of 100,000 tokens")));
        QSignalSpy cancel(&panel, &ui::ProgressPanel::cancelRequested);
        QTest::mouseClick(panel.findChild<QPushButton*>(), Qt::LeftButton);
        QCOMPARE(cancel.count(), 1);
    }
};

QTEST_MAIN(FrameWidgets)
#include "frame_widgets.moc"
