// SPDX-License-Identifier: GPL-3.0-or-later
// The figures that one open engine gives, in an order that lets the peak of a 512-token run be read
// before longer ones.
#include <fstream>
#include <string>
#include <thread>

#include "app/command_line/cli_text.h"
#include "app/verbs/bench_figures.h"
#include "app/verbs/bench_views.h"

namespace app {
namespace {

constexpr int decodeSteps = 32;

// Ids spread over the vocabulary: real embeddings, and the same in every run.
std::vector<engine::TokenId> someTokens(std::int64_t count, int vocab) {
    std::vector<engine::TokenId> tokens;
    std::uint32_t state = 12345;
    for (std::int64_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        tokens.push_back(
            static_cast<engine::TokenId>((state >> 8) % static_cast<std::uint32_t>(vocab)));
    }
    return tokens;
}

engine::RunId open(engine::Engine& engine, std::int64_t context, std::int64_t reserve) {
    engine::RunRequest request;
    request.tokens = someTokens(context, engine.info().vocab);
    request.reserve = reserve;
    return engine.open_run(request);
}

void prefill(engine::Engine& engine, engine::RunId run, const std::stop_token& stop) {
    while (!engine.prefill_chunk(run, stop).finished())
        if (stop.stop_requested()) throw engine::Cancelled();
}

bool hasPlace(const BenchSubject& subject, std::int64_t tokens) {
    const engine::ModelInfo& info = subject.info;
    if (tokens <= info.context && tokens <= info.pages * info.page_tokens) return true;
    subject.cli.err << "headscope bench: left out: the figures of " << thousands(tokens)
                    << " tokens, past the context or the memory\n";
    return false;
}

std::optional<double> milliseconds(std::optional<double> seconds) {
    if (seconds) *seconds *= 1e3;
    return seconds;
}

void benchPrefill(const BenchSubject& subject, engine::Engine& engine, std::int64_t context,
                  int runs) {
    std::vector<double> seconds;
    for (int i = context <= 512 ? -1 : 0; i < runs; ++i) {  // the first short one warms up
        const engine::RunId run = open(engine, context, 0);
        const Stopwatch watch;
        prefill(engine, run, subject.cli.stop);
        if (i >= 0) seconds.push_back(watch.seconds());
        engine.close_run(run);
    }
    const auto limit = leastSeconds(subject.limits, static_cast<double>(subject.info.weight_bytes),
                                    prefillFlops(subject.info, context));
    subject.add({"prefill_ms", median(seconds) * 1e3, "ms", milliseconds(limit), context, runs});
}

void benchDecode(const BenchSubject& subject, engine::Engine& engine, engine::RunId run,
                 const char* name, std::int64_t context) {
    const auto seconds =
        timed(decodeSteps, true, [&] { engine.decode_step(run, subject.cli.stop); });
    subject.add({name, 1 / median(seconds), "tok/s",
                 1 / *leastSeconds(subject.limits, decodeBytes(subject.info, context), 0), context,
                 decodeSteps});
}

// Milliseconds from the request to stop until `work` has thrown Cancelled; none if it was through
// before.
std::optional<double> cancelled(const Cli& cli, double after,
                                const std::function<void(std::stop_token)>& work) {
    std::stop_source source;
    const std::stop_callback outer(cli.stop, [&] { source.request_stop(); });
    std::chrono::steady_clock::time_point asked;
    std::jthread asker([&] {
        std::this_thread::sleep_for(std::chrono::duration<double>(after));
        asked = std::chrono::steady_clock::now();
        source.request_stop();
    });
    bool stopped = false;
    try {
        work(source.get_token());
    } catch (const engine::Cancelled&) {
        stopped = true;
    }
    const auto end = std::chrono::steady_clock::now();
    asker.join();
    cli.throwIfStopped();
    return stopped ? std::optional(std::chrono::duration<double, std::milli>(end - asked).count())
                   : std::nullopt;
}

void benchCancel(const BenchSubject& subject, engine::Engine& engine, std::int64_t context,
                 double prefillSeconds) {
    constexpr int runs = 7;
    std::vector<double> waits;
    for (int i = 0; i < runs; ++i) {
        const engine::RunId run = open(engine, context, 0);
        const double after = prefillSeconds * (i + 1) / (runs + 1);
        if (const auto wait = cancelled(subject.cli, after,
                                        [&](std::stop_token stop) { prefill(engine, run, stop); }))
            waits.push_back(*wait);
        engine.close_run(run);
    }
    if (!waits.empty())
        subject.add({"cancel_prefill_ms", median(waits), "ms", std::nullopt, context,
                     static_cast<int>(waits.size())});

    waits.clear();
    const engine::RunId run = open(engine, context, 0);
    prefill(engine, run, subject.cli.stop);
    for (int i = 0; i < runs; ++i) {
        const auto steps = [&](std::stop_token stop) {
            // As many steps as there is place for; the request comes long before.
            for (int step = 0; step < decodeSteps; ++step) engine.decode_step(run, stop);
        };
        if (!hasPlace(subject, subject.cli.stop.stop_requested()
                                   ? 0
                                   : engine.reader()->rows(run) + decodeSteps))
            break;
        if (const auto wait = cancelled(subject.cli, 0.05 + 0.007 * i, steps))
            waits.push_back(*wait);
    }
    engine.close_run(run);
    if (!waits.empty())
        subject.add({"cancel_decode_ms", median(waits), "ms", std::nullopt, context,
                     static_cast<int>(waits.size())});
}

// Resident at most since forgetPeakMemory(), file pages included.
void addPeakMemory(const BenchSubject& subject, std::int64_t context) {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word && word != "VmHWM:") {
    }
    double kibibytes = 0;
    if (status >> kibibytes)
        subject.add({"peak_memory_bytes", kibibytes * 1024, "B", std::nullopt, context, 1});
}

}  // namespace

void forgetPeakMemory() {
    std::ofstream("/proc/self/clear_refs") << "5\n";
}

void benchEngine(const BenchSubject& subject, engine::Engine& engine) {
    for (const std::int64_t context : subject.contexts) {
        if (!hasPlace(subject, context + decodeSteps + 1)) continue;
        benchPrefill(subject, engine, context, context > 512 ? 3 : 5);
        const double prefillSeconds = subject.figures.back().value / 1e3;
        if (context == subject.contexts.front()) continue;
        const engine::RunId run = open(engine, context, decodeSteps + 1);
        prefill(engine, run, subject.cli.stop);
        benchDecode(subject, engine, run, "decode_tok_s", context);
        addPeakMemory(subject, context);
        benchViews(subject, *engine.reader(), run, context);
        engine.close_run(run);
        if (context == subject.contexts[1]) benchCancel(subject, engine, context, prefillSeconds);
    }
    const engine::ModelInfo& info = subject.info;
    subject.add({"max_captured_tokens",
                 static_cast<double>(std::min(info.context, info.pages * info.page_tokens)),
                 "tokens", static_cast<double>(info.context), info.context, 1});
}

void benchWithoutCapture(const BenchSubject& subject, engine::Engine& engine) {
    const std::int64_t context = subject.contexts[1];
    if (!hasPlace(subject, context + decodeSteps + 1)) return;
    const engine::RunId run = open(engine, context, decodeSteps + 1);
    prefill(engine, run, subject.cli.stop);
    benchDecode(subject, engine, run, "decode_tok_s_no_capture", context);
    engine.close_run(run);
}

}  // namespace app
