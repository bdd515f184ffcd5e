// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files/cache_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>

#include "app/session/model_list.h"
#include "engine/values/failure.h"

namespace app {

namespace fs = std::filesystem;

namespace {

// As app/setup.sh names what it puts there; its lock stays.
bool isOurs(const std::string& name) {
    static const std::regex ours(
        R"(libtorch-[0-9.]+-(cpu|gpu)|nvcc-[0-9.]+|(models/)?\.partial-[0-9]+|)"
        R"(models/SmolLM2-135M-Instruct\.Q4_1\.gguf)");
    return std::regex_match(name, ours);
}

// Files that this process has mapped: models and libraries.
std::vector<std::string> mappedFiles() {
    std::vector<std::string> files;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (const auto at = line.find('/'); at != std::string::npos) {
            std::string file = line.substr(at);
            if (files.empty() || files.back() != file) files.push_back(std::move(file));
        }
    return files;
}

bool isWithin(const std::string& file, const fs::path& entry) {
    const std::string top = entry.string();
    return file.starts_with(top) && (file.size() == top.size() || file[top.size()] == '/');
}

std::int64_t bytesOf(const fs::path& path) {
    std::error_code error;
    if (fs::is_symlink(path, error)) return 0;
    if (!fs::is_directory(path, error)) {
        const auto bytes = fs::file_size(path, error);
        return error ? 0 : static_cast<std::int64_t>(bytes);
    }
    std::int64_t sum = 0;
    const auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator it(path, options, error), end; !error && it != end;
         it.increment(error)) {
        std::error_code ignored;
        if (!it->is_regular_file(ignored) || it->is_symlink(ignored)) continue;
        const auto bytes = it->file_size(ignored);
        if (!ignored) sum += static_cast<std::int64_t>(bytes);
    }
    return sum;
}

// The set-up takes this lock while it fills the folder.
class SetUpLock {
  public:
    explicit SetUpLock(const fs::path& folder)
        : m_file(::open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
        if (m_file >= 0 && ::flock(m_file, LOCK_EX | LOCK_NB) != 0) {
            ::close(m_file);
            throw engine::Error(engine::Failure::Kind::Io, "another start is filling the cache",
                                folder.string(), "try again when it is done");
        }
    }
    ~SetUpLock() {
        if (m_file >= 0) ::close(m_file);
    }
    SetUpLock(const SetUpLock&) = delete;
    SetUpLock& operator=(const SetUpLock&) = delete;

  private:
    int m_file;
};

}  // namespace

std::string cacheFolder() {
    const std::string models = modelFolder();
    return models.empty() ? std::string() : fs::path(models).parent_path().string();
}

std::vector<CacheEntry> cacheEntries(const std::string& folder,
                                     const std::vector<std::string>& models) {
    std::vector<CacheEntry> entries;
    std::vector<std::string> used = mappedFiles();
    std::error_code error;
    for (const std::string& model : models) {
        const fs::path real = fs::canonical(model, error);
        used.push_back(error ? model : real.string());
    }
    const fs::path top = fs::canonical(folder, error);
    if (folder.empty() || error) return entries;
    for (const char* below : {"", "models"}) {
        for (fs::directory_iterator it(top / below, error), end; !error && it != end;
             it.increment(error)) {
            const fs::path path = it->path();
            const std::string name = path.lexically_relative(top).string();
            if (name == "models" || name == ".lock") continue;
            CacheEntry entry{name, bytesOf(path), CacheEntry::State::Foreign};
            std::error_code ignored;
            if (isOurs(name) && !it->is_symlink(ignored))
                entry.state =
                    std::any_of(used.begin(), used.end(),
                                [&](const std::string& file) { return isWithin(file, path); })
                        ? CacheEntry::State::InUse
                        : CacheEntry::State::Removable;
            entries.push_back(std::move(entry));
        }
    }
    std::sort(entries.begin(), entries.end(),
              [](const CacheEntry& a, const CacheEntry& b) { return a.name < b.name; });
    return entries;
}

std::int64_t emptyCache(const std::string& folder, const std::vector<std::string>& models) {
    std::error_code error;
    const fs::path top = fs::canonical(folder, error);
    if (error) return 0;
    const SetUpLock lock(top);
    std::int64_t freed = 0;
    for (const CacheEntry& entry : cacheEntries(folder, models)) {
        if (entry.state != CacheEntry::State::Removable) continue;
        const fs::path path = top / entry.name;
        fs::remove_all(path, error);
        if (error)
            throw engine::Error(engine::Failure::Kind::Io, "cannot be removed: " + error.message(),
                                path.string());
        freed += entry.bytes;
    }
    return freed;
}

}  // namespace app
