// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/memory.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>

namespace engine {
namespace {

constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();

std::int64_t meminfo(const std::string& field) {
    std::ifstream file("/proc/meminfo");
    std::string name, unit;
    for (std::int64_t kib = 0; file >> name >> kib; std::getline(file, unit))
        if (name == field) return kib * 1024;
    return unknown;
}

// A file of control group v2 with one number; "max" or no file: no limit.
std::int64_t group_number(const char* path) {
    std::ifstream file(path);
    std::int64_t value = 0;
    return file >> value ? value : unknown;
}

// What the group holds of files, which it gives up before it runs out: counted as used, though a
// mapped model is mostly that.
std::int64_t group_files() {
    std::ifstream file("/sys/fs/cgroup/memory.stat");
    std::int64_t bytes = 0, value = 0;
    for (std::string name; file >> name >> value;)
        if (name == "inactive_file" || name == "active_file") bytes += value;
    return bytes;
}

}  // namespace

std::int64_t memory_available() {
    const std::int64_t limit = group_number("/sys/fs/cgroup/memory.max");
    std::int64_t available = meminfo("MemAvailable:");
    if (limit != unknown) {
        const std::int64_t used = group_number("/sys/fs/cgroup/memory.current");
        const std::int64_t left = used == unknown ? limit : limit - used + group_files();
        available = std::min(available, std::clamp<std::int64_t>(left, 0, limit));
    }
    return available;
}

std::int64_t memory_total() {
    return std::min(meminfo("MemTotal:"), group_number("/sys/fs/cgroup/memory.max"));
}

std::string format_count(std::int64_t count) {
    std::string text = std::to_string(count);
    const std::int64_t first = count < 0 ? 1 : 0;
    for (auto at = std::ssize(text) - 3; at > first; at -= 3)
        text.insert(static_cast<std::size_t>(at), 1, ',');
    return text;
}

std::string format_bytes(std::int64_t bytes) {
    const char* units[] = {"B", "kB", "MB", "GB", "TB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 999.5 && unit < 4; ++unit) value /= 1000;
    char text[32];
    std::snprintf(text, sizeof text, unit == 0 || value >= 99.95 ? "%.0f %s" : "%.1f %s", value,
                  units[unit]);
    return text;
}

}  // namespace engine
