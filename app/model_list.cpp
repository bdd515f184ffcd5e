// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_list.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace app {

namespace fs = std::filesystem;

namespace {

bool isModel(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) return fs::exists(path / "config.json", error);
    return fs::is_regular_file(path, error) && path.extension() == ".gguf";
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
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    fs::path base;
    if (cache != nullptr && *cache != '\0')
        base = cache;
    else if (home != nullptr && *home != '\0')
        base = fs::path(home) / ".cache";
    else
        return {};
    return (base / "headscope" / "models").string();
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
