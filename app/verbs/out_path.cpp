// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verbs/out_path.h"

#include <filesystem>

#include "app/command_line/cli_text.h"

namespace app {
namespace {

namespace fs = std::filesystem;

bool isSameFile(const fs::path& a, const fs::path& b) {
    std::error_code error;
    return fs::equivalent(a, b, error) && !error;
}

// "weights-00001-of-00003.gguf" is told from its siblings by the five digits before "-of-".
std::string splitStem(const fs::path& file) {
    const std::string name = file.filename().string();
    const std::size_t of = name.rfind("-of-");
    constexpr std::size_t digits = 5;
    return of == std::string::npos || of < digits ? std::string() : name.substr(0, of - digits);
}

// What of `folder` the model may be read from: all of it, or the files of a split that begin alike.
bool isIn(const fs::path& folder, const std::string& stem, const fs::path& out) {
    std::error_code error;
    for (fs::directory_iterator each(folder, error), end; !error && each != end;
         each.increment(error))
        if (each->path().filename().string().starts_with(stem) && isSameFile(each->path(), out))
            return true;
    return false;
}

}  // namespace

std::string parseOut(const Arguments& arguments, const std::string& model) {
    std::string out = arguments.required("--out", "the file to write");
    if (out == "-")
        badArgument("--out", out, "stdout is not written to; name a file (./- for one named -)");
    std::error_code error;
    if (isSameFile(out, model) && !fs::is_directory(out, error))
        badArgument("--out", out, "that is the model itself");
    const fs::path path(model);
    const bool isFolder = fs::is_directory(path, error);
    const std::string stem = isFolder ? std::string() : splitStem(path);
    const fs::path folder = isFolder ? path : path.has_parent_path() ? path.parent_path() : ".";
    if (fs::is_regular_file(out, error) && (isFolder || !stem.empty()) && isIn(folder, stem, out))
        badArgument("--out", out, "that is a file of the model; write elsewhere");
    if (const auto prompt = arguments.text("--prompt-file"); prompt && isSameFile(out, *prompt))
        badArgument("--out", out, "that is the prompt's own file");
    return out;
}

}  // namespace app
