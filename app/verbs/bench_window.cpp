// SPDX-License-Identifier: GPL-3.0-or-later
// The real window on the offscreen platform: how long the GUI thread is away for a frame while
// tokens stream at full speed and the focus moves from head to head, and while a long prompt is
// looked around in; how long an answer takes to be on screen; and whether looking around makes the
// process grow.
#include <QElapsedTimer>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <fstream>

#include "app/command_line/cli_text.h"
#include "app/verbs/answer_times.h"
#include "app/verbs/bench_figures.h"
#include "app/verbs/drawing_application.h"
#include "app/verbs/restless_user.h"
#include "app/verbs/timed_application.h"
#include "app/view/main_view.h"
#include "ui/painting/theme.h"

namespace app {
namespace {

constexpr int generate = 64, mostMilliseconds = 120'000;
constexpr std::int64_t browsedTokens = 512;
constexpr int headEveryMs = 50, moveEveryMs = 8, earlySeconds = 10;  // 125 moves a second: a mouse

double residentBytes() {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word && word != "VmRSS:") {
    }
    double kibibytes = 0;
    status >> kibibytes;
    return kibibytes * 1024;
}

// launchPrompt, which has `tokens`, as often as it takes; about browsedTokens in all. Tokenizers
// differ in what a word more costs, so a short context is only filled by half.
std::string longPrompt(std::int64_t tokens, std::int64_t context) {
    const std::int64_t wanted = std::min(browsedTokens, context / 2);
    std::string text = launchPrompt;
    std::int64_t count = tokens;
    for (; count + tokens <= wanted; count += tokens) (text += ' ') += launchPrompt;
    for (; count < wanted; ++count) text += " the";
    return text;
}

// One window, from its model's opening to the last of its figures.
class WindowBench : public QObject {
  public:
    WindowBench(const BenchSubject& subject, TimedApplication& loop, MainView& view,
                WindowTimes times);
    void begin();
    bool isThrough() const { return m_phase == Phase::Through; }
    const std::optional<engine::Failure>& failure() const { return m_failure; }

  private:
    enum class Phase { Opening, Generating, Reading, Asking, Browsing, Through };
    void next();
    void generateTokens();
    void readLongPrompt();
    void askForAnswers();
    void browse();
    void tick();
    void endBrowsing();
    void addFrames(const char* name, double quantile);

