// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/find_models.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include "engine/formats/foreign_file.h"
#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::formats {
namespace {

namespace fs = std::filesystem;

bool has(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

std::int64_t size_of(const fs::path& path) {
    std::error_code error;
    const auto bytes = fs::file_size(path, error);
    return error ? 0 : static_cast<std::int64_t>(bytes);
}

struct Entry {
    fs::path path;
    std::string name;
    bool folder = false;
    bool broken = false;  // a link to nothing: a download that did not end
};

// "x-00002-of-00003.gguf" to 2; nothing for a file that is whole.
std::optional<int> part_number(std::string_view name) {
    constexpr std::string_view shape = "-00000-of-00000.gguf";
    if (name.size() <= shape.size()) return std::nullopt;
    const std::string_view end = name.substr(name.size() - shape.size());
    int number = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool digit = end[i] >= '0' && end[i] <= '9';
        if (shape[i] == '0' ? !digit : end[i] != shape[i]) return std::nullopt;
        if (i >= 1 && i <= 5) number = number * 10 + (end[i] - '0');
    }
    return number;
}

bool is_of_the_kernel(const fs::path& folder) {
    struct statfs kind {};
    if (::statfs(folder.c_str(), &kind) != 0) return false;
    constexpr std::array<unsigned long, 12> kernel = {
        PROC_SUPER_MAGIC,    SYSFS_MAGIC,    DEVPTS_SUPER_MAGIC, CGROUP_SUPER_MAGIC,
        CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC,  TRACEFS_MAGIC,      SECURITYFS_MAGIC,
        BPF_FS_MAGIC,        PSTOREFS_MAGIC, EFIVARFS_MAGIC,     NSFS_MAGIC};
    return std::find(kernel.begin(), kernel.end(), static_cast<unsigned long>(kind.f_type)) !=
           kernel.end();
}

class Search {
  public:
    std::vector<FoundModel> found;

    explicit Search(int levels) : deepest_(levels - 1) {}

    // "the entries after the first 20,000"; empty: all was looked at.
    std::string left_out() const {
        std::string text;
        if (budget_ == 0) text = "all after the first 20,000 entries";
        if (kernel_ == 0) return text;
        return text + (text.empty() ? "" : ", and ") + first_kernel_ +
               (kernel_ > 1 ? " and " + std::to_string(kernel_ - 1) + " more folders" : "") +
               " of the kernel's file systems";
    }

    // `name`: of a cache's repository, else empty.
    void look(const fs::path& folder, int depth, const std::string& repository) {
        if (budget_ == 0) return;
        if (is_of_the_kernel(folder)) {
            if (kernel_++ == 0) first_kernel_ = shown(folder.string(), 200);
            return;
        }
        const std::vector<Entry> entries = list(folder);
        add_folder(folder, entries, repository);
        add_gguf(entries, repository);
        if (depth >= deepest_) return;
        for (const Entry& entry : entries) {
            if (!entry.folder || entry.name.starts_with('.')) continue;
            const fs::path snapshot = snapshot_of(entry.path.string());
            if (snapshot != entry.path)
                look(snapshot, deepest_, repository_name(entry.name));
            else if (!has(entry.path / "snapshots"))
                look(entry.path, depth + 1, {});
        }
    }

  private:
    std::vector<Entry> list(const fs::path& folder) {
        std::vector<Entry> entries;
        std::error_code error;
        for (fs::directory_iterator at(folder, error), end; !error && at != end && budget_ > 0;
             at.increment(error)) {
            --budget_;
            std::error_code unreadable;
            const fs::file_type type = fs::status(at->path(), unreadable).type();
            entries.push_back({at->path(), at->path().filename().string(),
                               type == fs::file_type::directory, type == fs::file_type::not_found});
        }
        std::sort(entries.begin(), entries.end(),
                  [](const Entry& a, const Entry& b) { return a.name < b.name; });
        return entries;
    }

    // "models--Qwen--Qwen3-0.6B" is Qwen/Qwen3-0.6B.
    static std::string repository_name(std::string name) {
        constexpr std::string_view prefix = "models--";
        if (!name.starts_with(prefix)) return name;
        name.erase(0, prefix.size());
        if (const std::size_t dashes = name.find("--"); dashes != std::string::npos)
            name.replace(dashes, 2, "/");
        return name;
    }

