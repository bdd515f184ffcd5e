// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of all runs, counted by reference. Any thread: the engine thread takes pages, whoever
// drops the last reference to a run gives them back.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace engine {

class PagePool {
  public:
    // Reserves address space only; memory is used as pages are written and returned to the system
    // when they are freed. Throws Error(OutOfMemory) when not even the address space is to be had.
    PagePool(std::int64_t page_bytes, std::int64_t capacity);
    ~PagePool();
    PagePool(const PagePool&) = delete;
    PagePool& operator=(const PagePool&) = delete;

    std::int32_t
    take();  // one reference; throws Error(OutOfMemory) with the numbers when none is free
    void retain(std::int32_t page);
    void release(std::int32_t page);

    std::byte* base() const { return base_; }
    std::int64_t page_bytes() const { return page_bytes_; }
    std::int64_t capacity() const { return capacity_; }
    std::int64_t used() const;

  private:
    std::byte* base_ = nullptr;
    std::int64_t page_bytes_, capacity_, mapped_bytes_ = 0;
    mutable std::mutex mutex_;
    std::vector<std::int32_t> references_;  // [capacity]
    std::vector<std::int32_t> free_;        // a stack, lowest page on top at first
};

}  // namespace engine
