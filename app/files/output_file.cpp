// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files/output_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/command_line/cli_text.h"
#include "engine/values/failure.h"

namespace app {
namespace {

// The name of the one file in work, where Interrupt's listener finds it. The flag is set last and
// cleared first.
std::array<char, 4096> unfinishedName;
std::atomic<bool> unfinished{false};
static_assert(std::atomic<bool>::is_always_lock_free);

std::string reason(int error) {
    return std::generic_category().message(error);
}

engine::Error ioError(const std::string& what, const std::string& path, std::string hint = {}) {
    return engine::Error(engine::Failure::Kind::Io, what, path, std::move(hint));
}

std::string folderOf(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string targetOf(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (error == std::errc::filename_too_long)
        throw ioError("cannot write: " + reason(ENAMETOOLONG), path);
    if (fs::is_directory(status)) throw ioError("is a folder, not a file to write", path);
    // A rename would replace a device or a pipe with a file.
    if (fs::exists(status) && !fs::is_regular_file(status))
        throw ioError("is not a regular file", path, "write to a file");
    // Step by step, for the end of the chain need not be there yet.
    constexpr int mostLinks = 40;  // as many as the system follows
    fs::path target(path);
    for (int i = 0; fs::is_symlink(fs::symlink_status(target, error)); ++i) {
        const fs::path next = fs::read_symlink(target, error);
        if (i == mostLinks || error)
            throw ioError("cannot write: " + reason(error ? error.value() : ELOOP), path);
        target = target.parent_path() / next;  // an absolute one stands for itself
    }
    if (target == path) return path;
    const std::string folder = folderOf(target.string());
    if (!fs::is_directory(folder, error))
        throw ioError("is a link to " + target.string() + ", and there is no folder " + folder,
                      path, "make the folder, or write elsewhere");
    return target.string();
}

constexpr int mostAttempts = 100;  // to find a name that nobody has

std::string siblingOf(const std::string& target, int attempt) {
    return target + ".part-" + std::to_string(::getpid()) +
           (attempt > 0 ? "-" + std::to_string(attempt) : "");
}

// What an open file is linked by.
std::string linkOf(int file) {
    return "/proc/self/fd/" + std::to_string(file);
}

void checkSpace(const std::string& folder, const std::string& path, std::int64_t bytes) {
    struct statvfs fs {};
    if (statvfs(folder.c_str(), &fs) != 0) return;  // the first write will tell
    const auto free =
        static_cast<std::int64_t>(fs.f_bavail) * static_cast<std::int64_t>(fs.f_frsize);
    if (bytes > free)
        throw ioError("needs " + thousands(bytes) + " bytes (" + humanBytes(bytes) + "), " +
                          thousands(free) + " (" + humanBytes(free) + ") are free in " + folder,
                      path, "free space there, ask for less, or write elsewhere");
}

}  // namespace

void removeUnfinishedFile() noexcept {
    if (unfinished.load()) ::unlink(unfinishedName.data());
}

OutputFile::OutputFile(const std::string& path, std::int64_t bytes, Until until)
    : m_target(targetOf(path)) {
    ::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is then an error of write(), not the end
    const std::string folder = folderOf(m_target);
    if (until == Until::Sibling || !openNameless(folder)) openSibling();
    try {
        checkSpace(folder, path, bytes);
        if (bytes > 0 && ::fallocate(m_file, 0, 0, bytes) != 0 && errno != EOPNOTSUPP &&
            errno != ENOSYS)
            fail(errno, "cannot reserve " + thousands(bytes) + " bytes");
    } catch (...) {
        discard();
        throw;
    }
}

// False where the file system or the kernel has no such thing, or /proc is not there to link it by:
// that it cannot be named must be known before the work, not after it.
bool OutputFile::openNameless(const std::string& folder) {
    m_file = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (m_file < 0) return false;  // a folder that cannot be written to: the sibling says why
    if (::access(linkOf(m_file).c_str(), F_OK) == 0) return true;
    ::close(std::exchange(m_file, -1));
    return false;
}

void OutputFile::openSibling() {
    for (int attempt = 0; m_file < 0; ++attempt) {
        const std::string name = siblingOf(m_target, attempt);
        m_file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (m_file >= 0)
            rememberSibling(name);
        else if (errno != EEXIST || attempt == mostAttempts)
            fail(errno, "cannot write");
    }
}

void OutputFile::nameIt() {
    const std::string link = linkOf(m_file);
    const auto linkTo = [&](const std::string& name) {
        return ::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (linkTo(m_target)) return;
    // A link replaces nothing, a rename does: for that moment there is a sibling, whole.
    for (int attempt = 0; m_sibling.empty(); ++attempt) {
        if (errno != EEXIST || attempt > mostAttempts) fail(errno, "cannot put the file in place");
        const std::string name = siblingOf(m_target, attempt);
        if (linkTo(name)) rememberSibling(name);
    }
}

void OutputFile::rememberSibling(const std::string& name) noexcept {
    m_sibling = name;
    if (name.size() >= unfinishedName.size()) return;
    std::copy_n(name.c_str(), name.size() + 1, unfinishedName.begin());
    unfinished = true;
}

OutputFile::~OutputFile() {
    discard();
}

void OutputFile::discard() noexcept {
    if (m_file >= 0) ::close(m_file);
    m_file = -1;
    if (m_sibling.empty()) return;
    ::unlink(m_sibling.c_str());
    unfinished = false;
    m_sibling.clear();
}

void OutputFile::writeAt(std::int64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::pwrite(m_file, bytes.data(), bytes.size(), offset);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0)
            fail(written < 0 ? errno : EIO, "cannot write " +
                                                thousands(static_cast<std::int64_t>(bytes.size())) +
                                                " bytes at " + thousands(offset));
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        offset += written;
        m_end = std::max(m_end, offset);
    }
}

void OutputFile::commit() {
    if (::ftruncate(m_file, m_end) != 0) fail(errno, "cannot end the file");
    if (::fsync(m_file) != 0) fail(errno, "cannot flush");
    if (m_sibling.empty()) nameIt();
    const int file = std::exchange(m_file, -1);
    if (::close(file) != 0) fail(errno, "cannot close");
    if (!m_sibling.empty() && ::rename(m_sibling.c_str(), m_target.c_str()) != 0)
        fail(errno, "cannot put the file in place");
    unfinished = false;
    m_sibling.clear();
    // The name too survives a power cut; a folder that cannot be flushed is no reason to fail.
    const int folder = ::open(folderOf(m_target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    ::fsync(folder);
    ::close(folder);
}

void OutputFile::fail(int error, const std::string& what) const {
    throw ioError(what + ": " + reason(error), m_target,
                  error == ENOSPC || error == EFBIG || error == EDQUOT
                      ? "free some space or write elsewhere"
                      : "");
}

}  // namespace app
