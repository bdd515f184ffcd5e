// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "app/engine_events.h"

namespace app {

// Lives on the engine thread and owns the only Engine. Blocks for one slice at a time (a chunk of a
// prompt, a decode step, a load), then posts itself the next, so that pauses and new commands get
// through. A stop request is seen inside a slice as well. One job at a time: a new one ends the one
// in work.
class EngineWorker : public QObject {
    Q_OBJECT
  public:
    // `send` takes every event, on the engine thread.
    EngineWorker(EngineSource source, std::function<void(EngineEvent)> send);
    ~EngineWorker() override;

    // Called on the engine thread only, through queued calls.
    void open(JobId, const engine::OpenRequest&, std::stop_token);
    void run(JobId, const RunCommand&, std::stop_token);
    void goOn(JobId, const GoOnCommand&, std::stop_token);
    void setPaused(JobId, bool paused);
    void endCancelled(JobId);  // a paused job has no slice that would see its stop token
    void inspect(const std::string& path);
    void shutDown();  // destroys the engine here, on its own thread

  private:
    struct Job {
        JobId id{};
        std::stop_token stop;
        QElapsedTimer clock;
        qint64 lastProgress = -1;  // ms on `clock`
        engine::RunId run{};
        std::int64_t remaining = 0;
        bool paused = false;
    };

    void begin(JobId, std::stop_token);
    // The one catch: whatever `work` throws ends the job with a Failure.
    template <typename Work>
    void guarded(Work&& work);
    void openRun(const RunCommand&);
    void closeRuns();
    void postSlice();
    void slice();
    void readChunk();
    void step();
    void sendProgress(const engine::Progress&);
    void end(JobEnded::How, std::optional<engine::Failure> = {});

    EngineSource m_source;
    std::function<void(EngineEvent)> m_send;
    std::unique_ptr<engine::Engine> m_engine;
    std::map<engine::RunId, bool> m_promptRead;  // every open run
    std::optional<Job> m_job;
    bool m_slicePosted = false;
};

// What is in flight as a value that can be shown: anything thrown becomes a Failure. Call inside a
// catch block only.
engine::Failure currentFailure(const std::string& where);

}  // namespace app
