// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/device_memory.h"

#include "engine/run/memory.h"

namespace engine::cuda {

void check(cudaError_t code, const char* what) {
    if (code == cudaSuccess) return;
    (void)cudaGetLastError();  // else the next call that succeeds reports it again
    const bool memory = code == cudaErrorMemoryAllocation;
    throw Error(memory ? Failure::Kind::OutOfMemory : Failure::Kind::Device,
                std::string(what) + ": " + cudaGetErrorString(code), "CUDA",
                memory ? "close a run, or what else uses the GPU" : "");
}

void refuse(const std::exception& of_libtorch) {
    const std::string text = of_libtorch.what();  // and where in libtorch, line by line
    const bool memory = text.find("out of memory") != std::string::npos;
    throw Error(memory ? Failure::Kind::OutOfMemory : Failure::Kind::Device,
                text.substr(0, text.find('\n')), "libtorch on the GPU",
                memory ? "close a run, or what else uses the GPU" : "use --device cpu");
}

void* DeviceMemory::take(std::int64_t bytes) {
    void* data = nullptr;
    check(cudaMalloc(&data, static_cast<std::size_t>(bytes)),
          (format_bytes(bytes) + " of device memory").c_str());
    return data;
}

void DeviceMemory::give_back(void* data) {
    (void)cudaFree(data);
}

void* PinnedMemory::take(std::int64_t bytes) {
    void* data = nullptr;
    check(cudaHostAlloc(&data, static_cast<std::size_t>(bytes), cudaHostAllocPortable),
          (format_bytes(bytes) + " of pinned memory").c_str());
    return data;
}

void PinnedMemory::give_back(void* data) {
    (void)cudaFreeHost(data);
}

Stream::Stream(Priority priority) {
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "stream priorities");
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking,
                                       priority == Priority::Views ? greatest : least),
          "stream");
}

Stream::~Stream() {
    (void)cudaStreamDestroy(stream_);
}

Event::Event() {
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "event");
}

Event::~Event() {
    (void)cudaEventDestroy(event_);
}

}  // namespace engine::cuda
