// SPDX-License-Identifier: GPL-3.0-or-later
// A large picture's encoding, cancelled: it ends at once and leaves nothing.
#include <QDir>
#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <thread>

#include "app/files/export_job.h"
#include "app/files/picture_file.h"
#include "app/threads/engine_worker.h"
#include "tests/support/app_fixture.h"

namespace {

// A window of 2560 x 1440 at the scale of the window's exports.
QImage pictureOf(bool noise) {
    QImage picture(5120, noise ? 1440 : 2880, QImage::Format_RGB32);
    picture.fill(Qt::white);
    if (!noise) return picture;  // little is written of it, and seldom
    QRandomGenerator random(1);
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x)
            reinterpret_cast<QRgb*>(picture.scanLine(y))[x] = random.generate() | 0xff000000U;
    return picture;
}

app::PictureSource sourceOfNothing() {
    app::PictureSource source;
    source.model.name = "m";
    source.prompt = "When";
    return source;
}

}  // namespace

class ExportCancelTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    QStringList files() const {
        return QDir(m_folder.path()).entryList(QDir::Files | QDir::Hidden);
    }

  private Q_SLOTS:
    void endsAtOnce_data() {
        QTest::addColumn<bool>("noise");
        QTest::addRow("flat") << false;
        QTest::addRow("noise") << true;
    }
    void endsAtOnce() {
        QFETCH(bool, noise);
        const QImage picture = pictureOf(noise);
        const app::PictureSource source = sourceOfNothing();
        QElapsedTimer clock;
        clock.start();
        QVERIFY(!app::pngOf(picture, source).isEmpty());
        const qint64 whole = clock.elapsed();
        std::stop_source cancel;
        qint64 asked = 0, after = 0;
        bool cancelled = false;
        std::jthread encoder([&] {
            try {
                app::pngOf(picture, source, cancel.get_token());
            } catch (const engine::Cancelled&) {
                after = clock.elapsed() - asked;
                cancelled = true;
            }
        });
        QTest::qWait(static_cast<int>(whole / 4));
        asked = clock.elapsed();
        cancel.request_stop();
        encoder.join();
        qInfo("whole %lld ms, cancelled after %lld ms", whole, after);
        QVERIFY2(cancelled || whole < 100, "it was not cancelled");
        QVERIFY2(after < std::max<qint64>(200, whole / 3), qPrintable(QString::number(after)));
    }

    void leavesNoFile() {
        app::ExportJob job;
        QSignalSpy written(&job, &app::ExportJob::written),
            cancelled(&job, &app::ExportJob::cancelled), failed(&job, &app::ExportJob::failed);
        const auto order = [&](const char* name, bool noise) {
            job.write(m_folder.filePath(QLatin1String(name)).toStdString(),
                      [picture = pictureOf(noise)](const app::ExportJob::Order& given) {
                          app::writePng(given.path, picture, sourceOfNothing(), {}, given.cancel);
                      });
        };
        order("large.png", true);
        order("waits.png", true);
        QTest::qWait(100);
        job.cancel();
        QVERIFY(fake::eventually([&] { return cancelled.count() == 2; }));
        QCOMPARE(files(), QStringList());
        QCOMPARE(written.count() + failed.count(), 0);
        QVERIFY(!job.isWriting());
        order("whole.png", false);  // the next one is none of that
        QVERIFY(fake::eventually([&] { return written.count() == 1; }, 30'000));
        QCOMPARE(files(), QStringList{QStringLiteral("whole.png")});
        QCOMPARE(QImage(m_folder.filePath(QStringLiteral("whole.png"))).size(), QSize(5120, 2880));
    }
};

QTEST_MAIN(ExportCancelTest)
#include "export_cancel_test.moc"
