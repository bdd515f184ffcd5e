// SPDX-License-Identifier: GPL-3.0-or-later
// Folded rows and columns of the real window's grid, by keys and clicks on the real engine and the
// default model: every pixel of a folded picture against the pattern that the engine's `read`
// writes into a dump, and the grid as a file.
#include <QFileDialog>
#include <QImageReader>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/real_window.h"
#include "ui/grid/head_grid.h"
#include "ui/painting/palette.h"
#include "ui/painting/theme.h"

using engine::LayerHead;
using fake::eventually;

namespace {

constexpr int kPatience = real::patience;

LayerHead at(int layer, int head) {
    return {engine::Layer{layer}, engine::QueryHead{head}};
}

}  // namespace

class WindowFoldTest : public QObject {
    Q_OBJECT
  private slots:
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }

    void keysFoldAndThePictureIsThatOfTheDump_data();
    void keysFoldAndThePictureIsThatOfTheDump();
    void arrowsGoBetweenPictures();
    void gridIsWrittenAsItIsFolded();

  private:
    void press(Qt::Key key, Qt::KeyboardModifiers held = {}) {
        m_view->grid().setFocus();
        QTest::keyClick(&m_view->grid(), key, held);
        QVERIFY(::settle(*m_view, kPatience));
    }
    app::Session& session() const { return m_view->session(); }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
};

void WindowFoldTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home);
    QVERIFY(real::begin(*m_view));
}

void WindowFoldTest::keysFoldAndThePictureIsThatOfTheDump_data() {
    QTest::addColumn<bool>("mean");
    QTest::addRow("max") << false;
    QTest::addRow("mean") << true;
}

void WindowFoldTest::keysFoldAndThePictureIsThatOfTheDump() {
    QFETCH(bool, mean);
    ui::HeadGrid& grid = m_view->grid();
    session().selectHead(at(3, 4));
    press(Qt::Key_K);
    press(Qt::Key_L);
    press(Qt::Key_Down);
    press(Qt::Key_Down);
    press(Qt::Key_L);
    QCOMPARE(grid.fold().layers, (std::vector<engine::Rows>{{3, 6}}));
    QCOMPARE(grid.fold().groups.size(), std::size_t(3));
    QCOMPARE(grid.pictures(), 28 * 3);
    if (mean) press(Qt::Key_M, Qt::ShiftModifier);
    grid.setPitch(64);
    QVERIFY(::settle(*m_view, kPatience));

    const std::int64_t rows = session().run().rows;
    std::vector<double> expected(static_cast<std::size_t>(rows * rows), 0);
    for (int layer = 3; layer < 6; ++layer) {
        const auto tensor = session().reader()->read(
            session().run().id, {"pattern", engine::Layer(layer), {}}, {0, rows});
        const auto p = tensor.data.as<float>();
        for (int head = 3; head < 6; ++head)
            for (std::size_t i = 0; i < expected.size(); ++i) {
                const double value =
                    static_cast<double>(p[static_cast<std::size_t>(head) * expected.size() + i]);
                expected[i] = mean ? expected[i] + value / 9 : std::max(expected[i], value);
            }
    }
    const QRect rect = grid.headRect(at(3, 3));
    const QImage picture = grid.viewport()->grab().toImage();
    const ui::ColourTable& table = ui::sequentialTable(ui::Scheme::Light);
    int compared = 0;
    for (std::int64_t dest = 0; dest < rows; ++dest)
        for (std::int64_t src = 0; src < dest; ++src) {
            const auto middle = [&](std::int64_t i) {
                return static_cast<int>((2 * i + 1) * rect.height() / (2 * rows));
            };
            const QPoint where = rect.topLeft() + QPoint(middle(src), middle(dest));
            const auto entry =
                std::lround(255 * std::sqrt(expected[static_cast<std::size_t>(dest * rows + src)]));
            const QRgb found = picture.pixel(where);
            bool near = false;  // the tile's own byte is rounded before the mean is taken
            for (long i = std::max(0L, entry - 1); i <= std::min(255L, entry + 1); ++i)
                near = near || table[static_cast<std::size_t>(i)] == found;
            QVERIFY2(near, qPrintable(QStringLiteral("%1, %2").arg(dest).arg(src)));
            ++compared;
        }
    QCOMPARE(compared, static_cast<int>(rows * (rows - 1) / 2));
    grid.fit();
    press(Qt::Key_L, Qt::ShiftModifier);
    QVERIFY(grid.fold().isEmpty());
    if (mean) press(Qt::Key_M, Qt::ShiftModifier);
}

void WindowFoldTest::arrowsGoBetweenPictures() {
    session().selectHead(at(3, 4));
    press(Qt::Key_K, Qt::ShiftModifier);  // the group of H4 alone
    QCOMPARE(m_view->grid().fold().groups, std::vector<int>{1});
    press(Qt::Key_Left);
    QCOMPARE(session().selection().at, at(3, 2));
    press(Qt::Key_Right);
    press(Qt::Key_Right);
    QCOMPARE(session().selection().at, at(3, 6));
    press(Qt::Key_Down);
    QCOMPARE(session().selection().at, at(4, 6));
    press(Qt::Key_L, Qt::ShiftModifier);
}

void WindowFoldTest::gridIsWrittenAsItIsFolded() {
    press(Qt::Key_K);
    const QString path = m_home.folder.filePath(QStringLiteral("grid.png"));
    QAction* action = nullptr;
    for (QAction* each : m_view->window().findChildren<QAction*>())
        if (each->text() == QStringLiteral("&Grid of heads…")) action = each;
    QVERIFY(action);
    action->trigger();
    auto* dialog = m_view->window().findChild<QFileDialog*>(QStringLiteral("exportDialog"));
    QVERIFY(dialog);
    dialog->selectFile(path);
    QMetaObject::invokeMethod(dialog, "accept");
    QVERIFY(eventually([&] { return QFile::exists(path); }, kPatience));
    QImageReader reader(path);
    QVERIFY(reader.size().height() > 3 * reader.size().width());  // three columns, thirty rows
    QVERIFY(reader.text(QStringLiteral("Description")).contains(QStringLiteral("folded: max")));
    press(Qt::Key_L, Qt::ShiftModifier);
}

QTEST_MAIN(WindowFoldTest)
#include "window_fold_test.moc"
