// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace engine::formats {

// A regular file, mapped read-only for as long as someone holds it. Pages come from the disk when
// touched; a file that another program cuts short while it is mapped faults on access, as with
// every mapped file.
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
    std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

  private:
    MappedFile(std::string path, const std::byte* data, std::size_t size)
        : path_(std::move(path)), data_(data), size_(size) {}

    std::string path_;
    const std::byte* data_;
    std::size_t size_;
};

}  // namespace engine::formats
