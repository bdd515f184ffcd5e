// SPDX-License-Identifier: GPL-3.0-or-later
// The real window on the real engine and the default model, driven by clicks and keys: a prompt
// typed and run, a head picked, the value under the cursor, steps, pictures, failures, closing.
// Values are compared with what the engine's `read` writes into a dump.
#include <QFileDialog>
#include <QLineEdit>
#include <QScrollBar>
#include <QSettings>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <map>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"
#include "tests/support/real_window.h"
#include "ui/contributions/contribution_bars.h"
#include "ui/contributions/logits_panel.h"
#include "ui/grid/head_grid.h"
#include "ui/heatmap/head_bar.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/read_out.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_line.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/steps/step_bar.h"
#include "ui/strip/token_strip.h"
#include "ui/window/checks_badge.h"
#include "ui/window/progress_panel.h"

using engine::LayerHead;
using engine::Position;
using engine::to_int;
using fake::eventually;

namespace {

constexpr int kPatience = real::patience;

LayerHead head(int layer, int index) {
    return {engine::Layer(layer), engine::QueryHead(index)};
}

}  // namespace

class WindowTest : public QObject {
    Q_OBJECT
  private slots:
    void init() { failOnDroppedSignals(); }
    void initTestCase();
    void cleanupTestCase();

    void opensWithTheExampleRead();
    void typedPromptRuns();
    void pickedHeadIsShown();
    void valueUnderTheCursorIsTheDumps();
    void fourStepsAddFourRows();
    void earlierRowsAreAClickAway();
    void quantityKeys();
    void targetAndBars();
    void heatmapIsExported();
    void barsAreExported();
    void failedExportSaysWhyAndLeavesNothing();
    void tooLongAPromptIsRefusedWithNumbers();
    void aForeignFileIsRefusedAndTheModelStays();
    void stopWhileGenerating();
    void closesMidRun();

  private:
    bool settle() { return ::settle(*m_view, kPatience); }
    void click(const char* button);
    void key(Qt::Key, Qt::KeyboardModifiers = {});  // to the window, as a shortcut
    void type(const QString& prompt, int tokens);
    QPoint cellPoint(std::int64_t dest, std::int64_t src) const;
    std::vector<float> dumpedRow(LayerHead at, std::int64_t dest) const;
    QString answerDialog(const QString& path);
    ui::HeadHeatmap& map() const { return m_view->headPage().heatmap(); }
    app::Session& session() const { return m_view->session(); }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
};

void WindowTest::click(const char* button) {
    auto* found =
        m_view->window().promptPanel().findChild<QToolButton*>(QString::fromLatin1(button));
    QVERIFY2(found, button);
    QVERIFY2(found->isEnabled(), button);
    QTest::mouseClick(found, Qt::LeftButton);
}

void WindowTest::key(Qt::Key which, Qt::KeyboardModifiers modifiers) {
    m_view->window().activateWindow();  // a dialog may have been in front
    QVERIFY(QTest::qWaitForWindowActive(&m_view->window()));
    QTest::keyClick(&m_view->window(), which, modifiers);
}

void WindowTest::type(const QString& prompt, int tokens) {
    ui::PromptPanel& bar = m_view->window().promptPanel();
    auto* spin = bar.findChild<QSpinBox*>();
    QVERIFY(spin);
    spin->setFocus();
    spin->selectAll();
    QTest::keyClicks(spin, QString::number(tokens));
    QTest::keyClick(spin, Qt::Key_Tab);
    auto* line = bar.findChild<ui::PromptLine*>();
    QVERIFY(line);
    line->setFocus();
    QTest::keyClick(line, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(line, prompt);
    QCOMPARE(bar.prompt(), prompt);
    QCOMPARE(bar.tokensToGenerate(), tokens);
}

// Widget coordinates of the middle of a cell.
QPoint WindowTest::cellPoint(std::int64_t dest, std::int64_t src) const {
    return map().scene().logical(map().geometry().rectOf({dest, src})).center().toPoint();
}

std::vector<float> WindowTest::dumpedRow(LayerHead at, std::int64_t dest) const {
    const auto tensor =
        session().reader()->read(session().run().id, {"pattern", at.layer, {}}, {dest, dest + 1});
    const auto all = tensor.data.as<float>();  // [Hq, 1, dest + 1]
    const auto width = static_cast<std::size_t>(dest + 1);
    const auto row = all.subspan(static_cast<std::size_t>(to_int(at.head)) * width, width);
    return {row.begin(), row.end()};
}

// Types a name into the export dialog and accepts it; what was suggested.
QString WindowTest::answerDialog(const QString& path) {
    QFileDialog* dialog = nullptr;
    eventually([&] {
        dialog = m_view->window().findChild<QFileDialog*>(QStringLiteral("exportDialog"));
        return dialog != nullptr && dialog->isVisible();
    });
    if (!dialog) return {};
    auto* line = dialog->findChild<QLineEdit*>();
    const QString suggested = line->text();
    line->setText(path);
    QTest::keyClick(line, Qt::Key_Return);
    return suggested;
}

void WindowTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    QElapsedTimer clock;
    clock.start();
    m_view = real::window(m_home);
    QVERIFY(QTest::qWaitForWindowExposed(&m_view->window()));
    qInfo("window shown after %lld ms", static_cast<long long>(clock.elapsed()));
    QVERIFY(real::begin(*m_view));
}

