// SPDX-License-Identifier: GPL-3.0-or-later
// The real window in every size: small, squeezed to nothing and large again. Without a window
// manager, or with one that tiles, a window is not asked what its least size is.
#include <QDockWidget>
#include <QTest>
#include <QToolBar>
#include <QWindow>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/real_window.h"
#include "tests/support/window_geometry.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/read_out.h"
#include "ui/painting/theme.h"
#include "ui/steps/step_bar.h"

class WindowSizesTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }
    void nothingIsCut_data();
    void nothingIsCut();
    void sizesComeBack_data();
    void sizesComeBack();
    void soloKeepsTheSmallLayout();

  private:
    bool resizeTo(QSize);
    QDockWidget* dock(const char* name) const {
        return m_view->window().findChild<QDockWidget*>(QLatin1String(name));
    }
    QList<QSize> dockSizes() const;
    QString cut() const { return geometry::cut(m_view->window()); }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
};

void WindowSizesTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home);
    QVERIFY(real::begin(*m_view));
}

bool WindowSizesTest::resizeTo(QSize size) {
    m_view->window().windowHandle()->resize(size);
    const bool resized = fake::eventually([&] { return m_view->window().size() == size; });
    QTest::qWait(50);  // the docks follow
    return resized && ::settle(*m_view, real::patience);
}

QList<QSize> WindowSizesTest::dockSizes() const {
    QList<QSize> sizes;
    for (const char* name : {"headsDock", "nextDock", "contributionsDock", "stepsDock"})
        sizes << dock(name)->size();
    return sizes;
}

void WindowSizesTest::nothingIsCut_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<int>("side");  // of the map, at least
    QTest::addRow("640x480") << QSize(640, 480) << 70;
    QTest::addRow("800x600") << QSize(800, 600) << 150;
    QTest::addRow("960x600") << QSize(960, 600) << 150;
    QTest::addRow("1280x800") << QSize(1280, 800) << 300;
    QTest::addRow("2560x1440") << QSize(2560, 1440) << 800;
}

void WindowSizesTest::nothingIsCut() {
    QFETCH(QSize, size);
    QFETCH(int, side);
    for (const ui::Scheme scheme : {ui::Scheme::Light, ui::Scheme::Dark}) {
        ui::setTheme(scheme);
        QVERIFY(resizeTo(size));
        QCOMPARE(cut(), QString());
        const QRect map = m_view->headPage().heatmap().mapRect();
        QVERIFY2(map.width() >= side, qPrintable(QString::number(map.width())));
        const QSize least = m_view->window().minimumSizeHint();
        QVERIFY2(least.width() <= size.width() && least.height() <= size.height(),
                 qPrintable(QStringLiteral("%1 x %2").arg(least.width()).arg(least.height())));
    }
}

void WindowSizesTest::sizesComeBack_data() {
    QTest::addColumn<QSize>("size");
    QTest::addRow("1280x800") << QSize(1280, 800);
    QTest::addRow("1440x900") << QSize(1440, 900);
    QTest::addRow("2560x1440") << QSize(2560, 1440);
}

void WindowSizesTest::sizesComeBack() {
    QFETCH(QSize, size);
    QVERIFY(resizeTo(size));
    const QList<QSize> before = dockSizes();
    QVERIFY(m_view->window().stepBar().height() > 50);
    for (const QList<QSize>& squeezes :
         {QList<QSize>{{640, 480}, {1, 1}}, {{1, 1}}, {{640, 900}}, {{1000, 480}, {640, 480}}}) {
        for (const QSize squeeze : squeezes) QVERIFY(resizeTo(squeeze));
        QVERIFY(resizeTo(size));
        QCOMPARE(dockSizes(), before);
        QCOMPARE(cut(), QString());
    }
}

void WindowSizesTest::soloKeepsTheSmallLayout() {
    QVERIFY(resizeTo({1440, 900}));
    const QList<QSize> before = dockSizes();
    m_view->window().setSolo(true);
    QVERIFY(resizeTo({640, 480}));
    m_view->window().setSolo(false);
    QTest::qWait(50);
    QCOMPARE(cut(), QString());
    QVERIFY(m_view->window().tabifiedDockWidgets(dock("headsDock")).contains(dock("nextDock")));
    QVERIFY(resizeTo({1440, 900}));
    QCOMPARE(dockSizes(), before);
}

QTEST_MAIN(WindowSizesTest)
#include "window_sizes_test.moc"
