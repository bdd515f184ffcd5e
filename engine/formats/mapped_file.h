// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/formats/lost_pages.h"

namespace engine::formats {

// A regular file, mapped read-only for as long as someone holds it. Pages come from the disk when
// touched. One that another program has cut off by then reads as zeros, and check() says so.
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
    // Throws Error(BadFile) with both sizes where a byte that was read had gone. Any thread; cheap.
    void check() const;
    std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

  private:
    MappedFile(std::string path, const std::byte* data, std::size_t size)
        : path_(std::move(path)), data_(data), size_(size), lost_(std::in_place, data, size) {}

    std::string path_;
    const std::byte* data_;
    std::size_t size_;
    std::optional<LostPages> lost_;  // ends before the mapping does
};

}  // namespace engine::formats