void WindowTest::cleanupTestCase() {
    m_view.reset();
}

void WindowTest::opensWithTheExampleRead() {
    QCOMPARE(session().state(), ui::RunState::Idle);
    QCOMPARE(session().run().tokens.size(), 14u);
    QCOMPARE(m_view->window().tokenStrip().tokens().size(), 14u);
    QCOMPARE(m_view->grid().visibleHeads().size(), 270);
    // Not L0.H0: the head that moves the newest position's logit most.
    const auto table =
        session().reader()->contributions({{}, session().run().id, Position(13), {}, {}});
    const auto& writes = table.head_attribution;
    const auto best = std::max_element(
        writes.begin(), writes.end(), [](float a, float b) { return std::fabs(a) < std::fabs(b); });
    const auto index = static_cast<int>(best - writes.begin());
    QCOMPARE(session().selection().at, head(index / 9, index % 9));
    QVERIFY(m_view->grid().focusedHead() == session().selection().at);
    QCOMPARE(m_view->window().checksBadge().verdict(), ui::ChecksBadge::Verdict::Ok);
    QCOMPARE(m_view->window().checksBadge().reports().size(), 30u);
    QVERIFY(m_view->window().contributionBars().hasTable());
    QVERIFY(m_view->window().messages().isEmpty());
}

void WindowTest::typedPromptRuns() {
    type(QStringLiteral("The capital of France is"), 3);
    click("Run");
    QVERIFY(eventually([&] { return session().run().steps.size() == 3; }, kPatience));
    QVERIFY(settle());
    QCOMPARE(session().run().prompt, std::string("The capital of France is"));
    QCOMPARE(session().run().promptTokens, 5);
    QCOMPARE(session().run().rows, 8);
    QCOMPARE(m_view->window().stepBar().steps().size(), 3u);
    QCOMPARE(session().run().steps[0].token.bytes, std::string(" Paris"));
    QVERIFY(map().scene().tile.has_value());
    QCOMPARE(map().scene().tile->request.dest.pixels(), 8);
}

void WindowTest::pickedHeadIsShown() {
    ui::HeadGrid& grid = m_view->grid();
    QTest::mouseClick(grid.viewport(), Qt::LeftButton, {}, grid.headRect(head(11, 4)).center());
    QCOMPARE(session().selection().at, head(11, 4));
    QVERIFY(settle());
    QCOMPARE(map().scene().tile->request.heads.front(), head(11, 4));
    QTest::keyClick(grid.viewport(), Qt::Key_Down);
    QVERIFY(settle());
    QCOMPARE(session().selection().at, head(12, 4));
    QCOMPARE(map().scene().tile->request.heads.front(), head(12, 4));
}

