// SPDX-License-Identifier: GPL-3.0-or-later
// A verb on the real engine, in this process.
#pragma once
#include <sstream>
#include <string>
#include <vector>

#include "app/command_line/cli.h"

struct CliOutcome {
    int code = -1;
    std::string out, err;
};

inline CliOutcome run_verb(const std::vector<std::string>& words) {
    std::ostringstream out, err;
    app::Cli cli{out,
                 err,
                 {},
                 [](const engine::OpenRequest& request, const engine::OnProgress& progress,
                    std::stop_token stop) { return engine::open_engine(request, progress, stop); },
                 [](const std::string& path) { return engine::inspect_model(path); }};
    const int code = app::runVerb(cli, words);
    return {code, out.str(), err.str()};
}
