// SPDX-License-Identifier: GPL-3.0-or-later
// The real window on the offscreen platform while tokens stream at full speed and the focus moves
// from head to head: how long the GUI thread is away for a frame.
#include <QElapsedTimer>
#include <QEvent>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>

#include "app/cli_text.h"
#include "app/main_view.h"
#include "app/verbs/bench_figures.h"
#include "app/verbs/drawing_application.h"
#include "ui/painting/theme.h"

namespace app {
namespace {

// Times every event that reaches a widget from the loop and repaints.
class TimedApplication : public QApplication {
  public:
    using QApplication::QApplication;
    std::vector<double> frames;  // milliseconds
    bool recording = false;

    bool notify(QObject* receiver, QEvent* event) override {
        if (m_depth > 0 || !recording || event->type() != QEvent::UpdateRequest)
            return deliver(receiver, event);
        QElapsedTimer watch;
        watch.start();
        const bool handled = deliver(receiver, event);
        frames.push_back(static_cast<double>(watch.nsecsElapsed()) / 1e6);
        return handled;
    }

  private:
    bool deliver(QObject* receiver, QEvent* event) {
        ++m_depth;
        const bool handled = QApplication::notify(receiver, event);
        --m_depth;
        return handled;
    }
    int m_depth = 0;
};

constexpr int generate = 64, mostMilliseconds = 120'000;

}  // namespace

void benchWindow(const BenchSubject& subject) {
    if (QCoreApplication::instance()) return;  // its events would be another's
    const QTemporaryDir folder;
    const DrawingApplication<TimedApplication> application;
    TimedApplication& loop = *application.get();
    ui::loadFonts();
    QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
    const auto openEngine = [&](engine::OpenRequest request, const engine::OnProgress& progress,
                                std::stop_token stop) {
        request.device = subject.device;
        return subject.cli.openEngine(request, progress, stop);
    };
    MainView view({openEngine, subject.cli.inspectModel}, settings,
                  {subject.model, launchPrompt, {}, false});
    view.window().resize(1440, 900);

    Session& session = view.session();
    std::optional<engine::Failure> failure;
    bool decoded = false;
    QObject::connect(&session, &Session::failed, &loop, [&](const engine::Failure& why) {
        failure = why;
        TimedApplication::quit();
    });
    QObject::connect(&session, &Session::ended, &loop, [&] {
        if (!session.hasRun()) return;  // the model is open, its prompt is read next
        if (loop.recording) {
            decoded = true;
            TimedApplication::quit();
            return;
        }
        loop.recording = true;
        RunSettings run{session.run().prompt, session.run().options, {}, generate};
        QTimer::singleShot(0, &loop, [&session, run] { session.run(run); });
    });
    QTimer browse, watchdog;
    QObject::connect(&browse, &QTimer::timeout, &loop, [&] {
        if (subject.cli.stop.stop_requested()) TimedApplication::quit();
        if (loop.recording) session.moveHead(0, 1);
    });
    QObject::connect(&watchdog, &QTimer::timeout, &loop, [&] { TimedApplication::quit(); });
    browse.start(50);
    watchdog.start(mostMilliseconds);
    QTimer::singleShot(0, &loop, [&] { view.begin(); });
    view.window().show();
    QApplication::exec();

    subject.cli.throwIfStopped();
    if (failure) throw engine::Error(*failure);
    if (!decoded || loop.frames.empty()) {
        subject.cli.log("frame_p99_ms is left out: the window was not through after " +
                        std::to_string(mostMilliseconds / 1000) + " s");
        return;
    }
    std::vector<double>& frames = loop.frames;
    std::sort(frames.begin(), frames.end());
    const std::size_t at = std::min(frames.size() - 1, frames.size() * 99 / 100);
    subject.add({"frame_p99_ms", frames[at], "ms", std::nullopt, session.run().rows,
                 static_cast<int>(frames.size())});
}

}  // namespace app