void WindowTest::valueUnderTheCursorIsTheDumps() {
    QVERIFY(settle());
    auto* readOut = map().findChild<ui::ReadOut*>();
    QVERIFY(readOut);
    for (const auto& [dest, src] : {std::pair{7, 0}, std::pair{5, 3}, std::pair{6, 6}}) {
        QTest::mouseMove(&map(), cellPoint(dest, src));
        QVERIFY(eventually([&] {
            const ui::ReadOutContent& shown = readOut->content();
            return shown.dest == dest && shown.src == src && shown.cell.has_value();
        }));
        const float dumped =
            dumpedRow(session().selection().at, dest)[static_cast<std::size_t>(src)];
        QVERIFY2(std::fabs(readOut->content().cell->pattern - dumped) <= 1e-5f,
                 qPrintable(QString::number(readOut->content().cell->pattern) + QLatin1Char(' ') +
                            QString::number(dumped)));
    }
    // A click locks; the profile above the map is the dump's row.
    QTest::mouseClick(&map(), Qt::LeftButton, {}, cellPoint(6, 2));
    QVERIFY(settle());
    QCOMPARE(session().selection().dest, Position(6));
    QCOMPARE(session().selection().src, Position(2));
    QVERIFY(session().selection().locked);
    const auto dumped = dumpedRow(session().selection().at, 6);
    QCOMPARE(map().scene().row.size(), dumped.size());
    for (std::size_t i = 0; i < dumped.size(); ++i)
        QVERIFY(std::fabs(map().scene().row[i] - dumped[i]) <= 1e-5f);
}

void WindowTest::fourStepsAddFourRows() {
    key(Qt::Key_End);
    const auto before = session().run().rows;
    for (int i = 1; i <= 4; ++i) {
        click("Step");
        QVERIFY(eventually([&] { return session().run().rows == before + i; }, kPatience));
        QVERIFY(settle());
        QCOMPARE(session().selection().dest, Position(before + i - 1));
        QCOMPARE(map().scene().row.size(),
                 static_cast<std::size_t>(before + i));  // [1, src], one longer a step
    }
    QCOMPARE(m_view->window().stepBar().steps().size(), 7u);
    QCOMPARE(m_view->window().tokenStrip().tokens().size(), static_cast<std::size_t>(before + 4));
    QCOMPARE(map().scene().tile->rows_ready, before + 4);
    QCOMPARE(map().scene().tile->request.dest.pixels(), before + 4);
}

void WindowTest::earlierRowsAreAClickAway() {
    ui::StepBar& steps = m_view->window().stepBar();
    QTest::mouseClick(steps.canvas(), Qt::LeftButton, {},
                      steps.canvas()->mapFrom(&steps, steps.stepRect(5).center()));
    QCOMPARE(session().selection().dest, Position(10));
    QVERIFY(!session().followsNewest());
    QVERIFY(settle());
    const auto dumped = dumpedRow(session().selection().at, 10);
    QCOMPARE(map().scene().row.size(), 11u);
    for (std::size_t i = 0; i < dumped.size(); ++i)
        QVERIFY(std::fabs(map().scene().row[i] - dumped[i]) <= 1e-5f);
    ui::TokenStrip& strip = m_view->window().tokenStrip();
    QTest::mouseClick(&strip, Qt::LeftButton, {}, strip.tokenRect(3).center());
    QCOMPARE(session().selection().dest, Position(3));
}

void WindowTest::quantityKeys() {
    map().setFocus();
    const std::map<Qt::Key, engine::Quantity> keys{{Qt::Key_1, engine::Quantity::Scores},
                                                   {Qt::Key_3, engine::Quantity::Value},
                                                   {Qt::Key_4, engine::Quantity::Attribution},
                                                   {Qt::Key_2, engine::Quantity::Pattern}};
    for (const auto& [number, quantity] : keys) {
        key(number);
        QVERIFY(settle());
        QCOMPARE(map().scene().tile->request.quantity, quantity);
        QCOMPARE(m_view->headPage().headBar().quantity(), quantity);
    }
    key(Qt::Key_2);
    QVERIFY(settle());
}

void WindowTest::targetAndBars() {
    key(Qt::Key_End);
    QVERIFY(settle());
    const auto own = m_view->views().contributions();
    QVERIFY(own.has_value());
    const auto& candidates =
        session().reader()->logits(session().run().id, session().selection().dest, 2).candidates;
    Q_EMIT m_view->window().logitsPanel().distractorChanged(candidates[1]);
    QVERIFY(settle());
    const auto& table = *m_view->views().contributions();
    QVERIFY(table.distractor == candidates[1].token);
    QVERIFY(std::fabs(table.logit - (candidates[0].logit - candidates[1].logit)) < 1e-3f);
    QCOMPARE(m_view->window().contributionBars().distractorText(),
             ui::visibleToken(candidates[1].bytes));
    Q_EMIT m_view->window().logitsPanel().distractorChanged({});
    QVERIFY(settle());
}

