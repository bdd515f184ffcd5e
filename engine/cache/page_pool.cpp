// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cache/page_pool.h"

#include <sys/mman.h>

#include <cstring>
#include <string>

#include "engine/values/failure.h"

namespace engine {
namespace {

class HostPages final : public PageMemory {
  public:
    explicit HostPages(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
        void* base = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED)
            throw Error(Failure::Kind::OutOfMemory,
                        std::to_string(bytes / 1000000) +
                            " MB of address space for pages are not to be had",
                        "page pool", "raise the process's limit of address space (ulimit -v)");
        base_ = static_cast<std::byte*>(base);
        // Large pages halve the time of the first write to a page of the pool.
        (void)madvise(base, bytes_, MADV_HUGEPAGE);
    }
    ~HostPages() override { munmap(base_, bytes_); }
    HostPages(const HostPages&) = delete;
    HostPages& operator=(const HostPages&) = delete;

    std::byte* base() const override { return base_; }
    void copy(std::int64_t from, std::int64_t to, std::int64_t bytes) override {
        std::memcpy(base_ + to, base_ + from, static_cast<std::size_t>(bytes));
    }
    void forget(std::int64_t from, std::int64_t to) override {
        // Whole system pages inside go back; the edges stay with their neighbours.
        constexpr std::int64_t system_page = 4096;
        const std::int64_t begin = (from + system_page - 1) / system_page * system_page;
        const std::int64_t end = to / system_page * system_page;
        if (end > begin)
            (void)madvise(base_ + begin, static_cast<std::size_t>(end - begin), MADV_DONTNEED);
    }

  private:
    std::byte* base_ = nullptr;
    std::size_t bytes_;
};

}  // namespace

std::unique_ptr<PageMemory> host_pages(std::int64_t bytes) {
    return std::make_unique<HostPages>(bytes);
}

PagePool::PagePool(std::int64_t page_bytes, std::int64_t capacity,
                   std::unique_ptr<PageMemory> memory)
    : memory_(std::move(memory)),
      page_bytes_(page_bytes),
      capacity_(capacity),
      references_(static_cast<std::size_t>(capacity), 0) {
    for (std::int64_t page = capacity; page-- > 0;)
        free_.push_back(static_cast<std::int32_t>(page));
}

std::int32_t PagePool::take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty())
        throw Error(Failure::Kind::OutOfMemory,
                    "all " + std::to_string(capacity_) + " pages of the trace are in use",
                    "page pool", "close a run or raise the memory limit");
    const std::int32_t page = free_.back();
    free_.pop_back();
    references_[static_cast<std::size_t>(page)] = 1;
    return page;
}

void PagePool::retain(std::int32_t page) {
    const std::lock_guard lock(mutex_);
    ++references_[static_cast<std::size_t>(page)];
}

void PagePool::release(std::int32_t page) {
    const std::lock_guard lock(mutex_);
    if (--references_[static_cast<std::size_t>(page)] > 0) return;
    memory_->forget(page * page_bytes_, (page + 1) * page_bytes_);
    free_.push_back(page);
}

void PagePool::copy(std::int32_t from, std::int32_t to) {
    memory_->copy(from * page_bytes_, to * page_bytes_, page_bytes_);
}

std::int64_t PagePool::used() const {
    const std::lock_guard lock(mutex_);
    return capacity_ - static_cast<std::int64_t>(free_.size());
}

}  // namespace engine
