// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of all runs, counted by reference. Any thread: the engine thread takes pages, whoever
// drops the last reference to a run gives them back. Where the bytes lie, in this machine's memory
// or a device's, is the page memory's business.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace engine {

class PageMemory {
  public:
    virtual ~PageMemory() = default;
    virtual std::byte* base() const = 0;
    virtual void copy(std::int64_t from, std::int64_t to, std::int64_t bytes) = 0;  // offsets
    virtual void forget(std::int64_t begin, std::int64_t end) = 0;  // holds nothing of use there
};

// Reserves address space only; memory is used as pages are written and returned to the system when
// they are freed. Throws Error(OutOfMemory) when not even the address space is to be had.
std::unique_ptr<PageMemory> host_pages(std::int64_t bytes);

class PagePool {
  public:
    PagePool(std::int64_t page_bytes, std::int64_t capacity)
        : PagePool(page_bytes, capacity, host_pages(page_bytes * capacity)) {}
    PagePool(std::int64_t page_bytes, std::int64_t capacity, std::unique_ptr<PageMemory>);
    PagePool(const PagePool&) = delete;
    PagePool& operator=(const PagePool&) = delete;

    std::int32_t
    take();  // one reference; throws Error(OutOfMemory) with the numbers when none is free
    void retain(std::int32_t page);
    void release(std::int32_t page);
    void copy(std::int32_t from, std::int32_t to);

    std::byte* base() const { return memory_->base(); }
    std::int64_t page_bytes() const { return page_bytes_; }
    std::int64_t capacity() const { return capacity_; }
    std::int64_t used() const;

  private:
    std::unique_ptr<PageMemory> memory_;
    std::int64_t page_bytes_, capacity_;
    mutable std::mutex mutex_;
    std::vector<std::int32_t> references_;  // [capacity]
    std::vector<std::int32_t> free_;        // a stack, lowest page on top at first
};

}  // namespace engine
