// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/linear.h"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "kernels/cuda/elementwise.h"

namespace engine::cuda {
namespace {

at::ScalarType scalar_type(kernels::Element element) {
    switch (element) {
        case kernels::Element::F32: return at::kFloat;
        case kernels::Element::F16: return at::kHalf;
        case kernels::Element::BF16: return at::kBFloat16;
    }
    return at::kFloat;
}

at::Tensor view_of(const void* data, std::int64_t rows, std::int64_t columns,
                   kernels::Element element, c10::Device device) {
    return at::from_blob(const_cast<void*>(data), {rows, columns},
                         at::TensorOptions().dtype(scalar_type(element)).device(device));
}

}  // namespace

void linear(const LinearArgs& args, cudaStream_t stream) {
    const c10::InferenceMode no_gradients;
    int index = 0;
    check(cudaGetDevice(&index), "cudaGetDevice");
    const c10::Device device(c10::kCUDA, static_cast<c10::DeviceIndex>(index));
    const c10::cuda::CUDAStreamGuard on_stream(
        c10::cuda::getStreamFromExternal(stream, device.index()));
    const DeviceMatrix& weight = args.weight;
    const at::Tensor x = view_of(args.x, args.rows, weight.columns, weight.element, device);
    const at::Tensor w = view_of(weight.data, weight.rows, weight.columns, weight.element, device);
    at::Tensor y = view_of(args.y, args.rows, weight.rows, args.y_element, device);
    // A product of 16-bit elements whose fp32 sums are kept needs the overload with a type.
    const bool widened = args.y_element != weight.element;
    if (args.accumulate && widened)
        at::addmm_out(y, y, x, w.t(), scalar_type(args.y_element), 1, 1);
    else if (args.accumulate)
        at::addmm_out(y, y, x, w.t(), 1, 1);
    else if (widened)
        at::mm_out(y, x, w.t(), scalar_type(args.y_element));
    else
        at::mm_out(y, x, w.t());
    if (args.bias != nullptr)
        kernels::cuda::add_bias(args.y, args.y_element, args.bias, args.rows, weight.rows, stream);
}

}  // namespace engine::cuda
