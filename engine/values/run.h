// SPDX-License-Identifier: GPL-3.0-or-later
// A run: a prompt, its tokens, and the steps that generation took.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/edits.h"
#include "engine/values/ids.h"

namespace engine {

struct TokenizeOptions {
    bool chat = false;           // wrap in the model's chat template
    bool parse_special = false;  // control strings typed in the text become control tokens
    bool add_bos = true;         // the BOS that the tokenizer's own rule adds, if it has one
};

struct Token {
    TokenId id{};
    std::string bytes;  // exactly what the token decodes to; may be half a character
    std::int64_t
        start = 0,
        end = 0;  // bytes of the given text that it came from; empty (start == end) for scaffolding
    bool control = false;  // a special token: BOS, <|im_start|>, …
};

struct Encoding {
    std::vector<Token> tokens;
    std::vector<std::string>
        notes;  // what was decided and the reader should know ("BOS added"), shown with the prompt;
                // what makes all of them doubtful is in ModelInfo::warnings
};

struct Sampling {
    double temperature = 0;  // 0: greedy
    int top_k = 0;           // 0: all
    double top_p = 1;
    std::uint64_t seed = 0;
};

struct RunRequest {
    std::vector<TokenId> tokens;
    Sampling sampling;
    std::int64_t reserve =
        0;  // tokens that will be generated at most; memory for them is checked up front
    Edits
        edits;  // BadRequest for a head or a size that the model lacks; forks of the run keep them
    // An open run whose rows up to the first token or edit that differs are shared, not computed
    // again: prefill_chunk then begins behind them.
    std::optional<RunId> parent;
};

// How far a prompt has been read, or a file loaded.
struct Progress {
    std::int64_t done = 0, total = 0;  // tokens (prefill) or bytes (load)
    int layer = 0, layers = 0;         // inside the chunk in work
    std::int64_t chunk = 0;  // tokens of that chunk, which count as done when its last layer is
    bool finished() const { return done >= total; }
};

struct Candidate {
    TokenId token{};
    std::string bytes;
    double probability =
        0;  // of the plain softmax of the logits, before temperature, top-k and top-p
    float logit = 0;
};

struct TopTokens {
    RunId run{};
    Position position{};                // these follow this position
    std::vector<Candidate> candidates;  // by falling probability
};

// One decode step: the token sampled from the newest row's logits, then that token's own row
// computed.
struct Step {
    RunId run{};
    Token token;
    // What the step adds to the text, decoded as a stream after the prompt's own tokens: whole
    // characters only. Bytes of half a character are held back and come with the token that
    // completes them. Control tokens are written out, as they are in `token`.
    std::string text;
    std::string unfinished;  // what is held back, as it reads if no step follows: U+FFFD, or empty
    Position position{};     // where the token stands; its row is published when the step returns
    double probability = 0;  // of the sampled token, plain softmax
    std::vector<Candidate>
        alternatives;       // top candidates at this step, the sampled one among them or not
    std::int64_t rows = 0;  // published rows after the step
    std::int64_t pages_used = 0, pages_total = 0;  // of the whole pool
    double seconds = 0;                            // wall time of the step
    bool end_of_text = false;  // the token is one of the model's end tokens; going on is allowed
};

}  // namespace engine
