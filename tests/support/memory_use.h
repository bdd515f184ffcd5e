// SPDX-License-Identifier: GPL-3.0-or-later
// What this process holds of the machine's memory, as the kernel counts it.
#pragma once
#include <cstdint>
#include <fstream>
#include <string>

namespace memory_use {

// A sanitizer keeps freed memory back to catch who uses it still: what is resident then says
// nothing of what leaks.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_kept_back = true;
#else
inline constexpr bool is_kept_back = false;
#endif

// A line of /proc/self/status ("VmRSS", "VmHWM") in bytes; 0 where it is not there.
inline std::int64_t of(const std::string& name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(name + ":")) return std::stoll(line.substr(name.size() + 1)) * 1024;
    return 0;
}
inline std::int64_t resident() {
    return of("VmRSS");
}

// The highest the process stood above its beginning; one at a time.
class Peak {
  public:
    Peak() : begin_(resident()) { std::ofstream("/proc/self/clear_refs") << 5; }
    std::int64_t growth() const { return of("VmHWM") - begin_; }

  private:
    std::int64_t begin_;
};

}  // namespace memory_use
