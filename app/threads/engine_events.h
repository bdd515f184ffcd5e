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

#include "app/session/prompt_preview.h"
#include "app/session/restored_runs.h"
#include "app/session/saved_session.h"
#include "app/session/typed_token.h"
#include "engine/engine.h"
#include "engine/values/device_list.h"
#include "engine/values/found_model.h"

namespace app {

// Where engines come from: the module in the program, a fake in tests. All are called on the engine
// thread.
struct EngineSource {
    std::function<std::unique_ptr<engine::Engine>(const engine::OpenRequest&,
                                                  const engine::OnProgress&, std::stop_token)>
        open;
    std::function<engine::ModelInfo(const std::string& path)> inspect;
    std::function<engine::DeviceList()> devices = {};  // none: a CPU only
    // So many folders deep; none: nothing is looked for.
    std::function<std::vector<engine::FoundModel>(const std::string& folder, int levels)> find = {};
};

// Grows with every job; an event of an older job is out of date.
enum class JobId : std::uint64_t {};

// Reads a prompt into a new run and generates after it. The runs before it stay open beside it,
// until their room is wanted.
struct RunCommand {
    std::string text;
    engine::TokenizeOptions options;
    engine::Sampling sampling;
    std::int64_t generate = 0;  // tokens after the prompt
    engine::RunId shown{};      // whose prompt's runs are the last to be closed; none: 0
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

// Opens a run beside its parent: these tokens, of which so many are the prompt's, computed with
// these edits and no others; then tokens.
struct EditCommand {
    engine::RunId parent{};
    std::vector<engine::TokenId> tokens;
    std::int64_t promptTokens = 0;
    engine::Edits edits;
    engine::Sampling sampling;
    std::int64_t generate = 0;
};

// Computes a session's runs again, on its model; what is open stays until all of it is there.
struct RestoreCommand {
    engine::OpenRequest model;
    SavedSession session;
    std::string file;  // for errors
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
    std::vector<engine::RunId> before;  // still open: RunReturned tells of them
};
// `failed` got no row and is closed: the runs before it are those that are open again.
struct RunReturned {
    JobId job{};
    engine::RunId failed{};
};
// Those of RunOpened::before are now runs of an earlier prompt: the new one has rows.
struct RunsKept {};
// All runs of an earlier prompt, closed as their room was wanted.
struct KeptClosed {
    std::vector<engine::RunId> runs;
};
// The parent stays open; `token` stands at `at`, where its row is still to be computed.
struct RunForked {
    JobId job{};
    engine::RunId run{}, parent{};
    engine::Position at{};
    engine::Token token;
};
// The parent stays open; the rows of the run are still to be computed.
struct RunEdited {
    JobId job{};
    engine::RunId run{}, parent{};
    engine::Edits edits;
};
// What an edited run thinks of the tokens that it was given after its prompt.
struct StepsGiven {
    engine::RunId run{};
    std::vector<engine::Step> steps;
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
// The session's model is open and fits it; from here on progress counts tokens.
struct RunsRestoring {
    JobId job{};
};
struct SessionRestored {
    JobId job{};
    SavedSession session;
    RestoredRuns computed;
    std::string file;
    std::optional<ModelOpened> opened;  // none: its model was open already
    bool modelDiffers = false;          // from the one that the session was saved with
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

struct DevicesListed {
    engine::DeviceList list;
};

// Nothing of a folder that is not there or cannot be read.
struct ModelsFound {
    std::string folder;
    std::vector<engine::FoundModel> models;
};

using EngineEvent = std::variant<JobProgress, DevicesListed, ModelOpened, RunOpened, RunReturned,
                                 RunsKept, KeptClosed, RunForked, RunEdited, StepsGiven, RunClosed,
                                 PromptRead, Stepped, RunsRestoring, SessionRestored, JobEnded,
                                 ModelInspected, ModelsFound, PromptPreview, TypedToken>;

}  // namespace app
