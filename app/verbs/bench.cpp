// SPDX-License-Identifier: GPL-3.0-or-later
#include <ostream>

#include "app/cli_text.h"
#include "app/verbs/bench_figures.h"
#include "app/verbs/run_options.h"
#include "app/verbs/verbs.h"

namespace app {
namespace {

void run(Cli& cli, const Arguments& arguments) {
    const std::string model = arguments.positionals()[0];
    const ComputeOptions compute = parseComputeOptions(arguments);
    cli.inspectModel(
        model);  // brings the engine's libraries in, so that load_s is the model's alone

    std::vector<Figure> figures;
    std::unique_ptr<engine::Engine> engine;
    constexpr int loads = 3;
    const auto loading = timed(loads, false, [&] {
        engine.reset();
        engine = openModel(cli, model, compute);
    });
    const engine::ModelInfo info = engine->info();
    BenchSubject subject{cli, model, info, measureMachine(info.threads), figures};
    cli.log("this machine reads " +
            humanBytes(static_cast<std::int64_t>(subject.limits.readBytesPerSecond)) + "/s");

    forgetPeakMemory();  // the buffers that memory was timed on
    subject.launchTokens =
        static_cast<std::int64_t>(engine->tokenize(launchPrompt, {}).tokens.size());
    benchEngine(subject, *engine);
    engine.reset();
    subject.add({"load_s", median(loading), "s", std::nullopt, 0, loads});
    benchWithoutCapture(subject, *openModel(cli, model, compute, false));
    benchWindow(subject);
    benchLaunch(subject);

    if (arguments.has("--json"))
        printJson(cli.out, figures, info);
    else
        printText(cli.out, figures, info, subject.limits);
}

}  // namespace

Verb benchVerb() {
    return {"bench",
            "Measures reading, generating and every view, each beside the machine's own limit",
            "MODEL [--device …] [--dtype …] [--threads N] [--json]",
            computeOptions() + std::vector<Option>{{"--json", "", "one array of figures"}},
            "Values are medians of `runs`. limit is the bound that memory bandwidth and "
            "multiply-adds set, measured\n"
            "in the same run with the same threads; null where there is none. context is the "
            "number of tokens.\n",
            run};
}

}  // namespace app
