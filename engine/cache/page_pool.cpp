// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cache/page_pool.h"

#include <sys/mman.h>

#include <string>

#include "engine/values/failure.h"

namespace engine {

PagePool::PagePool(std::int64_t page_bytes, std::int64_t capacity)
    : page_bytes_(page_bytes),
      capacity_(capacity),
      mapped_bytes_(page_bytes * capacity),
      references_(static_cast<std::size_t>(capacity), 0) {
    void* base = mmap(nullptr, static_cast<std::size_t>(mapped_bytes_), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        throw Error(Failure::Kind::OutOfMemory,
                    std::to_string(mapped_bytes_ / 1000000) + " MB of address space for " +
                        std::to_string(capacity) + " pages are not to be had",
                    "page pool", "lower the memory limit");
    base_ = static_cast<std::byte*>(base);
    // Large pages halve the time of the first write to a page of the pool.
    (void)madvise(base, static_cast<std::size_t>(mapped_bytes_), MADV_HUGEPAGE);
    for (std::int64_t page = capacity; page-- > 0;)
        free_.push_back(static_cast<std::int32_t>(page));
}

PagePool::~PagePool() {
    munmap(base_, static_cast<std::size_t>(mapped_bytes_));
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
    // Whole system pages inside this page go back; the edges stay with their neighbours.
    constexpr std::int64_t system_page = 4096;
    const std::int64_t begin = (page * page_bytes_ + system_page - 1) / system_page * system_page;
    const std::int64_t end = (page + 1) * page_bytes_ / system_page * system_page;
    if (end > begin)
        (void)madvise(base_ + begin, static_cast<std::size_t>(end - begin), MADV_DONTNEED);
    free_.push_back(page);
}

std::int64_t PagePool::used() const {
    const std::lock_guard lock(mutex_);
    return capacity_ - static_cast<std::int64_t>(free_.size());
}

}  // namespace engine
