// SPDX-License-Identifier: GPL-3.0-or-later
// A page of a mapped file that is there no more, because another program cut the file short or its
// disk fails, raises SIGBUS in whatever thread reads it, libtorch's own included, where nothing can
// be thrown. Here zeros take the page's place and that is remembered, so that the thread goes on;
// who computes from a mapping asks before it believes what it computed. (libwayland guards its
// clients' buffers so.) A SIGBUS of any other address goes where it went before.
#pragma once
#include <cstddef>

namespace engine::formats {

// Guards one mapping from its construction to its destruction, which comes before munmap. There is
// room for 4,096 at a time; one past that is as unguarded as any mapping is without this.
class LostPages {
  public:
    LostPages(const std::byte* data, std::size_t size);
    ~LostPages();
    LostPages(const LostPages&) = delete;
    LostPages& operator=(const LostPages&) = delete;

    bool any() const noexcept;  // of this mapping, up to now; any thread

  private:
    int slot_ = -1;
};

}  // namespace engine::formats
