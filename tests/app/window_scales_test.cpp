// SPDX-License-Identifier: GPL-3.0-or-later
// The real window on a screen of two device pixels a logical one: from a single token to 8,000, in
// both sizes that the pictures of it are made in, light and dark. A tiny model, so that all of it
// is a matter of seconds. HEADSCOPE_LOOK=FOLDER in the environment keeps pictures there.
#include <QComboBox>
#include <QDockWidget>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <QWindow>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/qt_warnings.h"
#include "tests/support/real_window.h"
#include "tests/support/window_geometry.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/read_out.h"
#include "ui/heatmap/scale_column.h"
#include "ui/painting/theme.h"
#include "ui/steps/step_bar.h"
#include "ui/strip/text_view.h"

namespace {

const bool twofold = qputenv("QT_SCALE_FACTOR", "2");  // before the application is made

constexpr int kContext = 9000;
constexpr int kGenerated = 3;

}  // namespace

class WindowScalesTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void init() { failOnDroppedSignals(); }
    void initTestCase();
    void cleanup() {
        m_view.reset();
        ui::setTheme(ui::Scheme::Light);
    }
    void everyLengthIsWhole_data();
    void everyLengthIsWhole();

  private:
    // Text of exactly that many tokens, BOS included.
    std::string promptOf(int tokens) const;
    void look(const QString& name) const;

    QTemporaryDir m_folder;
    std::unique_ptr<engine::Engine> m_engine;  // for its tokenizer
    std::unique_ptr<real::Home> m_home;
    std::unique_ptr<app::MainView> m_view;
};

// A tiny model with room for 8,000 tokens.
void WindowScalesTest::initTestCase() {
    QVERIFY(twofold);
    ui::loadFonts();
    QCOMPARE(qApp->devicePixelRatio(), 2.0);
    const QDir from(QStringLiteral(TEST_DATA "/tiny_llama"));
    for (const QString& name :
         {QStringLiteral("model.safetensors"), QStringLiteral("tokenizer.json")})
        QVERIFY(QFile::copy(from.filePath(name), m_folder.filePath(name)));
    QFile config(from.filePath(QStringLiteral("config.json")));
    QVERIFY(config.open(QFile::ReadOnly));
    QJsonObject facts = QJsonDocument::fromJson(config.readAll()).object();
    facts[QStringLiteral("max_position_embeddings")] = kContext;
    QFile longer(m_folder.filePath(QStringLiteral("config.json")));
    QVERIFY(longer.open(QFile::WriteOnly));
    longer.write(QJsonDocument(facts).toJson());
    longer.close();
    engine::OpenRequest request;
    request.path = m_folder.path().toStdString();
    m_engine = engine::open_engine(request, {}, {});
}

std::string WindowScalesTest::promptOf(int tokens) const {
    std::string text;
    for (int i = 0; i < tokens; ++i)
        text += i % 23 == 22 ? ".\n" : i % 7 == 3 ? " Mary" : i % 5 == 1 ? " the" : " store";
    const auto made = m_engine->tokenize(text, {}).tokens;
    return text.substr(0, static_cast<std::size_t>(made[static_cast<std::size_t>(tokens) - 1].end));
}

void WindowScalesTest::everyLengthIsWhole_data() {
    QTest::addColumn<int>("tokens");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<ui::Scheme>("scheme");
    for (const int tokens : {1, 12, 500, 8000})
        for (const QSize size : {QSize(1280, 800), QSize(2560, 1440)})
            for (const ui::Scheme scheme : {ui::Scheme::Light, ui::Scheme::Dark})
                QTest::addRow("%d tokens, %dx%d, %s", tokens, size.width(), size.height(),
                              scheme == ui::Scheme::Dark ? "dark" : "light")
                    << tokens << size << scheme;
}