    const BenchSubject& m_subject;
    TimedApplication& m_loop;
    MainView& m_view;
    WindowTimes m_times;
    Phase m_phase = Phase::Opening;
    std::optional<engine::Failure> m_failure;
    QTimer m_tick, m_watchdog;
    QElapsedTimer m_browsing;
    std::unique_ptr<AnswerTimes> m_answers;
    std::unique_ptr<RestlessUser> m_user;
    double m_startBytes = 0, m_earlyBytes = 0;
};

WindowBench::WindowBench(const BenchSubject& subject, TimedApplication& loop, MainView& view,
                         WindowTimes times)
    : m_subject(subject), m_loop(loop), m_view(view), m_times(times) {
    connect(&view.session(), &Session::failed, this, [this](const engine::Failure& why) {
        m_failure = why;
        QCoreApplication::quit();
    });
    connect(&view.session(), &Session::ended, this, [this] {
        // Without a run the model is open, and its prompt is read next.
        if (m_view.session().hasRun()) QTimer::singleShot(0, this, [this] { next(); });
    });
    connect(&m_tick, &QTimer::timeout, this, [this] { tick(); });
    connect(&m_watchdog, &QTimer::timeout, this, [] { QCoreApplication::quit(); });
}

void WindowBench::begin() {
    m_tick.start(headEveryMs);
    m_watchdog.start(mostMilliseconds + static_cast<int>(1000 * m_times.browseSeconds));
    QTimer::singleShot(0, this, [this] { m_view.begin(); });
    m_view.window().show();
}

void WindowBench::next() {
    switch (m_phase) {
        case Phase::Opening: return m_times.generating ? generateTokens() : readLongPrompt();
        case Phase::Generating:
            if (!m_loop.frames.empty()) addFrames("frame_p99_ms", 0.99);
            m_loop.recording = false;
            return readLongPrompt();
        case Phase::Reading: return askForAnswers();
        case Phase::Asking:
        case Phase::Browsing:
        case Phase::Through: return;
    }
}

void WindowBench::generateTokens() {
    m_phase = Phase::Generating;
    m_loop.recording = true;
    const RunView& run = m_view.session().run();
    m_view.session().run({run.prompt, run.options, {}, generate});
}

void WindowBench::readLongPrompt() {
    m_phase = Phase::Reading;
    const RunView& run = m_view.session().run();
    const std::int64_t context = m_view.session().model()->context;
    m_view.session().read({longPrompt(run.promptTokens, context), run.options, {}, 0});
}

void WindowBench::askForAnswers() {
    m_phase = Phase::Asking;
    m_answers = std::make_unique<AnswerTimes>(m_view, [this] {
        m_loop.painted = {};
        const auto add = [&](const char* name, const std::vector<double>& times) {
            m_subject.add({name, median(times), "ms", std::nullopt, m_view.session().run().rows,
                           static_cast<int>(times.size())});
        };
        add("head_switch_ms", m_answers->ofHeads());
        add("hover_ms", m_answers->ofCells());
        browse();
    });
    m_loop.painted = [this] { m_answers->painted(); };
    m_answers->begin();
}

void WindowBench::browse() {
    m_phase = Phase::Browsing;
    m_user = std::make_unique<RestlessUser>(m_view);
    m_loop.forget();
    m_loop.recording = true;
    m_startBytes = residentBytes();
    m_browsing.start();
    m_tick.setTimerType(Qt::PreciseTimer);
    m_tick.start(moveEveryMs);
}

void WindowBench::tick() {
    if (m_subject.cli.stop.stop_requested()) return QCoreApplication::quit();
    if (m_phase == Phase::Generating) m_view.session().moveHead(0, 1);
    if (m_phase != Phase::Browsing) return;
    const auto elapsed = static_cast<double>(m_browsing.elapsed()) / 1000;
    if (m_earlyBytes == 0 && elapsed >= earlySeconds) m_earlyBytes = residentBytes();
    if (elapsed >= m_times.browseSeconds)
        endBrowsing();
    else
        m_user->move();
}

void WindowBench::endBrowsing() {
    m_phase = Phase::Through;
    m_loop.recording = false;
    const std::int64_t rows = m_view.session().run().rows;
    if (!m_loop.frames.empty()) {
        addFrames("browse_frame_p50_ms", 0.5);
        addFrames("browse_frame_p99_ms", 0.99);
        addFrames("browse_frame_max_ms", 1);
    }
    const auto add = [&](const char* name, double value, const char* unit) {
        m_subject.add({name, value, unit, std::nullopt, rows, 1});
    };
    add("browse_longest_event_ms", m_loop.longest, "ms");
    add("browse_start_bytes", m_startBytes, "B");
    if (m_earlyBytes > 0) add("browse_10s_bytes", m_earlyBytes, "B");
    add("browse_end_bytes", residentBytes(), "B");
    QCoreApplication::quit();
}

void WindowBench::addFrames(const char* name, double quantile) {
    std::vector<double>& frames = m_loop.frames;
    std::sort(frames.begin(), frames.end());
    const auto count = static_cast<double>(frames.size());
    const auto at = std::min(frames.size() - 1, static_cast<std::size_t>(quantile * count));
    m_subject.add({name, frames[at], "ms", std::nullopt, m_view.session().run().rows,
                   static_cast<int>(frames.size())});
}

}  // namespace

std::optional<engine::ModelInfo> benchWindow(const BenchSubject& subject, WindowTimes times) {
    if (QCoreApplication::instance()) return std::nullopt;  // its events would be another's
    const QTemporaryDir folder;
    const DrawingApplication<TimedApplication> application;
    ui::loadFonts();
    QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
    const auto openEngine = [&](engine::OpenRequest request, const engine::OnProgress& progress,
                                std::stop_token stop) {
        request.device = subject.device;
        request.dtype = subject.dtype;
        request.threads = subject.threads;
        return subject.cli.openEngine(request, progress, stop);
    };
    MainView view({openEngine, subject.cli.inspectModel}, settings,
                  {subject.model, launchPrompt, {}, false});
    view.window().resize(1440, 900);
    WindowBench bench(subject, *application.get(), view, times);
    bench.begin();
    QApplication::exec();

    subject.cli.throwIfStopped();
    if (bench.failure()) throw engine::Error(*bench.failure());
    if (!bench.isThrough())
        subject.cli.log("figures of the window are left out: it was not through in time");
    return view.session().model();
}

}  // namespace app