void WindowTest::heatmapIsExported() {
    const QString path = m_home.folder.filePath(QStringLiteral("map.png"));
    key(Qt::Key_E, Qt::ControlModifier);
    QVERIFY(answerDialog(path).endsWith(QStringLiteral(".png")));
    QVERIFY(eventually([&] { return QFile::exists(path); }, kPatience));
    const QImage picture(path);
    QVERIFY(picture.text(QStringLiteral("Software")).startsWith(QStringLiteral("Headscope ")));
    QVERIFY(picture.text(QStringLiteral("Source"))
                .endsWith(QString::fromStdString(session().model()->hash)));
    const QImage image = picture.convertToFormat(QImage::Format_RGB32);
    QVERIFY(!image.isNull());

    // The masked triangle's box is columns 1 to n − 1 and rows 0 to n − 2 of the map: find the
    // cells by it.
    const QRgb masked = ui::theme().maskedMap.rgb();
    const auto isMasked = [&](int x, int y) { return image.pixel(x, y) == masked; };
    QRect box;  // of squares, as the edges of letters may have any grey
    constexpr int side = 8;
    for (int y = 0; y + side < image.height(); ++y)
        for (int x = 0; x + side < image.width(); ++x)
            if (isMasked(x, y) && isMasked(x + side, y) && isMasked(x, y + side) &&
                isMasked(x + side, y + side))
                box |= QRect(x, y, side + 1, side + 1);
    const std::int64_t n = session().run().rows;
    const double cell = static_cast<double>(box.width()) / static_cast<double>(n - 1);
    QVERIFY(std::fabs(cell - static_cast<double>(box.height()) / static_cast<double>(n - 1)) <
            0.51);
    QVERIFY(cell >= 8);
    std::vector<std::pair<float, int>> shades;  // p and brightness, sources other than the sink
    for (std::int64_t dest = 0; dest < n; ++dest) {
        const auto row = dumpedRow(session().selection().at, dest);
        for (std::int64_t src = 0; src < n; ++src) {
            const int x = box.left() + static_cast<int>((static_cast<double>(src) - 0.5) * cell);
            const int y = box.top() + static_cast<int>((static_cast<double>(dest) + 0.5) * cell);
            QVERIFY(image.rect().contains(x, y));
            if (src > dest) {
                QCOMPARE(image.pixel(x, y), masked);
                continue;
            }
            QVERIFY(image.pixel(x, y) != masked);
            if (src > 0)
                shades.emplace_back(row[static_cast<std::size_t>(src)], qGray(image.pixel(x, y)));
        }
    }
    // More is darker, by the dump's values.
    std::sort(shades.begin(), shades.end());
    for (std::size_t i = 1; i < shades.size(); ++i)
        QVERIFY2(shades[i].second <= shades[i - 1].second + 1,
                 qPrintable(QStringLiteral("p %1 is brighter than p %2")
                                .arg(shades[i].first)
                                .arg(shades[i - 1].first)));
    QVERIFY(shades.back().second < shades.front().second - 50);
}

void WindowTest::barsAreExported() {
    const QString path = m_home.folder.filePath(QStringLiteral("bars.png"));
    Q_EMIT m_view->window().exportBarsRequested();
    QVERIFY(!answerDialog(path).isEmpty());
    QVERIFY(eventually([&] { return QFile::exists(path); }, kPatience));
    const QImage image = QImage(path).convertToFormat(QImage::Format_RGB32);
    QVERIFY(!image.isNull());
    std::int64_t bars = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) {
            const QRgb pixel = image.pixel(x, y);
            bars += pixel == ui::theme().bar.rgb() || pixel == ui::theme().mlpBar.rgb() ||
                    pixel == ui::theme().accent.rgb();
        }
    QVERIFY(bars > 500);
}