void WindowScalesTest::everyLengthIsWhole() {
    QFETCH(int, tokens);
    QFETCH(QSize, size);
    QFETCH(ui::Scheme, scheme);
    QTest::failOnWarning(QRegularExpression(QStringLiteral(".")));
    m_home = std::make_unique<real::Home>();
    m_home->settings.setValue(QStringLiteral("window/scheme"), scheme == ui::Scheme::Dark ? 1 : 0);
    m_view = std::make_unique<app::MainView>(
        real::engineSource(), m_home->settings,
        app::MainView::Start{m_folder.path().toStdString(), promptOf(tokens),
                             m_home->folder.path().toStdString(), false});
    ui::MainWindow& window = m_view->window();
    window.resize(size);
    window.show();
    QVERIFY(real::begin(*m_view));
    QCOMPARE(ui::theme().scheme, scheme);
    QCOMPARE(m_view->session().run().promptTokens, tokens);
    const auto rest = [&] {
        QCOMPARE(window.size(), size);
        QCOMPARE(geometry::cut(window), QString());
        QCOMPARE(geometry::clipped(window), QString());
        QCOMPARE(geometry::overlapping(window), QString());
        for (const auto* dock : window.findChildren<QDockWidget*>()) {
            if (!dock->isVisible()) continue;
            const QSize least = dock->widget()->minimumSizeHint();
            QVERIFY2(dock->widget()->width() >= least.width() &&
                         dock->widget()->height() >= least.height(),
                     qPrintable(dock->windowTitle()));
        }
    };
    bool transposed = false;
    const auto whole = [&] {
        rest();
        // The map's axes run over all tokens, and its cells end on device pixels.
        const ui::HeadHeatmap& map = m_view->headPage().heatmap();
        const std::int64_t rows = m_view->session().run().rows;
        QCOMPARE(map.geometry().view().dest, 0);
        QVERIFY(!transposed || map.scene().transposed);
        QVERIFY(map.geometry().view().count >= rows);
        QVERIFY(map.scene().tile);
        const QRectF first = map.scene().logical(map.scene().geometry.rectOf({0, 0}));
        const QRectF last = map.scene().logical(map.scene().geometry.rectOf({rows - 1, rows - 1}));
        QVERIFY(QRectF(map.rect()).contains(first) && QRectF(map.rect()).contains(last));
        QVERIFY(first.bottom() <= last.bottom() && first.right() <= last.right());
        const auto* readOut = map.findChild<ui::ReadOut*>();
        QVERIFY(readOut->isVisible() && readOut->content().cell && readOut->content().drawn);
        QVERIFY(map.rect().contains(readOut->geometry()));
        const ui::ScaleColumn& scale = m_view->headPage().scaleColumn();
        for (const QString& line : scale.noteLines())
            QVERIFY2(QFontMetrics(ui::wordFont(10)).horizontalAdvance(line) <= scale.width(),
                     qPrintable(line));
        for (const double edge : {first.left(), first.top(), last.right(), last.bottom()})
            QCOMPARE(edge * 2, std::round(edge * 2));
    };
    whole();
    if (QTest::currentTestFailed()) return;
    look(QStringLiteral("run"));
    // Three more tokens, another head, another quantity: still whole, and soon.
    QElapsedTimer clock;
    clock.start();
    for (int i = 0; i < kGenerated; ++i) {
        Q_EMIT window.stepRequested();
        QVERIFY(fake::eventually([&] { return m_view->session().run().rows == tokens + i + 1; },
                                 real::patience));
    }
    QVERIFY(settle(*m_view, real::patience));
    QCOMPARE(static_cast<int>(window.stepBar().steps().size()), kGenerated);
    QTest::keyClick(&window, Qt::Key_Down);
    QTest::keyClick(&window, Qt::Key_4);
    transposed = scheme == ui::Scheme::Dark;
    if (transposed) QTest::keyClick(&window, Qt::Key_T);
    QVERIFY(settle(*m_view, real::patience));
    whole();
    if (QTest::currentTestFailed()) return;
    look(QStringLiteral("steps"));
    qInfo("%lld ms", clock.elapsed());
    if ((size.width() < 2000) == (scheme == ui::Scheme::Dark)) return;
    // The prompt as text, and another page.
    QTest::keyClick(&window, Qt::Key_V);
    QVERIFY(settle(*m_view, real::patience));
    const ui::TextView& text = m_view->headPage().textView();
    const std::int64_t dest = engine::to_int(m_view->session().selection().dest);
    QVERIFY(text.isVisible() && text.viewport()->rect().contains(text.tokenRect(dest)));
    rest();
    look(QStringLiteral("text"));
    window.showFinderPage();
    QVERIFY(settle(*m_view, real::patience));
    rest();
    look(QStringLiteral("finder"));
}

void WindowScalesTest::look(const QString& name) const {
    const QImage picture = m_view->window().grab().toImage();
    QCOMPARE(picture.size(), m_view->window().size() * 2);
    if (const QByteArray folder = qgetenv("HEADSCOPE_LOOK"); !folder.isEmpty())
        QVERIFY(picture.save(QStringLiteral("%1/%2 %3.png")
                                 .arg(QString::fromLocal8Bit(folder),
                                      QLatin1String(QTest::currentDataTag()), name)));
}

QTEST_MAIN(WindowScalesTest)
#include "window_scales_test.moc"
