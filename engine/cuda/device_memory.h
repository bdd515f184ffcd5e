// SPDX-License-Identifier: GPL-3.0-or-later
// Memory, streams and events as owners, and CUDA's word as engine::Error.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "engine/values/failure.h"
#include "kernels/cuda_check.h"

namespace engine::cuda {

// Throws Error: OutOfMemory where the device has none left, else Device.
void check(cudaError_t code, const char* what);

// Throws what libtorch threw as Error: OutOfMemory where it says so, else Device.
[[noreturn]] void refuse(const std::exception& of_libtorch);

// Runs `work`; what kernels and libtorch throw comes out as engine::Error.
template <typename Work>
decltype(auto) with_device_errors(Work&& work) {
    try {
        return work();
    } catch (const kernels::cuda::CudaError& error) {
        check(error.code(), error.what());
        throw;
    } catch (const std::invalid_argument& error) {
        throw Error(Failure::Kind::Unsupported, error.what(), "CUDA kernel", "use --device cpu");
    } catch (const Error&) {
        throw;
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        refuse(error);
    }
}

// Plain memory of the current device, at multiples of 256 bytes. Freeing waits for the device.
struct DeviceMemory {
    static void* take(std::int64_t bytes);
    static void give_back(void*);
};
// Memory of this machine that the device copies from and to by itself.
struct PinnedMemory {
    static void* take(std::int64_t bytes);
    static void give_back(void*);
};

// The owner of either.
template <typename Memory>
class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(std::int64_t bytes)
        : data_(bytes == 0 ? nullptr : static_cast<std::byte*>(Memory::take(bytes))),
          bytes_(bytes) {}
    ~Buffer() {
        if (data_ != nullptr) Memory::give_back(data_);
    }
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        Buffer(std::move(other)).swap(*this);
        return *this;
    }

    std::byte* data() const { return data_; }
    std::int64_t bytes() const { return bytes_; }
    template <typename T>
    T* as(std::int64_t byte_offset = 0) const {
        return reinterpret_cast<T*>(data_ + byte_offset);
    }
    // What is in it is lost.
    void grow(std::int64_t bytes) {
        if (bytes <= bytes_) return;
        *this = Buffer();
        *this = Buffer(bytes);
    }

  private:
    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
    }
    std::byte* data_ = nullptr;
    std::int64_t bytes_ = 0;
};
using DeviceBuffer = Buffer<DeviceMemory>;
using PinnedBuffer = Buffer<PinnedMemory>;

class Stream {
  public:
    enum class Priority : std::uint8_t { Steps, Views };  // views go first
    explicit Stream(Priority);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    operator cudaStream_t() const { return stream_; }
    void wait() const { check(cudaStreamSynchronize(stream_), "waiting for the device"); }

  private:
    cudaStream_t stream_ = nullptr;
};

class Event {
  public:
    Event();
    ~Event();
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    operator cudaEvent_t() const { return event_; }
    void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "event"); }
    void wait() const { check(cudaEventSynchronize(event_), "waiting for the device"); }

  private:
    cudaEvent_t event_ = nullptr;
};

}  // namespace engine::cuda
