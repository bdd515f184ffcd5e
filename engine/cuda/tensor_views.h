// SPDX-License-Identifier: GPL-3.0-or-later
// Device memory as libtorch sees it, for the few files that call libtorch.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "engine/cuda/device_memory.h"
#include "kernels/views.h"

namespace engine::cuda {

inline at::ScalarType scalar_type(kernels::Element element) {
    switch (element) {
        case kernels::Element::F32: return at::kFloat;
        case kernels::Element::F16: return at::kHalf;
        case kernels::Element::BF16: return at::kBFloat16;
    }
    return at::kFloat;
}

// libtorch's operations go to the stream, on the current device, while this lives.
class OnStream {
  public:
    explicit OnStream(cudaStream_t stream)
        : device_(c10::kCUDA, current()),
          guard_(c10::cuda::getStreamFromExternal(stream, device_.index())) {}
    at::TensorOptions options(kernels::Element element) const {
        return at::TensorOptions().dtype(scalar_type(element)).device(device_);
    }
    at::Tensor view(const void* data, at::IntArrayRef shape, kernels::Element element) const {
        return at::from_blob(const_cast<void*>(data), shape, options(element));
    }

  private:
    static c10::DeviceIndex current() {
        int index = 0;
        check(cudaGetDevice(&index), "cudaGetDevice");
        return static_cast<c10::DeviceIndex>(index);
    }
    c10::InferenceMode no_gradients_;
    c10::Device device_;
    c10::cuda::CUDAStreamGuard guard_;
};

}  // namespace engine::cuda
