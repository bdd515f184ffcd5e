// SPDX-License-Identifier: GPL-3.0-or-later
// A file that is whole or not there: written beside its target under another name, flushed, then
// renamed over it. One thread. Throws engine::Error Io with the path and the system's reason.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace app {

class OutputFile {
  public:
    // Makes the sibling at once, so that a folder that cannot be written to is known before any
    // work is done. `bytes` is compared with what the file system has left and reserved where it
    // can do that. A target that exists must be a regular file; a symbolic link is followed.
    OutputFile(const std::string& path, std::int64_t bytes);
    ~OutputFile();  // without commit(): removes the sibling
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void writeAt(std::int64_t offset, std::span<const std::byte> bytes);
    void commit();

    const std::string& target() const { return m_target; }

  private:
    void discard() noexcept;
    [[noreturn]] void fail(int error, const std::string& what) const;

    std::string m_target;   // what the link points to
    std::string m_sibling;  // empty once renamed
    int m_file = -1;
};

// For the handler of a second Ctrl-C, which cannot wait for destructors: removes the sibling in
// work, if any. Async-signal-safe.
void removeUnfinishedFile() noexcept;

}  // namespace app
