// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/formats/lost_pages.h"

namespace engine::formats {

// A regular file, mapped read-only for as long as someone holds it. Pages come from the disk when
// touched: one that another program has cut off by then reads as zeros, one that it has written
// over as what it wrote, and check() says so. One that was renamed, deleted or replaced by another
// of its name reads as ever.
class MappedFile {
  public:
    // Throws Error(BadFile) with the system's own reason; a pipe, device, folder or empty file is
    // refused, never read.
    static std::shared_ptr<const MappedFile> open(const std::string& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    const std::string& path() const { return path_; }
    const std::byte* data() const { return data_; }
    std::size_t size() const { return size_; }
    // Throws Error(BadFile) where a byte that was read had gone, and where the file was written to
    // since it was opened: what was read of it may be half the one and half the other. Any thread;
    // cheap (fstat).
    void check() const;
    std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

  private:
    struct Written {  // st_mtim
        std::int64_t seconds = 0, nanoseconds = 0;
        bool operator==(const Written&) const = default;
    };
    MappedFile(std::string path, int file, const std::byte* data, std::size_t size, Written written)
        : path_(std::move(path)),
          file_(file),
          data_(data),
          size_(size),
          written_(written),
          lost_(std::in_place, data, size) {}

    std::string path_;
    int file_;  // kept open: its path may lead to another file by now
    const std::byte* data_;
    std::size_t size_;
    Written written_;
    std::optional<LostPages> lost_;  // ends before the mapping does
};

}  // namespace engine::formats
