// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of a session, computed again. Their tokens are the saved ones, whatever the model would
// sample today; what is new is everything computed from them. Engine thread.
#pragma once
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/session/saved_session.h"
#include "engine/engine.h"

namespace app {

struct RestoredRun {
    engine::RunId id{};
    std::vector<engine::Token> tokens;  // the prompt's and the generated ones; each has its row
    std::vector<engine::Step> steps;    // one a generated token
};

struct RestoredRuns {
    std::vector<RestoredRun> runs;  // as the session's
    std::int64_t promptTokens = 0;
    std::vector<engine::Candidate> candidates;            // after the prompt's last row
    std::optional<engine::Candidate> target, distractor;  // of the session's view, with its bytes
    std::vector<std::string> notes;                       // what the tokenizer decided
    std::vector<RestoredRuns> beside;                     // as the session's
    // Why the tokens saved are not those that the tokenizer makes of the text: one of them was
    // edited in the file, the tokenizer is another than then, or one of the two. Of this prompt,
    // not of those beside it.
    bool isEdited = false, tokenizerDiffers = false, isEither = false;
};

// Steps of the tokens that a run was given after its prompt, from that one on: their text, and what
// the run's own model thought of them. The rows are there. Throws Cancelled.
void takeSteps(engine::Engine&, RestoredRun&, std::int64_t promptTokens, std::size_t from,
               const std::stop_token&);

// Progress counts the tokens that are read. Throws what the engine throws, and Cancelled; then none
// of the runs is open.
RestoredRuns computeRuns(engine::Engine&, const SavedSession&,
                         const std::function<void(const engine::Progress&)>& onProgress,
                         const std::stop_token&);

}  // namespace app
