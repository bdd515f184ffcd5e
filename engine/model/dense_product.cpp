// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/dense_product.h"

#include <ATen/core/List.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>

#include <optional>
#include <string_view>

namespace engine {
namespace {

// ATen has no view of constant memory; nothing is written through it.
at::Tensor matrix(const float* data, std::int64_t rows, std::int64_t columns) {
    return at::from_blob(const_cast<float*>(data), {rows, columns}, at::kFloat);
}

using OptionalScalars = c10::List<std::optional<at::Scalar>>;
using OneDnnLinear = at::Tensor(const at::Tensor& x, const at::Tensor& weight,
                                const std::optional<at::Tensor>& bias, std::string_view activation,
                                OptionalScalars, std::optional<std::string_view> algorithm);

// oneDNN's product is reached through the dispatcher: libtorch exports no C++ function for it.
std::optional<c10::TypedOperatorHandle<OneDnnLinear>> find_one_dnn() {
    const auto schema = c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
    if (!schema || !schema->hasKernelForDispatchKey(c10::DispatchKey::CPU)) return std::nullopt;
    return schema->typed<OneDnnLinear>();
}

}  // namespace

at::Tensor dense_product(const float* x, std::int64_t rows, std::int64_t in, const float* w,
                         std::int64_t out) {
    static const auto one_dnn = find_one_dnn();
    const at::Tensor input = matrix(x, rows, in), weight = matrix(w, out, in);
    if (!one_dnn) return at::mm(input, weight.t());
    return one_dnn->call(input, weight, std::nullopt, "none", OptionalScalars(), "");
}

}  // namespace engine
