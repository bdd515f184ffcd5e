// SPDX-License-Identifier: GPL-3.0-or-later
// What crosses between the GUI thread and the engine thread: regular values only.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/engine.h"

namespace app {

// Where engines come from: the module in the program, a fake in tests. Both are called on the
// engine thread.
struct EngineSource {
    std::function<std::unique_ptr<engine::Engine>(const engine::OpenRequest&,
                                                  const engine::OnProgress&, std::stop_token)>
        open;
    std::function<engine::ModelInfo(const std::string& path)> inspect;
};

// Grows with every job; an event of an older job is out of date.
enum class JobId : std::uint64_t {};

// Reads a prompt into a new run and generates after it. The run before it is closed.
struct RunCommand {
    std::string text;
    engine::TokenizeOptions options;
    engine::Sampling sampling;
    std::int64_t generate = 0;  // tokens after the prompt
};

// Goes on with an open run: the rest of its prompt if that was cancelled, then tokens.
struct GoOnCommand {
    engine::RunId run{};
    engine::Sampling sampling;
    std::int64_t generate = 0;
};

// Opens a run beside its parent: the same up to `at`, where another token stands, whose row is
// computed; then tokens.
struct ForkCommand {
    engine::RunId parent{};
    engine::Position at{};
    engine::TokenId token{};
    engine::Sampling sampling;
    std::int64_t generate = 0;
};

struct JobProgress {
    JobId job{};
    engine::Progress progress;  // bytes while a model loads, tokens while a prompt is read
    double seconds = 0;         // since the job began
};
struct ModelOpened {
    JobId job{};
    engine::ModelInfo info;
    std::shared_ptr<const engine::TraceReader> reader;
    double seconds = 0;
};
struct RunOpened {
    JobId job{};
    engine::RunId run{};
    engine::Encoding encoding;
};
// The parent stays open; `token` stands at `at`, where its row is still to be computed.
struct RunForked {
    JobId job{};
    engine::RunId run{}, parent{};
    engine::Position at{};
    engine::Token token;
};
// The run before this job's is gone, and no new one could be opened in the room it left.
struct RunClosed {
    JobId job{};
};
struct PromptRead {
    JobId job{};
    engine::RunId run{};
    std::int64_t rows = 0;
    double seconds = 0;
};
struct Stepped {
    JobId job{};
    engine::Step step;
};
struct JobEnded {
    enum class How { Finished, EndOfText, Cancelled, Failed };
    JobId job{};
    How how = How::Finished;
    std::optional<engine::Failure> failure;  // when Failed
};
struct ModelInspected {
    std::string path;
    std::optional<engine::ModelInfo> info;  // none: not a model at all, and why
    std::optional<engine::Failure> failure;
};

using EngineEvent = std::variant<JobProgress, ModelOpened, RunOpened, RunForked, RunClosed,
                                 PromptRead, Stepped, JobEnded, ModelInspected>;

}  // namespace app
