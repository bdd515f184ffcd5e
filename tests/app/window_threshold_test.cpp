// SPDX-License-Identifier: GPL-3.0-or-later
// The threshold on the real window, the real engine and the default model: typed and dragged, cells
// below it are drawn as 0 by the dump's values, which the read-out and files of data keep;
// pictures, the verb and sessions have it.
#include <QFileDialog>
#include <QLineEdit>
#include <QTest>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/real_cli.h"
#include "tests/support/real_window.h"
#include "ui/compare/compare_page.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/read_out.h"
#include "ui/heatmap/scale_column.h"
#include "ui/painting/theme.h"
#include "ui/window/go_to_line.h"

using fake::eventually;

namespace {

constexpr int kPatience = real::patience;
const std::string kPrompt = "When Mary and John went to the store, John gave a drink to";

}  // namespace

class WindowThresholdTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }

    void typedAndDrawn();
    void whatIsNoNumberIsNone_data();
    void whatIsNoNumberIsNone();
    void ofEachQuantityItsOwn();
    void picturesSayIt();
    void sessionHasIt();

  private:
    bool settle() { return ::settle(*m_view, kPatience); }
    void key(Qt::Key);
    QLineEdit* ask();
    void type(const QString& threshold);
    QString exportTo(const QString& name);
    app::Session& session() const { return m_view->session(); }
    ui::HeadHeatmap& map() const { return m_view->headPage().heatmap(); }
    ui::ScaleColumn& column() const { return m_view->headPage().scaleColumn(); }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
};

void WindowThresholdTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home, kPrompt);
    QVERIFY(real::begin(*m_view));
    session().selectHead({engine::Layer(21), engine::QueryHead(1)});
    session().unlock();
    QVERIFY(settle());
}

void WindowThresholdTest::key(Qt::Key which) {
    m_view->window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&m_view->window()));
    map().setFocus();
    QTest::keyClick(&m_view->window(), which);
}

QLineEdit* WindowThresholdTest::ask() {
    key(Qt::Key_X);
    auto* line = m_view->window().findChild<QLineEdit*>(QStringLiteral("threshold"));
    return line && line->isVisible() && line->hasFocus() ? line : nullptr;
}

void WindowThresholdTest::type(const QString& threshold) {
    QLineEdit* line = ask();
    QVERIFY(line);
    QTest::keyClicks(line, threshold);
    QTest::keyClick(line, Qt::Key_Return);
    QVERIFY(!line->isVisible());
    QVERIFY(settle());
}

QString WindowThresholdTest::exportTo(const QString& name) {
    Q_EMIT m_view->window().exportHeatmapRequested();
    const QString path = real::answerExport(*m_view, m_home, name);
    return settle() ? path : QString();
}

void WindowThresholdTest::typedAndDrawn() {
    const std::int64_t rows = session().run().rows;
    const auto tensor =
        session().reader()->read(session().run().id, {"pattern", engine::Layer(21), {}}, {0, rows});
    const auto p = tensor.data.as<float>().subspan(static_cast<std::size_t>(rows * rows),
                                                   static_cast<std::size_t>(rows * rows));
    const auto place = [&](std::int64_t dest, std::int64_t src) {
        return map().scene().logical(map().geometry().rectOf({dest, src})).center().toPoint();
    };
    QTest::mouseMove(&map(), QPoint(2, 2));
    const QImage plain = map().grab().toImage();
    type(QStringLiteral("0.05"));
    QCOMPARE(column().threshold(), 0.05);
    QVERIFY(column().notes().contains(QStringLiteral("value < 0.05: as 0")));
    const QImage cut = map().grab().toImage();
    const QRgb zero = ui::sequentialTable(ui::theme().scheme)[0];
    int below = 0, changed = 0, above = 0;
    for (std::int64_t d = 0; d < rows; ++d)
        for (std::int64_t s = 0; s <= d; ++s) {
            const float value = p[static_cast<std::size_t>(d * rows + s)];
            const QRgb drawn = cut.pixel(place(d, s));
            if (std::abs(value - 0.05F) < 1e-6F) continue;
            if (value < 0.05F) {
                QCOMPARE(drawn, zero);
                ++below;
                changed += plain.pixel(place(d, s)) != zero;
            } else {
                QCOMPARE(drawn, plain.pixel(place(d, s)));
                ++above;
            }
        }
    QVERIFY2(below > 20 && changed > 10 && above > 20,
             qPrintable(QStringLiteral("%1 %2 %3").arg(below).arg(changed).arg(above)));
    // The value is what it is.
    std::int64_t dest = 5, src = 1;
    while (p[static_cast<std::size_t>(dest * rows + src)] >= 0.05F) ++dest;
    QTest::mouseMove(&map(), place(dest, src));
    const auto* readOut = map().findChild<ui::ReadOut*>();
    QVERIFY(eventually([&] { return readOut->content().cell && readOut->content().dest == dest; },
                       kPatience));
    QVERIFY(std::abs(readOut->content().cell->pattern -
                     p[static_cast<std::size_t>(dest * rows + src)]) <= 1e-5F);
    QCOMPARE(m_view->comparePage().maps().picture(ui::CompareMaps::A).look().scale.threshold, 0.05);
}

