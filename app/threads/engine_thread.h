// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "app/threads/engine_events.h"
#include "app/threads/latest_request.h"

namespace app {

class EngineWorker;

// The GUI thread's handle on the engine thread: no call here waits, but for the destructor, which
// stops the job in work and joins the thread (within a layer of a chunk).
class EngineThread : public QObject {
    Q_OBJECT
  public:
    explicit EngineThread(EngineSource source, QObject* parent = nullptr);
    ~EngineThread() override;

    // Each ends the job before it, whose later events are out of date.
    JobId open(const engine::OpenRequest&);
    JobId run(const RunCommand&);
    JobId goOn(const GoOnCommand&);
    JobId fork(const ForkCommand&);
    JobId edit(const EditCommand&);
    JobId restore(const RestoreCommand&);

    void pause(bool paused);  // between slices of the newest job
    void cancel();            // the newest job; its JobEnded follows

    // A TypedToken, between slices, of the newest target or distractor that was asked; none while
    // no model is open.
    void lookUp(const std::string& typed, bool distractor);

    // Looking at files, one at a time while no job has work, so that none waits for it.
    void inspect(const std::vector<std::string>& paths);  // a ModelInspected each
    void listDevices();                                   // a DevicesListed
    void find(const std::string& folder, int levels);     // a ModelsFound
    // A PromptPreview, of the newest that was asked; none while no model is open.
    void preview(const std::string& text, const engine::TokenizeOptions&);

  Q_SIGNALS:
    void happened(const app::EngineEvent&);  // on the GUI thread, in order

  private:
    using Command = std::function<void(EngineWorker&)>;
    template <typename Start>
    JobId start(Start&& start);
    void send(Command);
    void sendToBackground(std::vector<Command>);
    void loop(EngineSource source, const std::stop_token& quit);

    Outbox<std::vector<EngineEvent>> m_outbox;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::vector<Command> m_commands;   // under the lock
    std::deque<Command> m_background;  // likewise
    std::stop_source m_stop;           // of the newest job
    JobId m_job{};
    std::atomic<std::uint64_t> m_newestPreview = 0;
    std::array<std::atomic<std::uint64_t>, 2> m_newestLookUp{};  // target, distractor
    std::jthread m_thread;  // last, so that it is joined before the rest goes
};

}  // namespace app
