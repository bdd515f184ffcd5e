// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "app/threads/engine_events.h"

namespace app {

// Lives on the engine thread and owns the only Engine, which is destroyed there with it. A job is
// done in slices (a load, a chunk of a prompt, a decode step), so that pauses and new commands get
// through between them; a stop request is seen inside a slice as well. One job at a time: a new one
// ends the one in work. Nothing is thrown at the caller: a failure is an event.
class EngineWorker {
  public:
    using Send = std::function<void(EngineEvent)>;  // called on the engine thread
    EngineWorker(EngineSource source, Send send);

    void open(JobId, const engine::OpenRequest&, std::stop_token);
    void run(JobId, const RunCommand&, std::stop_token);
    void goOn(JobId, const GoOnCommand&, std::stop_token);
    void fork(JobId, const ForkCommand&, std::stop_token);
    void edit(JobId, const EditCommand&, std::stop_token);
    void restore(JobId, const RestoreCommand&, std::stop_token);
    void setPaused(JobId, bool paused);
    void endCancelled(JobId);  // a paused job has no slice that would see its stop token
    void inspect(const std::string& path);
    void listDevices();
    void find(const std::string& folder, int levels);
    void preview(const std::string& text, const engine::TokenizeOptions&);
    void lookUp(const std::string& typed, bool distractor);

    bool hasWork() const { return m_job && !m_job->paused; }
    void slice();  // of the job in work; only when hasWork()

  private:
    using Clock = std::chrono::steady_clock;
    struct Job {
        Job(JobId job, std::stop_token token) : id(job), stop(std::move(token)) {}
        JobId id;
        std::stop_token stop;
        Clock::time_point begin = Clock::now();
        std::optional<Clock::time_point> lastProgress;
        engine::RunId run{};
        std::int64_t remaining = 0;
        std::vector<engine::TokenId> given;  // of an edited run: what it has after its prompt
        std::int64_t promptTokens = 0;
        bool paused = false;

        double seconds() const;
    };

    using Runs = std::map<engine::RunId, bool>;  // of one prompt: it has been read

    void begin(JobId, std::stop_token);
    // The one catch: whatever `work` throws ends the job with a Failure.
    template <typename Work>
    void guarded(Work&& work);
    // What `work` returns. Where it lacks memory, the runs of the oldest earlier prompt are closed
    // and it is called again.
    template <typename Work>
    auto withRoom(Work&& work) {
        for (;;) {
            try {
                return work();
            } catch (const engine::Error& error) {
                if (error.failure().kind != engine::Failure::Kind::OutOfMemory || !closeOldest())
                    throw;
            }
        }
    }
    void openRun(const RunCommand&);
    void restoreNow(const RestoreCommand&);
    void requireOpen(engine::RunId) const;
    void bring(engine::RunId);  // its prompt's runs are m_promptRead
    void keep(Runs);
    bool closeOldest();
    void sendGivenSteps();
    void closeRuns();
    void returnToReplaced();
    void readChunk();
    void step();
    void sendProgress(const engine::Progress&);
    void end(JobEnded::How, std::optional<engine::Failure> = {});

    EngineSource m_source;
    Send m_send;
    std::unique_ptr<engine::Engine> m_engine;
    std::unique_ptr<TokenNames> m_names;  // of it, once a token was typed
    Runs m_promptRead;                    // every open run of the newest prompt
    Runs m_replaced;                      // those of the one before, until this one has rows
    std::vector<Runs> m_kept;             // those of earlier ones, the longest unseen first
    std::optional<Job> m_job;
};

// What is in flight as a value that can be shown: anything thrown becomes a Failure. Call inside a
// catch block only.
engine::Failure currentFailure(const std::string& where);

}  // namespace app
