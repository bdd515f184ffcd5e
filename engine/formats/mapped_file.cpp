// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::formats {
namespace {

struct Descriptor {
    int fd;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
    int release() { return std::exchange(fd, -1); }
};

[[noreturn]] void refuse_errno(const std::string& path, const char* verb, int code) {
    const std::string reason = std::generic_category().message(code);
    refuse(path, std::string("cannot ") + verb + " the file: " + reason,
           code == EACCES ? "give yourself read permission" : "");
}

const char* kind_of(mode_t mode) {
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
    if (path.find('\0') != std::string::npos) refuse(path, "the path holds a NUL byte");
    // O_NONBLOCK: opening a pipe that nobody writes to must not wait.
    Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (file.fd < 0) refuse_errno(path, "open", errno);
    struct stat status {};
    if (::fstat(file.fd, &status) != 0) refuse_errno(path, "examine", errno);
    if (!S_ISREG(status.st_mode))
        refuse(path, std::string("this is ") + kind_of(status.st_mode) + ", not a regular file");
    if (status.st_size == 0) refuse(path, "the file is empty (0 bytes)", "download it again");
    const auto size = static_cast<std::size_t>(status.st_size);
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
    if (data == MAP_FAILED) refuse_errno(path, "map", errno);
    const Written written{status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
    return std::shared_ptr<const MappedFile>(
        new MappedFile(path, file.release(), static_cast<const std::byte*>(data), size, written));
}

void MappedFile::check() const {
    struct stat status {};
    const bool there = ::fstat(file_, &status) == 0;
    const auto now = there ? static_cast<std::size_t>(status.st_size) : 0;
    if (there && now < size_)
        refuse(path_,
               "the file was cut short while it was in use: " + std::to_string(size_) +
                   " bytes when it was opened, " + std::to_string(now) + " now",
               "put the whole file back, then open the model again");
    if (there && Written{status.st_mtim.tv_sec, status.st_mtim.tv_nsec} != written_)
        refuse(path_, "the file was written to while it was in use",
               "open the model again, once the file is whole");
    if (!there || lost_->any())
        refuse(path_, "a part of the file could not be read back from its disk",
               "check the disk, then open the model again");
}

MappedFile::~MappedFile() {
    lost_.reset();
    ::munmap(const_cast<std::byte*>(data_), size_);
    ::close(file_);
}

}  // namespace engine::formats
