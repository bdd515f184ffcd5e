// SPDX-License-Identifier: GPL-3.0-or-later
// What a device reaches at best with the library's own kernels: the limits that figures are held
// against.
#include <ATen/core/Tensor.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "engine/cuda/cuda_runner.h"

namespace engine::cuda {
namespace {

// Seconds of a run: the median of several, by the device's clock, on the default stream.
double seconds_of(int runs, const std::function<void()>& work) {
    cudaEvent_t from = nullptr, to = nullptr;
    check(cudaEventCreate(&from), "event");
    check(cudaEventCreate(&to), "event");
    std::vector<float> times;
    for (int run = -2; run < runs; ++run) {
        check(cudaEventRecord(from, nullptr), "event");
        work();
        check(cudaEventRecord(to, nullptr), "event");
        check(cudaEventSynchronize(to), "measuring");
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, from, to), "event");
        if (run >= 0) times.push_back(milliseconds);
    }
    (void)cudaEventDestroy(from);
    (void)cudaEventDestroy(to);
    std::sort(times.begin(), times.end());
    return static_cast<double>(times[times.size() / 2]) * 1e-3;
}

}  // namespace

DeviceRates CudaRunner::measure_device() {
    use_device();
    const c10::InferenceMode no_gradients;
    const auto device = c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(model_->device));
    DeviceRates rates;
    {
        // The weights themselves: real numbers, and more than any cache holds where it matters.
        const DeviceBuffer* largest = &model_->memory.front();
        for (const DeviceBuffer& each : model_->memory)
            if (each.bytes() > largest->bytes()) largest = &each;
        const at::Tensor weights =
            at::from_blob(largest->data(), {largest->bytes() / 4096, 1024},
                          at::TensorOptions().dtype(at::kFloat).device(device));
        const double seconds = seconds_of(9, [&] { (void)at::amax(weights, {1}); });
        rates.read_bytes_per_second = static_cast<double>(largest->bytes()) / seconds;
    }
    {
        constexpr std::int64_t side = 8192;
        const auto type = model_->element == kernels::Element::F32   ? at::kFloat
                          : model_->element == kernels::Element::F16 ? at::kHalf
                                                                     : at::kBFloat16;
        const auto options = at::TensorOptions().dtype(type).device(device);
        const at::Tensor a = at::randn({side, side}, options), b = at::randn({side, side}, options);
        at::Tensor c = at::mm(a, b);
        const double seconds = seconds_of(7, [&] { at::mm_out(c, a, b); });
        rates.flops_per_second = 2.0 * side * side * side / seconds;
    }
    c10::cuda::CUDACachingAllocator::emptyCache();
    return rates;
}

}  // namespace engine::cuda
