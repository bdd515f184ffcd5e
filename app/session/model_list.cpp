// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/model_list.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace app {

namespace fs = std::filesystem;

namespace {

// Of a split model the first part stands for all.
bool isLaterPart(const std::string& name) {
    constexpr std::string_view shape = "-00000-of-00000.gguf";
    if (name.size() <= shape.size()) return false;
    const std::string_view end = std::string_view(name).substr(name.size() - shape.size());
    const auto fits = [](char c, char wanted) {
        return wanted == '0' ? c >= '0' && c <= '9' : c == wanted;
    };
    return std::equal(end.begin(), end.end(), shape.begin(), shape.end(), fits) &&
           !end.starts_with("-00001");
}

bool isModel(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) return fs::exists(path / "config.json", error);
    return fs::is_regular_file(path, error) && path.extension() == ".gguf" &&
           !isLaterPart(path.filename().string());
}

// The variable's value; empty where it is not set.
fs::path variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

// Of the user; empty where no variable tells.
fs::path cacheFolder() {
    if (fs::path cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache;
    const fs::path home = variable("HOME");
    return home.empty() ? home : home / ".cache";
}

}  // namespace

std::string absolutePath(const std::string& path) {
    std::error_code error;
    fs::path whole = fs::absolute(path, error);
    if (error || path.empty()) return path;
    if (!whole.has_filename()) whole = whole.parent_path();  // a slash at the end
    const bool named = whole.filename() != "." && whole.filename() != "..";
    // The last name stays as it is: a link's own may say what its target's does not (.gguf).
    const fs::path folder = fs::weakly_canonical(named ? whole.parent_path() : whole, error);
    if (error) return whole.string();
    return (named ? folder / whole.filename() : folder).string();
}

std::string modelFolder() {
    const fs::path base = cacheFolder();
    return base.empty() ? std::string() : (base / "headscope" / "models").string();
}

std::string huggingFaceFolder() {
    if (const fs::path hub = variable("HF_HUB_CACHE"); !hub.empty()) return hub.string();
    if (const fs::path home = variable("HF_HOME"); !home.empty()) return (home / "hub").string();
    const fs::path base = cacheFolder();
    return base.empty() ? std::string() : (base / "huggingface" / "hub").string();
}

std::string folderBeside(const std::string& model) {
    const fs::path folder = fs::path(absolutePath(model)).parent_path();
    for (const fs::path& part : folder)
        if (part == "snapshots") return {};
    return folder.string();
}

engine::ModelInfo refusedModel(const engine::FoundModel& found) {
    engine::ModelInfo info;
    info.path = found.path;
    info.name = found.name;
    info.format = found.format;
    info.weight_bytes = found.bytes;
    info.supported = false;
    info.reason = found.reason;
    return info;
}

std::vector<std::string> modelPaths(const std::string& folder,
                                    const std::vector<std::string>& recent) {
    std::vector<std::string> paths;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        if (isModel(it->path())) paths.push_back(absolutePath(it->path().string()));
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : recent) {
        const std::string clean = absolutePath(path);
        if (isModel(clean) && std::find(paths.begin(), paths.end(), clean) == paths.end())
            paths.push_back(clean);
    }
    return paths;
}

std::string defaultModel(const std::string& folder) {
    const fs::path path = fs::path(folder) / "SmolLM2-135M-Instruct.Q4_1.gguf";
    return isModel(path) ? absolutePath(path.string()) : std::string();
}

std::string modelOfPickedFile(const std::string& path) {
    const fs::path file(path);
    std::error_code error;
    if (file.extension() == ".gguf" || fs::is_directory(file, error)) return path;
    return fs::exists(file.parent_path() / "config.json", error) ? file.parent_path().string()
                                                                 : path;
}

}  // namespace app
