// SPDX-License-Identifier: GPL-3.0-or-later
// The picture beside the grid of the head that the mouse rests on, in the real window on the
// default model: it shows that head, and asks for nothing while nothing is rested on.
#include <QApplication>
#include <QScrollBar>
#include <QTest>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "app/view/main_view.h"
#include "engine/engine.h"
#include "tests/support/app_fixture.h"
#include "tests/support/real_window.h"
#include "ui/grid/head_grid.h"
#include "ui/grid/head_peek.h"
#include "ui/painting/names.h"
#include "ui/painting/number_text.h"
#include "ui/painting/palette.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"

class WindowPeekTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { m_view.reset(); }
    void init();
    void nothingIsAskedUnlessRestedOn();
    void showsTheHeadThatIsRestedOn();
    void goesOnToTheNext();
    void goesAway_data();
    void goesAway();

  private:
    ui::HeadGrid& grid() const { return m_view->grid(); }
    ui::HeadPeek* peek() const { return m_view->window().findChild<ui::HeadPeek*>(); }
    static engine::LayerHead at(int layer, int head) {
        return {engine::Layer(layer), engine::QueryHead(head)};
    }
    void moveTo(engine::LayerHead head) const {
        QTest::mouseMove(grid().viewport(), grid().headRect(head).center());
    }
    bool rest(engine::LayerHead head) const {
        moveTo(head);
        return fake::eventually([&] { return peek()->isVisible() && peek()->head() == head; },
                                real::patience);
    }

    real::Home m_home;
    std::unique_ptr<app::MainView> m_view;
    int m_asked = 0;
};

void WindowPeekTest::initTestCase() {
    NEEDS_DEFAULT_MODEL();
    ui::loadFonts();
    m_view = real::window(m_home);
    QVERIFY(real::begin(*m_view));
    connect(&m_view->views().reader(), &app::ReaderWorker::answered, this,
            [this](app::ReadKind kind) { m_asked += kind == app::ReadKind::Peek; });
}

void WindowPeekTest::init() {
    peek()->leave();
    m_view->session().selectHead(at(23, 3));
    QTest::mouseMove(grid().viewport(), QPoint(2, 2));
    QVERIFY(::settle(*m_view, real::patience));
    m_asked = 0;
}

void WindowPeekTest::nothingIsAskedUnlessRestedOn() {
    const auto waits = [this] {
        return m_view->views().isPending(app::ReadKind::Peek) || m_asked > 0 ||
               peek()->isVisible() || peek()->head().has_value();
    };
    // Heads by keys, rows, a scroll, and a mouse that only passes.
    for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Down, Qt::Key_Home, Qt::Key_End})
        QTest::keyClick(&m_view->window(), key);
    for (int head = 0; head < 9; ++head) {
        moveTo(at(5, head));
        QTest::qWait(20);
        QVERIFY(!waits());
    }
    QTest::mouseMove(grid().viewport(), QPoint(2, 2));
    QTest::qWait(2 * ui::HeadPeek::firstRest);
    QVERIFY(::settle(*m_view, real::patience));
    QVERIFY(!waits());
    // The focused head is in the large map already.
    m_view->session().selectHead(at(4, 4));
    moveTo(at(4, 4));
    QTest::qWait(2 * ui::HeadPeek::firstRest);
    QVERIFY(!waits());
}

