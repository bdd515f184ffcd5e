// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/cli.h"

#include <algorithm>
#include <new>
#include <ostream>

#include "app/command_line/cli_text.h"
#include "app/command_line/near_verb.h"
#include "app/session/session_file.h"
#include "app/verbs/run_options.h"
#include "app/verbs/verbs.h"
#include "app/window.h"

namespace app {
namespace {

const std::vector<Verb>& verbs() {
    static const std::vector<Verb> all = {infoVerb(), tokenizeVerb(), dumpVerb(), exportVerb(),
                                          benchVerb()};
    return all;
}

const std::vector<Option>& windowOptions() {
    static const std::vector<Option> options = {{"--prompt", "TEXT", "open with this prompt"}};
    static const std::vector<Option> all =
        options + computeOptions() +
        std::vector<Option>{{"--verbose", "", "say on stderr what is done and how long it took"}};
    return all;
}

// Of every verb.
const std::vector<Option>& commonOptions() {
    static const std::vector<Option> options = {
        {"--verbose", "", "say on stderr what is done and how long it took"},
        {"--help", "", "this text"},
    };
    return options;
}

std::string optionLines(const std::vector<Option>& options) {
    std::string text;
    for (const Option& option : options) {
        std::string left = "  " + option.name + (option.value.empty() ? "" : " " + option.value);
        left.resize(std::max<std::size_t>(left.size() + 1, 24), ' ');
        text += left + option.help + "\n";
    }
    return text;
}

const char* exitCodes =
    "Exit codes: 0 done; 1 it failed; 2 bad arguments, those that the model rules out included; "
    "130 after\n"
    "Ctrl-C, 143 after SIGTERM, 129 after a hangup. A failure is one line on stderr, and no\n"
    "file is left half-written.\n";

int codeOf(engine::Failure::Kind kind) {
    return kind == engine::Failure::Kind::BadRequest ? ExitBadArguments : ExitFailed;
}

}  // namespace

void Cli::log(const std::string& what) const {
    if (!verbose) return;
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - started;
    err << "headscope: " << seconds(since.count()) << ": " << oneLine(what) << std::endl;
}

void Cli::throwIfStopped() const {
    if (stop.stop_requested()) throw engine::Cancelled{};
}

double Stopwatch::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count();
}

bool isVerb(const std::string& word) {
    return std::any_of(verbs().begin(), verbs().end(),
                       [&](const Verb& verb) { return verb.name == word; });
}

std::vector<std::string> verbNames() {
    std::vector<std::string> names;
    for (const Verb& verb : verbs()) names.push_back(verb.name);
    return names;
}

std::string helpText() {
    std::string text = "Headscope " HEADSCOPE_VERSION
                       ": a microscope for attention heads.\n\n"
                       "  headscope [MODEL] [--prompt TEXT]    the window\n"
                       "  headscope FILE.headscope             the window, with a saved session\n";
    for (const Verb& verb : verbs()) {
        std::string left = "  headscope " + verb.name + " MODEL …";
        left.resize(41, ' ');  // "…" is three bytes and one column
        text += left + verb.summary + "\n";
    }
    text +=
        "\nMODEL is a GGUF file, or a folder with config.json and safetensors.\n"
        "Each verb tells its options: headscope dump --help. Verbs need no display.\n\n" +
        optionLines(windowOptions()) +
        optionLines({{"--help", "", "this text"}, {"--version", "", "the version"}}) + "\n" +
        exitCodes;
    return text;
}

std::string helpText(const Verb& verb) {
    std::string text = "headscope " + verb.name + " " + verb.usage + "\n" + verb.summary + ".\n\n" +
                       optionLines(verb.options) + optionLines(commonOptions());
    if (!verb.notes.empty()) text += "\n" + verb.notes;
    return text + "\n" + exitCodes;
}

int guarded(std::ostream& out, std::ostream& err, const std::string& who,
            const std::function<void()>& work) {
    const auto say = [&](const std::string& line) {
        err << who << ": " << oneLine(line) << std::endl;
    };
    try {
        work();
        out.flush();
        if (!out) {
            say("cannot write to stdout");
            return ExitFailed;
        }
        return ExitOk;
    } catch (const engine::Cancelled&) {
        say("interrupted");
        return ExitInterrupted;
    } catch (const engine::Error& error) {
        say(error.what());
        return codeOf(error.failure().kind);
    } catch (const std::bad_alloc&) {
        say("out of memory");
    } catch (const std::exception& error) {
        const std::string what = error.what();
        say("failed: " + what.substr(0, what.find('\n')));
    }
    return ExitFailed;
}

int runVerb(Cli& cli, const std::vector<std::string>& words) {
    const std::string who = words.empty() ? "headscope" : "headscope " + words[0];
    return guarded(cli.out, cli.err, who, [&] {
        const auto verb = std::find_if(verbs().begin(), verbs().end(), [&](const Verb& candidate) {
            return !words.empty() && candidate.name == words[0];
        });
        if (verb == verbs().end())
            throw engine::Error(engine::Failure::Kind::BadRequest,
                                "the verbs are " + joined(verbNames()));
        try {
            std::vector<Option> options = verb->options;
            options.insert(options.end(), commonOptions().begin(), commonOptions().end());
            const Arguments arguments(options, 1, {words.begin() + 1, words.end()});
            if (arguments.positionals().empty() && !arguments.has("--shape"))
                throw engine::Error(engine::Failure::Kind::BadRequest, "MODEL is missing", "",
                                    "see headscope " + verb->name + " --help");
            cli.verbose = arguments.has("--verbose");
            verb->run(cli, arguments);
        } catch (const HelpAsked&) {
            cli.out << helpText(*verb);
        } catch (const VersionAsked&) {
            cli.out << "headscope " HEADSCOPE_VERSION "\n";
        }
    });
}

WindowArguments parseWindowArguments(const std::vector<std::string>& words) {
    const Arguments arguments = [&] {
        try {
            return Arguments(windowOptions(), 1, words);
        } catch (const engine::Error&) {  // of options that a verb has and the window has not
            refuseMistypedVerb(words, verbNames());
            throw;
        }
    }();
    refuseMistypedVerb(words, verbNames());
    WindowArguments window;
    if (!arguments.positionals().empty()) window.model = arguments.positionals()[0];
    window.prompt = arguments.text("--prompt");
    if (window.prompt && window.prompt->empty())
        badArgument("--prompt", *window.prompt, "an empty prompt");
    if (window.prompt && window.model && isSessionPath(*window.model))
        badArgument("--prompt", *window.prompt, "a session has its own prompt");
    const ComputeOptions compute = parseComputeOptions(arguments);
    if (arguments.has("--device")) window.device = compute.device;
    window.dtype = compute.dtype;
    if (arguments.has("--threads")) window.threads = compute.threads;
    window.verbose = arguments.has("--verbose");
    return window;
}

}  // namespace app
