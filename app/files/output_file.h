// SPDX-License-Identifier: GPL-3.0-or-later
// A file that is whole or not there. It is written without a name in its target's folder, flushed,
// then given its name, so that even kill -9 leaves nothing; where the file system has no nameless
// files, beside the target under another name that it is renamed from. One thread. Throws
// engine::Error Io with the path and the system's reason.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace app {

class OutputFile {
  public:
    enum class Until { Nameless, Sibling };  // commit; Sibling is for tests, and the way out

    // Makes the file at once, so that a folder that cannot be written to is known before any work
    // is done. `bytes`, which may be a guess, is compared with what the file system has left and
    // reserved where it can do that; the file ends where the last byte was written. A target that
    // exists must be a regular file; a symbolic link is followed, also to a file that is not there
    // yet.
    OutputFile(const std::string& path, std::int64_t bytes, Until = Until::Nameless);
    ~OutputFile();  // without commit(): nothing is left
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void writeAt(std::int64_t offset, std::span<const std::byte> bytes);
    void commit();

    const std::string& target() const { return m_target; }

  private:
    bool openNameless(const std::string& folder);
    void openSibling();
    void nameIt();  // links the nameless file to its target, or to a sibling where that exists
    void rememberSibling(const std::string& name) noexcept;
    void discard() noexcept;
    [[noreturn]] void fail(int error, const std::string& what) const;

    std::string m_target;   // what the link points to
    std::string m_sibling;  // empty while nameless and once renamed
    int m_file = -1;
    std::int64_t m_end = 0;  // of what was written
};

// For a second Ctrl-C, which cannot wait for destructors: from any thread, removes the sibling in
// work, if any.
void removeUnfinishedFile() noexcept;

}  // namespace app
