// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verbs/run_options.h"

#include <cerrno>
#include <fstream>
#include <limits>
#include <system_error>
#include <thread>

#include "app/command_line/cli_text.h"
#include "app/session/typed_token.h"
#include "app/verbs/prompt_losses.h"

namespace app {
namespace {

using FailureKind = engine::Failure::Kind;

std::string readPromptFile(const std::string& path) {
    constexpr std::size_t most = 64u << 20;
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string text;
    std::string part(1u << 16, '\0');
    while (file && text.size() <= most) {
        file.read(part.data(), static_cast<std::streamsize>(part.size()));
        text.append(part.data(), static_cast<std::size_t>(file.gcount()));
    }
    if (!file.eof() && text.size() <= most)
        throw engine::Error(
            FailureKind::BadFile,
            "cannot read it: " + std::generic_category().message(errno ? errno : EIO), path);
    if (text.size() > most)
        throw engine::Error(FailureKind::BadRequest,
                            "more than the " + thousands(most) + " bytes a prompt may have", path);
    return text;
}

void checkDevice(const std::string& device) {
    const bool known =
        device == "cpu" || device == "cuda" ||
        (device.starts_with("cuda:") && device.size() < 10 && parseUnsigned(device.substr(5)));
    if (!known) badArgument("--device", device, "not one of cpu, cuda, cuda:N");
}

}  // namespace

std::vector<Option> operator+(std::vector<Option> left, const std::vector<Option>& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

std::vector<Option> promptOptions() {
    return {
        {"--prompt", "TEXT", "the prompt; BOS is added by the tokenizer's own rule"},
        {"--prompt-file", "F", "the prompt from a file, byte for byte"},
        {"--token-ids", "1,2,3", "the prompt as token ids, past the tokenizer"},
        {"--chat", "", "wrap the prompt in the model's chat template"},
        {"--parse-special", "", "control strings typed in the prompt become control tokens"},
        {"--generate", "N", "sample exactly N tokens, also past an end token (default 0)"},
        {"--temperature", "X", "sample at this temperature (default 0: greedy)"},
        {"--top-k", "K", "sample among the K most likely tokens (default 0: all)"},
        {"--top-p", "P", "sample among the most likely tokens that hold P together (default 1)"},
        {"--seed", "S", "of the sampler (default 0)"}};
}

std::vector<Option> computeOptions() {
    return {{"--device", "cpu|cuda[:N]", "where to compute (default: a GPU that can be used)"},
            {"--dtype", "TYPE", "float32, bfloat16 or float16 (default: what suits the device)"},
            {"--threads", "N", "compute threads (default: all cores)"}};
}

ComputeOptions parseComputeOptions(const Arguments& arguments) {
    ComputeOptions options;
    if (const auto name = arguments.oneOf("--dtype", {"float32", "bfloat16", "float16"}))
        options.dtype = *name == "float32"    ? engine::DType::F32
                        : *name == "bfloat16" ? engine::DType::BF16
                                              : engine::DType::F16;
    options.threads = static_cast<int>(arguments.integer("--threads", 1, 1024).value_or(0));
    if (const auto device = arguments.text("--device")) {
        checkDevice(*device);
        options.device = *device;
    }
    return options;
}

PromptOptions parsePromptOptions(const Arguments& arguments) {
    int given = 0;
    for (const char* way : {"--prompt", "--prompt-file", "--token-ids"})
        given += arguments.has(way) ? 1 : 0;
    if (given != 1)
        throw engine::Error(FailureKind::BadRequest,
                            given == 0
                                ? "a prompt is missing: --prompt, --prompt-file or --token-ids"
                                : "give one of --prompt, --prompt-file and --token-ids");
    PromptOptions options;
    options.tokenize.chat = arguments.has("--chat");
    options.tokenize.parse_special = arguments.has("--parse-special");
    options.generate =
        arguments.integer("--generate", 0, std::numeric_limits<std::int32_t>::max()).value_or(0);
    options.sampling.temperature = arguments.real("--temperature", 0, 1000).value_or(0);
    for (const char* name : {"--top-k", "--top-p", "--seed"})
        if (arguments.has(name) && options.sampling.temperature == 0)
            badArgument(name, *arguments.text(name),
                        "decoding is greedy, which draws nothing, unless --temperature is above 0");
    options.sampling.top_k = static_cast<int>(
        arguments.integer("--top-k", 0, std::numeric_limits<std::int32_t>::max()).value_or(0));
    options.sampling.top_p = arguments.real("--top-p", 0, 1).value_or(1);
    if (options.sampling.top_p == 0)
        badArgument("--top-p", *arguments.text("--top-p"), "must be above 0");
    options.sampling.seed = arguments.unsignedInteger("--seed").value_or(0);
    if (arguments.has("--token-ids")) {
        for (const char* name : {"--chat", "--parse-special"})
            if (arguments.has(name))
                throw engine::Error(
                    FailureKind::BadRequest,
                    std::string(name) + " needs text; --token-ids bypasses the tokenizer");
        options.tokenIds =
            arguments.integers("--token-ids", 0, std::numeric_limits<std::int32_t>::max());
        return options;
    }
    if (const auto path = arguments.text("--prompt-file")) {
        options.text = readPromptFile(*path);
        if (options.text->empty()) badArgument("--prompt-file", *path, "an empty prompt");
    } else {
        options.text = arguments.text("--prompt");
        if (options.text->empty()) badArgument("--prompt", *options.text, "an empty prompt");
    }
    return options;
}

std::unique_ptr<engine::Engine> openModel(Cli& cli, const std::string& path,
                                          const ComputeOptions& options, bool capture) {
    const Stopwatch watch;
    engine::OpenRequest request;
    request.path = path;
    request.shape = options.shape;
    request.device = options.device;
    request.dtype = options.dtype;
    request.threads = options.threads;
    request.capture = capture;
    auto engine = cli.openEngine(request, {}, cli.stop);
    cli.throwIfStopped();
    const engine::ModelInfo& info = engine->info();
    if (!info.device_note.empty() && options.device != "auto")
        cli.err << "headscope: computing on the CPU: " << oneLine(info.device_note) << std::endl;
    cli.log("opened " + info.name + " (" + info.format + ", " + std::to_string(info.layers) +
            " layers × " + std::to_string(info.query_heads) + " heads, " +
            engine::name_of(info.dtype) + ", " + std::to_string(info.threads) + " threads) in " +
            seconds(watch.seconds()));
    return engine;
}

void checkTokenId(const char* option, std::int64_t id, const engine::ModelInfo& info) {
    if (id >= info.vocab)
        badArgument(option, std::to_string(id),
                    "the vocabulary has ids 0 to " + std::to_string(info.vocab - 1));
}

engine::TokenId parseToken(const char* option, const std::string& typed,
                           const engine::Engine& engine) {
    if (const auto id = parseUnsigned(typed)) {
        if (*id >= static_cast<std::uint64_t>(engine.info().vocab))
            badArgument(option, typed,
                        "the vocabulary has ids 0 to " + std::to_string(engine.info().vocab - 1) +
                            "; digits that are meant as text stand in double quotes");
        return static_cast<engine::TokenId>(*id);
    }
    try {
        return TokenNames(engine).find(typed).token;
    } catch (const engine::Error& error) {
        const engine::Failure& failure = error.failure();
        throw engine::Error(failure.kind, std::string(option) + " " + failure.what, {},
                            failure.hint);
    }
}

engine::Encoding encodePrompt(Cli& cli, const engine::Engine& engine,
                              const PromptOptions& options) {
    const engine::ModelInfo& info = engine.info();
    const Stopwatch watch;
    engine::Encoding encoding;
    if (options.tokenIds) {
        std::vector<engine::TokenId> ids;
        for (const std::int64_t id : *options.tokenIds) {
            checkTokenId("--token-ids", id, info);
            ids.push_back(static_cast<engine::TokenId>(id));
        }
        encoding = engine.describe(ids);
    } else {
        if (options.tokenize.chat && !info.has_chat_template)
            throw engine::Error(FailureKind::BadRequest,
                                info.has_unknown_template
                                    ? "--chat: the model's chat template is not understood"
                                    : "--chat: the model has no chat template",
                                {}, "without --chat the prompt is read as it is");
        for (const std::string& warning : info.warnings)
            cli.err << "headscope: warning: " << oneLine(warning) << std::endl;
        encoding = engine.tokenize(*options.text, options.tokenize);
    }
    const auto tokens = static_cast<std::int64_t>(encoding.tokens.size());
    if (tokens == 0) throw engine::Error(FailureKind::BadRequest, "the prompt has no tokens");
    if (tokens > info.context)
        throw engine::Error(FailureKind::BadRequest, "the prompt has " + counted(tokens, "token") +
                                                         "; the model's context is " +
                                                         thousands(info.context));
    // A sampled token needs a row of its own before the next can be sampled, the last one none.
    if (rowsOf(tokens, options.generate) > info.context)
        throw engine::Error(
            FailureKind::BadRequest,
            "--generate " + quote(std::to_string(options.generate)) + ": " +
                counted(tokens, "prompt token") + " and " + thousands(options.generate) +
                " generated pass the model's context of " + thousands(info.context));
    if (options.text)
        for (const std::string& loss : promptLosses(*options.text, encoding))
            cli.err << "headscope: " << loss << std::endl;
    cli.log(counted(tokens, "prompt token") + " in " + seconds(watch.seconds()));
    for (const std::string& note : encoding.notes) cli.log(note);
    return encoding;
}

std::int64_t rowsOf(std::int64_t promptTokens, std::int64_t generated) {
    return promptTokens + std::max<std::int64_t>(generated, 1) - 1;
}

FinishedRun runPrompt(Cli& cli, engine::Engine& engine, const engine::Encoding& encoding,
                      const PromptOptions& options) {
    FinishedRun run;
    run.tokens = encoding.tokens;
    run.prompt = static_cast<std::int64_t>(encoding.tokens.size());
    run.rows = rowsOf(run.prompt, options.generate);
    // decode_step also computes the sampled token's row. Where the context has no place for the
    // last one, a greedy token can be read off the newest row; a sampled one cannot.
    const bool lastHasNoPlace = run.prompt + options.generate > engine.info().context;
    const bool greedy = options.sampling.temperature == 0;
    if (lastHasNoPlace && !greedy)
        throw engine::Error(FailureKind::BadRequest,
                            "--generate " + quote(std::to_string(options.generate)) +
                                ": sampling needs one position more than the context of " +
                                thousands(engine.info().context) + " has; generate one token less");
    engine::RunRequest request;
    for (const engine::Token& token : encoding.tokens) request.tokens.push_back(token.id);
    request.sampling = options.sampling;
    request.edits = options.edits;
    request.reserve = options.generate - (lastHasNoPlace ? 1 : 0);

    const Stopwatch prefill;
    run.id = engine.open_run(request);
    while (!engine.prefill_chunk(run.id, cli.stop).finished()) cli.throwIfStopped();
    cli.log("read " + counted(run.prompt, "token") + " in " + seconds(prefill.seconds()));

    const Stopwatch decode;
    std::string text, unfinished;
    for (std::int64_t step = 0; step < request.reserve; ++step) {
        cli.throwIfStopped();
        const engine::Step taken = engine.decode_step(run.id, cli.stop);
        run.tokens.push_back(taken.token);
        text += taken.text;
        unfinished = taken.unfinished;
        if (taken.end_of_text) cli.log("step " + std::to_string(step) + " is an end token");
    }
    if (lastHasNoPlace) {
        const auto top =
            engine.reader()->logits(run.id, static_cast<engine::Position>(run.rows - 1), 1);
        const engine::TokenId id = top.candidates.at(0).token;
        run.tokens.push_back(engine.describe(std::span(&id, 1)).tokens.at(0));
    }
    if (options.generate > 0)
        cli.log("generated " + counted(options.generate, "token") + " in " +
                seconds(decode.seconds()));
    if (request.reserve > 0) cli.log("text: " + text + unfinished);
    if (lastHasNoPlace)
        cli.log("then, past the context's last position: " + run.tokens.back().bytes);
    return run;
}

}  // namespace app
