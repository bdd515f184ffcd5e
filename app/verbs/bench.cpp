// SPDX-License-Identifier: GPL-3.0-or-later
#include <ostream>

#include "app/command_line/cli_text.h"
#include "app/verbs/bench_figures.h"
#include "app/verbs/run_options.h"
#include "app/verbs/verbs.h"

namespace app {
namespace {

// Of the window alone: no engine stands beside its own.
void runBrowsing(Cli& cli, const Arguments& arguments, const ComputeOptions& compute,
                 double seconds) {
    if (arguments.positionals().empty() || arguments.has("--shape"))
        throw engine::Error(engine::Failure::Kind::BadRequest,
                            "--browse needs a MODEL, and takes no --shape");
    std::vector<Figure> figures;
    BenchSubject subject{cli, arguments.positionals()[0], {}, {}, figures};
    subject.device = compute.device;
    subject.dtype = compute.dtype;
    subject.threads = compute.threads;
    const engine::ModelInfo info =
        benchWindow(subject, {false, seconds}).value_or(engine::ModelInfo{});
    if (arguments.has("--json"))
        printJson(cli.out, figures, info);
    else
        printText(cli.out, figures, info, subject.limits);
}

void runBench(Cli& cli, const Arguments& arguments) {
    ComputeOptions compute = parseComputeOptions(arguments);
    if (const auto seconds = arguments.real("--browse", 1, 3600))
        return runBrowsing(cli, arguments, compute, *seconds);
    if (arguments.has("--shape")) compute.shape = arguments.required("--shape", "a shape's name");
    if (!compute.shape.empty() && !arguments.positionals().empty())
        throw engine::Error(engine::Failure::Kind::BadRequest, "give a MODEL or a --shape");
    const bool file = compute.shape.empty();
    const std::string model = file ? arguments.positionals()[0] : "";
    if (file)
        cli.inspectModel(
            model);  // brings the engine's libraries in, so that load_s is the model's alone

    std::vector<Figure> figures;
    std::unique_ptr<engine::Engine> engine;
    const int loads = file ? 3 : 1;
    const auto loading = timed(loads, false, [&] {
        engine.reset();
        engine = openModel(cli, model, compute);
    });
    const engine::ModelInfo info = engine->info();
    const engine::DeviceRates rates = engine->measure_device();
    const bool gpu = rates.read_bytes_per_second > 0;
    const MachineLimits limits =
        gpu ? MachineLimits{rates.read_bytes_per_second, rates.flops_per_second}
            : measureMachine(info.threads);
    BenchSubject subject{cli, model, info, limits, figures};
    subject.device = compute.device;
    subject.dtype = compute.dtype;
    subject.threads = compute.threads;
    if (gpu) subject.contexts = {512, 2048, 8192, 32768};
    cli.log((gpu ? info.device : "this machine") + " reads " +
            humanBytes(static_cast<std::int64_t>(subject.limits.readBytesPerSecond)) + "/s");

    forgetPeakMemory();  // the buffers that memory was timed on
    subject.launchTokens =
        static_cast<std::int64_t>(engine->tokenize(launchPrompt, {}).tokens.size());
    benchEngine(subject, *engine);
    engine.reset();
    if (file) subject.add({"load_s", median(loading), "s", std::nullopt, 0, loads});
    benchWithoutCapture(subject, *openModel(cli, model, compute, false));
    if (file) {
        benchWindow(subject);
        benchLaunch(subject);
    }
    cli.throwIfStopped();

    if (arguments.has("--json"))
        printJson(cli.out, figures, info);
    else
        printText(cli.out, figures, info, subject.limits);
}

}  // namespace

Verb benchVerb() {
    return {
        "bench",
        "Measures reading, generating and every view, each beside the machine's own limit",
        "MODEL | --shape NAME [--browse SECONDS] [--device …] [--dtype …] [--threads N] [--json]",
        std::vector<Option>{{"--shape", "NAME",
                             "random weights of a known model's shape on a GPU: qwen3-8b, "
                             "qwen3-0.6b, llama-3.1-8b"},
                            {"--browse", "SECONDS",
                             "only the window: hovers, zooms, drags, scrolls and switches heads "
                             "for so long"}} +
            computeOptions() + std::vector<Option>{{"--json", "", "one array of figures"}},
        "Values are medians of `runs`. limit is the bound that memory bandwidth and "
        "multiply-adds set, measured\n"
        "in the same run with the same threads; null where there is none. context is the "
        "number of tokens.\n",
        runBench};
}

}  // namespace app
