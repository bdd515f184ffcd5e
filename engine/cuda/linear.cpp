// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/linear.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>

#include "engine/cuda/tensor_views.h"
#include "kernels/cuda/elementwise.h"

namespace engine::cuda {

void linear(const LinearArgs& args, cudaStream_t stream) {
    const OnStream on(stream);
    const DeviceMatrix& weight = args.weight;
    const at::Tensor x = on.view(args.x, {args.rows, weight.columns}, weight.element);
    const at::Tensor w = on.view(weight.data, {weight.rows, weight.columns}, weight.element);
    at::Tensor y = on.view(args.y, {args.rows, weight.rows}, args.y_element);
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