void WindowThresholdTest::whatIsNoNumberIsNone_data() {
    QTest::addColumn<QString>("typed");
    for (const char* typed : {"", "-0.1", "p", "nan", "inf", "1e300", "0.1.2", "0x10"})
        QTest::addRow("'%s'", typed) << QString::fromLatin1(typed);
}

void WindowThresholdTest::whatIsNoNumberIsNone() {
    QFETCH(QString, typed);
    const double before = column().threshold();
    QLineEdit* line = ask();
    QVERIFY(line);
    QTest::keyClicks(line, typed);
    QTest::keyClick(line, Qt::Key_Return);
    QVERIFY(line->isVisible());
    QVERIFY(!line->accessibleDescription().isEmpty());
    QTest::keyClick(line, Qt::Key_Escape);
    QVERIFY(!line->isVisible());
    QCOMPARE(column().threshold(), before);
}

void WindowThresholdTest::ofEachQuantityItsOwn() {
    type(QStringLiteral("0,05"));
    key(Qt::Key_1);
    QVERIFY(settle());
    QCOMPARE(column().threshold(), 0.0);
    QVERIFY(!column().notes().join(u' ').contains(QStringLiteral("as 0")));
    type(QStringLiteral("1.5"));
    QVERIFY(column().notes().contains(QStringLiteral("|value| < 1.5: as 0")));
    key(Qt::Key_2);
    QVERIFY(settle());
    QCOMPARE(column().threshold(), 0.05);
    type(QStringLiteral("0.123456789"));
    QCOMPARE(column().threshold(), 0.123457);
    type(QStringLiteral("0"));
    QVERIFY(!column().notes().join(u' ').contains(QStringLiteral("as 0")));
}

void WindowThresholdTest::picturesSayIt() {
    type(QStringLiteral("0"));
    const QByteArray plain = file_bytes(exportTo(QStringLiteral("plain.png")));
    const QByteArray data = file_bytes(exportTo(QStringLiteral("plain.csv")));
    type(QStringLiteral("0.05"));
    const QString path = exportTo(QStringLiteral("cut.png"));
    QVERIFY(file_bytes(path) != plain);
    QVERIFY(QImage(path)
                .text(QStringLiteral("Description"))
                .contains(QStringLiteral("value < 0.05: as 0")));
    QVERIFY(!data.isEmpty());
    QVERIFY(file_bytes(exportTo(QStringLiteral("cut.csv"))) == data);
    const auto verb = [&](const QString& name, std::vector<std::string> more) {
        std::vector<std::string> words{"export",   default_model_path(),
                                       "--prompt", kPrompt,
                                       "--view",   "L21.H1",
                                       "--out",    m_home.folder.filePath(name).toStdString()};
        words.insert(words.end(), more.begin(), more.end());
        return run_verb(words);
    };
    const CliOutcome drawn =
        verb(QStringLiteral("verb.png"), {"--zoom", "2", "--threshold", "0.05"});
    QVERIFY2(drawn.code == 0, drawn.err.c_str());
    QVERIFY(file_bytes(m_home.folder.filePath(QStringLiteral("verb.png"))) == file_bytes(path));
    QCOMPARE(verb(QStringLiteral("verb.csv"), {"--threshold", "0.05"}).code,
             int{app::ExitBadArguments});
}

void WindowThresholdTest::sessionHasIt() {
    type(QStringLiteral("0.05"));
    const QString file = m_home.folder.filePath(QStringLiteral("cut.headscope"));
    Q_EMIT m_view->window().saveSessionAsRequested();
    QVERIFY(real::answer(*m_view, "saveSessionDialog", file));
    QVERIFY(eventually([&] { return QFile::exists(file); }));
    type(QStringLiteral("0"));
    QCOMPARE(map().scene().scale.threshold, 0.0);
    Q_EMIT m_view->window().sessionChosen(file);
    QVERIFY(eventually([&] { return map().scene().scale.threshold == 0.05; }, kPatience));
    QVERIFY(settle());
    QCOMPARE(column().threshold(), 0.05);
    QVERIFY(column().notes().contains(QStringLiteral("value < 0.05: as 0")));
}

QTEST_MAIN(WindowThresholdTest)
#include "window_threshold_test.moc"