    void add_folder(const fs::path& folder, const std::vector<Entry>& entries,
                    const std::string& repository) {
        const auto named = [&](const char* name) {
            return std::any_of(entries.begin(), entries.end(),
                               [&](const Entry& entry) { return entry.name == name; });
        };
        if (!named("config.json")) return;
        FoundModel model;
        model.name = repository.empty() ? folder.filename().string() : repository;
        if (model.name.empty()) model.name = folder.parent_path().filename().string();
        model.path = folder.string();
        std::int64_t foreign = 0;
        std::string foreign_file;
        bool broken = false;
        for (const Entry& entry : entries) {
            const bool weights = entry.path.extension() == ".safetensors";
            broken = broken || (entry.broken && (weights || entry.name == "config.json"));
            if (weights) model.bytes += size_of(entry.path);
            if (weights) model.format = "safetensors";
            if (!weights && is_foreign_name(entry.name)) {
                foreign += size_of(entry.path);
                foreign_file = entry.path.string();
            }
        }
        if (broken) {
            model.reason = "the download did not end: a file is missing";
        } else if (model.format.empty() && !foreign_file.empty()) {
            model.format = "pickle";
            model.bytes = foreign;
            try {
                refuse_foreign_name(foreign_file, foreign_file);
            } catch (const Error& refusal) {
                model.reason = refusal.failure().what;
            }
        } else if (model.format.empty()) {
            return;  // a tokenizer or a configuration alone
        } else if (!named("model.safetensors") && !named("model.safetensors.index.json")) {
            model.reason = "there is neither model.safetensors nor model.safetensors.index.json";
        }
        found.push_back(std::move(model));
    }

    void add_gguf(const std::vector<Entry>& entries, const std::string& repository) {
        std::set<std::string> stems;  // of split models that are listed
        for (const Entry& entry : entries) {
            if (entry.folder || entry.path.extension() != ".gguf") continue;
            FoundModel model;
            const std::string shown_name = entry.path.stem().string();
            model.name = repository.empty() ? shown_name : repository + ": " + shown_name;
            model.path = entry.path.string();
            model.format = "GGUF";
            model.bytes = size_of(entry.path);
            if (entry.broken) model.reason = "the download did not end: the file is missing";
            if (part_number(entry.name)) {
                constexpr std::size_t numbers = std::string_view("-00000-of-00000.gguf").size();
                const std::string stem = entry.name.substr(0, entry.name.size() - numbers);
                if (!stems.insert(stem + entry.name.substr(entry.name.size() - 10)).second) {
                    found.back().bytes += model.bytes;
                    continue;
                }
                model.name = repository.empty() ? stem : repository + ": " + stem;
                if (part_number(entry.name) != 1) model.reason = "its first part is missing";
            }
            found.push_back(std::move(model));
        }
    }

    int deepest_;
    int budget_ = 20'000;
    int kernel_ = 0;  // folders of the kernel
    std::string first_kernel_;
};

}  // namespace

std::string snapshot_of(const std::string& folder) {
    const fs::path snapshots = fs::path(folder) / "snapshots";
    std::error_code error;
    if (!fs::is_directory(snapshots, error)) return folder;
    std::string revision;
    std::ifstream(fs::path(folder) / "refs/main") >> revision;
    const bool plain = !revision.empty() && revision.find('/') == std::string::npos &&
                       !revision.starts_with('.') && revision.size() < 256;
    if (plain && fs::is_directory(snapshots / revision, error))
        return (snapshots / revision).string();
    fs::path newest;
    fs::file_time_type time{};
    for (fs::directory_iterator at(snapshots, error), end; !error && at != end;
         at.increment(error)) {
        std::error_code unreadable;
        const fs::file_time_type own = fs::last_write_time(at->path(), unreadable);
        if (unreadable || !fs::is_directory(at->path(), unreadable)) continue;
        if (!newest.empty() && own <= time) continue;
        newest = at->path();
        time = own;
    }
    return newest.empty() ? folder : newest.string();
}

std::vector<FoundModel> find_models(const std::string& folder, int levels, std::string* left_out) {
    std::error_code error;
    const fs::directory_iterator readable(folder, error);
    if (error)
        throw Error(Failure::Kind::BadFile, "cannot read the folder: " + error.message(),
                    shown(folder, 400));
    Search search(levels);
    const std::string snapshot = snapshot_of(folder);
    fs::path root = fs::path(snapshot).lexically_normal();
    if (!root.has_filename()) root = root.parent_path();  // "models/" ends with nothing
    search.look(root, 0, {});
    std::stable_sort(search.found.begin(), search.found.end(),
                     [](const FoundModel& a, const FoundModel& b) { return a.name < b.name; });
    if (left_out != nullptr) *left_out = search.left_out();
    return std::move(search.found);
}

}  // namespace engine::formats
