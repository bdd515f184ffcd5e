// SPDX-License-Identifier: GPL-3.0-or-later
// Decides between the window and a verb, and nothing else.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "app/command_line/cli.h"
#include "app/command_line/interrupt.h"
#include "app/command_line/stack_room.h"
#include "app/display.h"
#include "app/engine_module.h"
#include "app/window.h"

namespace {

int runVerbFromMain(const std::vector<std::string>& words) {
    const app::Interrupt interrupt("headscope " + words[0]);
    app::Cli cli{std::cout,       std::cerr,         interrupt.token(),
                 app::openEngine, app::inspectModel, app::programPath()};
    cli.findModels = app::findModels;
    cli.extraTensors = app::extraTensors;
    const int code = app::runVerb(cli, words);
    return code == app::ExitInterrupted ? app::Interrupt::exitCode() : code;
}

int runWindowFromMain(char** argv, const std::vector<std::string>& words) {
    app::WindowArguments arguments;
    bool answered = false;
    const int code = app::guarded(std::cout, std::cerr, "headscope", [&] {
        try {
            arguments = app::parseWindowArguments(words);
            app::requireDisplay();
        } catch (const app::HelpAsked&) {
            std::cout << app::helpText();
            answered = true;
        } catch (const app::VersionAsked&) {
            std::cout << "headscope " HEADSCOPE_VERSION "\n";
            answered = true;
        }
    });
    if (answered || code != app::ExitOk) return code;
    if (arguments.verbose)
        app::failInOneLineWithoutPlatform();
    else
        app::silenceQt();
    return app::runWindow(1, argv, arguments);
}

}  // namespace

// What is thrown before a verb or the window has its own catch: no memory, no pipe.
int main(int argc, char** argv) try {
    app::makeStackRoom();
    app::boundComputeSpinning(argv);
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    return !words.empty() && app::isVerb(words[0]) ? runVerbFromMain(words)
                                                   : runWindowFromMain(argv, words);
} catch (const std::exception& error) {
    std::fprintf(stderr, "headscope: %s\n", error.what());
    return app::ExitFailed;
}