void WindowPeekTest::showsTheHeadThatIsRestedOn() {
    const engine::LayerHead head = at(17, 5);
    QVERIFY(rest(head));
    QCOMPARE(m_asked, 1);
    QVERIFY(peek()->title().startsWith(ui::headName(head)));
    // It covers nothing of the grid and stays within the window.
    const QRect box = peek()->geometry();
    QVERIFY(m_view->window().rect().contains(box));
    QVERIFY(!box.intersects(QRect(grid().mapTo(&m_view->window(), QPoint()), grid().size())));
    QVERIFY(peek()->testAttribute(Qt::WA_TransparentForMouseEvents));
    // What it shows is the head's own pattern: the plain values, rooted, of the palette.
    const app::RunView& run = m_view->session().run();
    const auto read =
        m_view->session().reader()->read(run.id, {"pattern", head.layer, {}}, {0, run.rows});
    const auto p = read.data.as<float>();
    const QImage shown = peek()->grab().toImage();
    const double ratio = peek()->devicePixelRatioF();
    const auto rows = static_cast<std::size_t>(run.rows);
    const int n = static_cast<int>(run.planned);
    const auto colourAt = [&](std::size_t dest, std::size_t src) {
        const double side = double(ui::HeadPeek::picture) / n;
        return shown.pixelColor(QPoint(qRound((10 + (double(src) + 0.5) * side) * ratio),
                                       qRound((28 + (double(dest) + 0.5) * side) * ratio)));
    };
    const ui::ColourTable& table = ui::sequentialTable(ui::Scheme::Light);
    for (std::size_t dest = 0; dest < rows; ++dest)
        for (std::size_t src = 0; src < rows; ++src) {
            const double value = double(p[(5 * rows + dest) * rows + src]);
            const QColor is = colourAt(dest, src);
            const QColor due =
                src > dest
                    ? ui::theme().maskedThumbnail
                    : QColor(table[static_cast<std::size_t>(std::lround(255 * std::sqrt(value)))]);
            const int off =
                std::max({std::abs(is.red() - due.red()), std::abs(is.green() - due.green()),
                          std::abs(is.blue() - due.blue())});
            QVERIFY2(off < 8, qPrintable(QStringLiteral("%1 %2 p %3: %4 for %5")
                                             .arg(dest)
                                             .arg(src)
                                             .arg(value)
                                             .arg(is.name(), due.name())));
        }
    // And its numbers.
    QStringList said;
    for (const auto& number : peek()->numbers()) said << number.name + u' ' + number.value;
    double sink = 0;
    for (std::size_t dest = 0; dest < rows; ++dest)
        sink += double(p[(5 * rows + dest) * rows]) / double(rows);
    QVERIFY2(said.contains(QStringLiteral("sink ") + ui::plainNumber(sink, 3)),
             qPrintable(said.join(u'|')));
    const auto& writes = *m_view->views().contributions();
    QVERIFY2(said.contains(QStringLiteral("logit attribution at 13 ") +
                           ui::signedNumber(double(writes.head_attribution[17 * 9 + 5]), 3)),
             qPrintable(said.join(u'|')));
}

void WindowPeekTest::goesOnToTheNext() {
    QVERIFY(rest(at(17, 5)));
    const QImage first = peek()->grab().toImage();
    QVERIFY(rest(at(18, 5)));
    QVERIFY(fake::eventually([&] { return peek()->grab().toImage() != first; }));
    QVERIFY(peek()->title().startsWith(QStringLiteral("L18.H5")));
}

void WindowPeekTest::goesAway_data() {
    QTest::addColumn<QString>("how");
    for (const char* how : {"leave", "press", "wheel", "key", "scroll", "another run"})
        QTest::addRow("%s", how) << QString::fromLatin1(how);
}

void WindowPeekTest::goesAway() {
    QFETCH(QString, how);
    QVERIFY(rest(at(17, 5)));
    QWidget* viewport = grid().viewport();
    const QPoint on = grid().headRect(at(17, 5)).center();
    if (how == QStringLiteral("leave")) {
        QTest::mouseMove(viewport, QPoint(2, 2));
    } else if (how == QStringLiteral("press")) {
        QTest::mousePress(viewport, Qt::LeftButton, {}, on);
        QVERIFY(!peek()->isVisible());
        QTest::mouseRelease(viewport, Qt::LeftButton, {}, on);
    } else if (how == QStringLiteral("wheel")) {
        QWheelEvent wheel(on, viewport->mapToGlobal(on), {}, {0, -120}, {}, {}, Qt::NoScrollPhase,
                          false);
        QApplication::sendEvent(viewport, &wheel);
    } else if (how == QStringLiteral("key")) {
        QTest::keyClick(&grid(), Qt::Key_Down);
    } else if (how == QStringLiteral("scroll")) {
        grid().setPitch(60);
        QVERIFY(fake::eventually([&] { return grid().verticalScrollBar()->maximum() > 0; }));
        peek()->leave();
        const auto middle = grid().headAt(viewport->rect().center());
        QVERIFY(middle);
        QVERIFY(rest(middle == grid().focusedHead() ? grid().neighbour(*middle, -1, 0) : *middle));
        grid().verticalScrollBar()->setValue(30);
        grid().fit();
    } else {
        m_view->window().promptPanel().setPrompt(QStringLiteral("Another prompt"));
        Q_EMIT m_view->window().runRequested();
        QVERIFY(fake::eventually([&] { return m_view->session().run().prompt == "Another prompt"; },
                                 real::patience));
    }
    QVERIFY(!peek()->isVisible() && !peek()->head());
    QVERIFY(!m_view->views().isPending(app::ReadKind::Peek));
}

QTEST_MAIN(WindowPeekTest)
#include "window_peek_test.moc"
