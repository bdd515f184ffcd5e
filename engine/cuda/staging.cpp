// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/staging.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/cuda/device_memory.h"

namespace engine::cuda {
namespace {

constexpr std::int64_t buffer_bytes = 8 << 20;
constexpr unsigned most_threads = 12;
constexpr std::size_t pieces_ahead = 16;  // 128 MB of the file or less

// A run of rows that fits a buffer.
struct Piece {
    const WeightCopy* copy;
    std::int64_t begin, end;
};

std::int64_t row_bytes_of(const WeightCopy& copy) {
    return copy.from.columns * (copy.element == kernels::Element::F32 ? 4 : 2);
}

bool as_stored(const WeightCopy& copy) {
    using kernels::Element;
    using kernels::WeightType;
    return (copy.from.type == WeightType::BF16 && copy.element == Element::BF16) ||
           (copy.from.type == WeightType::F16 && copy.element == Element::F16) ||
           (copy.from.type == WeightType::F32 && copy.element == Element::F32);
}

std::vector<Piece> pieces_of(const std::vector<WeightCopy>& copies) {
    std::vector<Piece> pieces;
    for (const WeightCopy& copy : copies) {
        const std::int64_t rows = std::max<std::int64_t>(1, buffer_bytes / row_bytes_of(copy));
        for (std::int64_t begin = 0; begin < copy.from.rows; begin += rows)
            pieces.push_back({&copy, begin, std::min(begin + rows, copy.from.rows)});
    }
    return pieces;
}

// Has the kernel fetch what a thread fills soon, so that a cold disk reads long runs ahead of the
// copies and not a page when it is touched. Pages that are there already cost a look.
void read_ahead(const Piece& piece) {
    const kernels::Weight& from = piece.copy->from;
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const std::byte* begin = from.data + piece.begin * from.row_bytes;
    const std::byte* end = from.data + piece.end * from.row_bytes;
    begin -=
        reinterpret_cast<std::uintptr_t>(begin) % page;  // within the mapping, which is of pages
    ::madvise(const_cast<std::byte*>(begin), static_cast<std::size_t>(end - begin), MADV_WILLNEED);
}

// Of a whole piece, into pinned memory.
void fill(const Piece& piece, std::byte* to, std::vector<float>& scratch) {
    const kernels::Weight& from = piece.copy->from;
    if (as_stored(*piece.copy)) {
        std::memcpy(to, from.data + piece.begin * from.row_bytes,
                    static_cast<std::size_t>((piece.end - piece.begin) * from.row_bytes));
        return;
    }
    const std::int64_t count = (piece.end - piece.begin) * from.columns;
    const kernels::Parallel serial;
    if (piece.copy->element == kernels::Element::F32) {
        kernels::cpu::decode_rows(from, piece.begin, piece.end, reinterpret_cast<float*>(to),
                                  serial);
        return;
    }
    scratch.resize(static_cast<std::size_t>(count));
    kernels::cpu::decode_rows(from, piece.begin, piece.end, scratch.data(), serial);
    if (piece.copy->element == kernels::Element::F16)
        std::copy(scratch.begin(), scratch.end(), reinterpret_cast<c10::Half*>(to));
    else
        std::copy(scratch.begin(), scratch.end(), reinterpret_cast<c10::BFloat16*>(to));
}

// One thread's share.
class Copier {
  public:
    Copier() : stream_(Stream::Priority::Steps) {}

    void copy(const Piece& piece) {
        Slot& slot = slots_[turn_];
        turn_ = 1 - turn_;
        const std::int64_t bytes = (piece.end - piece.begin) * row_bytes_of(*piece.copy);
        if (slot.used) slot.sent.wait();
        if (slot.buffer.bytes() < bytes) slot.buffer = PinnedBuffer(std::max(bytes, buffer_bytes));
        fill(piece, slot.buffer.data(), scratch_);
        check(cudaMemcpyAsync(piece.copy->to + piece.begin * row_bytes_of(*piece.copy),
                              slot.buffer.data(), static_cast<std::size_t>(bytes),
                              cudaMemcpyHostToDevice, stream_),
              "weights to the device");
        slot.sent.record(stream_);
        slot.used = true;
    }
    void finish() { stream_.wait(); }

  private:
    struct Slot {
        PinnedBuffer buffer;
        Event sent;
        bool used = false;
    };
    Stream stream_;
    Slot slots_[2];
    int turn_ = 0;
    std::vector<float> scratch_;
};

}  // namespace

void copy_weights(const std::vector<WeightCopy>& copies,
                  const std::function<void(std::int64_t)>& done, std::stop_token stop,
                  const std::function<void()>& meanwhile) {
    const std::vector<Piece> pieces = pieces_of(copies);
    for (std::size_t i = 0; i < std::min(pieces_ahead, pieces.size()); ++i) read_ahead(pieces[i]);
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::exception_ptr failure;
    const auto work = [&] {
        try {
            check(cudaSetDevice(device), "cudaSetDevice");
            Copier copier;
            for (std::size_t at = next++; at < pieces.size(); at = next++) {
                if (stop.stop_requested()) throw Cancelled{};
                if (at + pieces_ahead < pieces.size()) read_ahead(pieces[at + pieces_ahead]);
                copier.copy(pieces[at]);
                const std::lock_guard lock(mutex);
                done((pieces[at].end - pieces[at].begin) * pieces[at].copy->from.row_bytes);
            }
            copier.finish();
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            next = pieces.size();
        }
    };
    {
        const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1u, most_threads);
        std::vector<std::jthread> others;
        for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
        try {
            meanwhile();
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            next = pieces.size();
        }
        work();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace engine::cuda
