// SPDX-License-Identifier: GPL-3.0-or-later
// The options that say which model runs on what: shared by dump, export and bench, and what they
// stand for.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/cli.h"

namespace app {

std::vector<Option> promptOptions();   // --prompt … --seed
std::vector<Option> computeOptions();  // --device, --dtype, --threads
std::vector<Option> operator+(std::vector<Option>, const std::vector<Option>&);

struct ComputeOptions {
    std::string device = "auto";  // as OpenRequest has it
    std::string shape;            // `bench` only: random weights instead of a file
    std::optional<engine::DType> dtype;
    int threads = 0;  // 0: all cores
};
// What CUDA cannot do is computed on the CPU, and stderr says why.
ComputeOptions parseComputeOptions(const Arguments&);

struct PromptOptions {
    std::optional<std::string> text;                    // either this
    std::optional<std::vector<std::int64_t>> tokenIds;  // or this
    engine::TokenizeOptions tokenize;
    std::int64_t generate = 0;
    engine::Sampling sampling;
    engine::Edits edits;  // `dump` and `export`
};
PromptOptions parsePromptOptions(const Arguments&);  // reads --prompt-file

// An open model and what it says of itself; the log tells how long it took.
std::unique_ptr<engine::Engine> openModel(Cli&, const std::string& path, const ComputeOptions&,
                                          bool capture = true);

// The prompt's tokens. Refuses what the model rules out: no tokens, an id it lacks, more than its
// context (with `generate` more), a chat template that it does not have. The model's warnings go to
// stderr, of text only: ids that were given are what they are.
engine::Encoding encodePrompt(Cli&, const engine::Engine&, const PromptOptions&);

// Throws BadRequest for an id past the vocabulary.
void checkTokenId(const char* option, std::int64_t id, const engine::ModelInfo&);

// A token of the vocabulary: an id, or a text as TokenNames reads it. Throws BadRequest.
engine::TokenId parseToken(const char* option, const std::string& typed, const engine::Engine&);

struct FinishedRun {
    engine::RunId id{};
    std::vector<engine::Token> tokens;  // prompt and generated
    std::int64_t prompt = 0;
    std::int64_t rows = 0;  // prompt + max(generated, 1) − 1: the last sampled token has no row yet
};
std::int64_t rowsOf(std::int64_t promptTokens, std::int64_t generated);

// Reads the prompt and samples exactly `generate` tokens, going on past an end token.
FinishedRun runPrompt(Cli&, engine::Engine&, const engine::Encoding&, const PromptOptions&);

}  // namespace app
