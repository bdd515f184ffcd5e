// SPDX-License-Identifier: GPL-3.0-or-later
// Launch to first heatmap, as a user waits for it: a whole process that loads the libraries and the
// model, reads a prompt, rebuilds a head's map, draws it and writes it.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "app/command_line/cli_text.h"
#include "app/verbs/bench_figures.h"

namespace app {
namespace {

struct TemporaryFolder {
    std::string path = (std::filesystem::temp_directory_path() / "headscope-bench-XXXXXX").string();
    TemporaryFolder() {
        if (!::mkdtemp(path.data()))
            throw engine::Error(engine::Failure::Kind::Io, "cannot make a temporary folder", path);
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
};

void runProgram(const std::string& program, std::vector<std::string> words) {
    words.insert(words.begin(), program);
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t child = 0;
    if (const int error =
            ::posix_spawn(&child, program.c_str(), nullptr, nullptr, argv.data(), environ))
        throw engine::Error(engine::Failure::Kind::Io, std::generic_category().message(error),
                            program);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (code == ExitInterrupted) throw engine::Cancelled();
    if (code != 0)
        throw engine::Error(engine::Failure::Kind::Internal,
                            "export ended with " + std::to_string(code), program);
}

}  // namespace

void benchLaunch(const BenchSubject& subject) {
    if (subject.cli.program.empty()) return;
    const TemporaryFolder folder;
    constexpr int runs = 3;
    std::vector<std::string> words = {
        "export",    subject.model,
        "--prompt",  launchPrompt,
        "--view",    "L0.H0",
        "--threads", std::to_string(std::max(1, subject.info.threads)),
        "--out",     folder.path + "/first.png"};
    if (subject.device != "auto") words.insert(words.end(), {"--device", subject.device});
    const auto seconds = timed(runs, true, [&] {
        subject.cli.throwIfStopped();
        runProgram(subject.cli.program, words);
    });
    subject.add(
        {"first_heatmap_s", median(seconds), "s", std::nullopt, subject.launchTokens, runs});
}

}  // namespace app