void WindowTest::failedExportSaysWhyAndLeavesNothing() {
    const auto before = m_view->window().messages().size();
    const QString path = m_home.folder.filePath(QStringLiteral("gone/map.png"));
    Q_EMIT m_view->window().exportHeatmapRequested();
    QFileDialog* dialog = nullptr;
    QVERIFY(eventually([&] {
        dialog = m_view->window().findChild<QFileDialog*>(QStringLiteral("exportDialog"));
        return dialog && dialog->isVisible();
    }));
    Q_EMIT dialog->fileSelected(path);  // a folder that went away while the dialog was open
    dialog->close();
    QVERIFY(eventually([&] { return m_view->window().messages().size() > before; }, kPatience));
    QVERIFY(m_view->window().messageBar().isVisible());
    QVERIFY(!QFile::exists(path));
    m_view->window().messageBar().dismiss();
}

void WindowTest::tooLongAPromptIsRefusedWithNumbers() {
    const engine::RunId run = session().run().id;
    QString text;
    for (int i = 0; i < 9000; ++i) text += QStringLiteral("word ");
    m_view->window().promptPanel().setPrompt(text);
    click("Run");
    QVERIFY(eventually([&] { return session().state() == ui::RunState::Failed; }, kPatience));
    const QString what = m_view->window().messageBar().detailsText();
    QVERIFY2(what.contains(QStringLiteral("8192")) || what.contains(QStringLiteral("8,192")),
             qPrintable(what));
    QCOMPARE(session().run().id, run);  // what was on screen stays and works
    m_view->window().promptPanel().setPrompt(QString::fromStdString(session().run().prompt));
    const auto rows = session().run().rows;
    click("Step");
    QVERIFY(eventually([&] { return session().run().rows == rows + 1; }, kPatience));
    QVERIFY(settle());
}

void WindowTest::aForeignFileIsRefusedAndTheModelStays() {
    QFile file(m_home.folder.filePath(QStringLiteral("foreign.gguf")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("This is a letter, not a model.");
    file.close();
    const auto before = m_view->window().messages().size();
    Q_EMIT m_view->window().modelChosen(file.fileName());
    QVERIFY(eventually([&] { return m_view->window().messages().size() > before; }, kPatience));
    QVERIFY(settle());
    QVERIFY(session().model()->path == default_model_path());
    QVERIFY(session().hasRun());
    m_view->window().messageBar().dismiss();
}

void WindowTest::stopWhileGenerating() {
    type(QStringLiteral("Once upon a time"), 200);
    click("Run");
    QVERIFY(eventually(
        [&] { return session().run().steps.size() >= 2 && session().run().promptTokens == 4; },
        kPatience));
    QCOMPARE(session().run().planned, 204);
    // What is not computed yet is where the progress of long work stands.
    const QRect rest = map().notComputedRect().translated(map().pos());
    QVERIFY(!rest.isEmpty());
    ui::ProgressPanel& panel = m_view->window().progressPanel();
    m_view->window().beginProgress(QStringLiteral("n"), ui::ProgressPanel::Unit::Tokens);
    m_view->window().setProgress(1, 1'000'000);
    m_view->window().setProgress(2, 1'000'000);
    QVERIFY(eventually([&] { return panel.isVisible(); }, kPatience));
    const auto inWindow = [&](const QWidget& widget, const QRect& part) {
        return widget.mapTo(&m_view->window(), part.center());
    };
    const QPoint off = inWindow(panel, panel.rect()) - inWindow(m_view->headPage(), rest);
    QVERIFY(off.manhattanLength() < 40);  // rows were added meanwhile
    key(Qt::Key_Period, Qt::ControlModifier);
    QVERIFY(eventually([&] { return session().state() == ui::RunState::Idle; }, kPatience));
    QVERIFY(session().run().planned < 204);
    QCOMPARE(session().run().planned, static_cast<std::int64_t>(session().run().tokens.size()));
    QVERIFY(settle());
    QCOMPARE(map().scene().tile->request.dest.pixels(), session().run().planned);
}

void WindowTest::closesMidRun() {
    type(QStringLiteral("It was a dark and stormy night"), 400);
    click("Run");
    QVERIFY(eventually([&] { return session().state() == ui::RunState::Decoding; }, kPatience));
    QTest::qWait(100);
    QElapsedTimer clock;
    clock.start();
    m_view->window().close();
    m_view.reset();
    QVERIFY2(clock.elapsed() < 3000, qPrintable(QString::number(clock.elapsed())));
}

QTEST_MAIN(WindowTest)
#include "window_test.moc"
