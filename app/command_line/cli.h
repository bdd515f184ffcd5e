// SPDX-License-Identifier: GPL-3.0-or-later
// The command line as a function: arguments in, text and an exit code out. Nothing here needs Qt or
// a display; the engine comes in by two functions, so that tests run the verbs on a fake one.
#pragma once
#include <chrono>
#include <functional>
#include <iosfwd>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/command_line/arguments.h"
#include "engine/engine.h"
#include "engine/values/found_model.h"

namespace app {

enum ExitCode : int { ExitOk = 0, ExitFailed = 1, ExitBadArguments = 2, ExitInterrupted = 130 };

struct Cli {
    std::ostream& out;
    std::ostream& err;
    std::stop_token stop;
    std::function<std::unique_ptr<engine::Engine>(const engine::OpenRequest&,
                                                  const engine::OnProgress&, std::stop_token)>
        openEngine;
    std::function<engine::ModelInfo(const std::string&)> inspectModel;
    std::string program =
        {};  // this program's path, for what needs whole processes; empty: not measured
    bool verbose = false;
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();

    // Of `info`: the models in a folder, with what of it was not looked at, and what a model's
    // files hold beside it.
    std::function<std::vector<engine::FoundModel>(const std::string& folder, int levels,
                                                  std::string* leftOut)>
        findModels = {};
    std::function<std::vector<std::string>(const std::string&)> extraTensors = {};

    void log(const std::string& what) const;  // --verbose: one line with the time since the start
    void throwIfStopped() const;              // engine::Cancelled
};

// How long something took, for log().
class Stopwatch {
  public:
    double seconds() const;

  private:
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
};

struct Verb {
    std::string name, summary;
    std::string usage;  // what follows the name
    std::vector<Option> options;
    std::string notes;                                // closing paragraph of its help, may be empty
    std::function<void(Cli&, const Arguments&)> run;  // throws engine::Error, engine::Cancelled
};

bool isVerb(const std::string& word);
std::string helpText();  // of the whole program
std::string helpText(const Verb&);
std::vector<std::string> verbNames();

// `words` begins with the verb. Never throws; every failure is one line on cli.err.
int runVerb(Cli& cli, const std::vector<std::string>& words);

// What the window is asked for when the first word is no verb. Throws as Arguments does.
struct WindowArguments;
WindowArguments parseWindowArguments(const std::vector<std::string>& words);

// Runs `work` and turns what it throws into an exit code and a line on `err`.
int guarded(std::ostream& out, std::ostream& err, const std::string& who,
            const std::function<void()>& work);

}  // namespace app
