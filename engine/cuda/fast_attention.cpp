// SPDX-License-Identifier: GPL-3.0-or-later
// The one file that names libtorch's attention operations: their signatures change with its
// versions.
#include "engine/cuda/fast_attention.h"

#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention.h>
#include <ATen/ops/empty.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <vector>

#include "engine/cuda/tensor_views.h"
#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/merge.h"

#if TORCH_VERSION_MAJOR != 2 || TORCH_VERSION_MINOR != 11
#error "libtorch's attention operations are called as 2.11 has them"
#endif

namespace engine::cuda {
namespace {

constexpr std::int64_t least_rows = 64;  // below, the general kernel is through sooner

struct Part {
    at::Tensor z, lse;  // [rows, Hq, D], [Hq, rows]
};

at::Tensor gathered(const OnStream& on, const kernels::TraceView& trace,
                    kernels::cuda::Section section, Rows rows, cudaStream_t stream) {
    const bool kv = section == kernels::cuda::Section::K || section == kernels::cuda::Section::V;
    at::Tensor to =
        at::empty({rows.count(), kv ? trace.kv_heads : trace.query_heads, trace.head_dim},
                  on.options(trace.element));
    kernels::cuda::gather_rows(trace, section, rows.begin, rows.end, to.data_ptr(), stream);
    return to;
}

// [T, H, D] as [1, H, T, D].
at::Tensor by_head(const at::Tensor& rows) {
    return rows.transpose(0, 1).unsqueeze(0);
}

Part cudnn(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal,
           double scale) {
    const auto [z, lse, cum_q, cum_k, max_q, max_k, seed, offset, mask] =
        at::_scaled_dot_product_cudnn_attention(by_head(q), by_head(k), by_head(v), std::nullopt,
                                                true, 0.0, causal, false, scale);
    return {z.squeeze(0).transpose(0, 1).contiguous(), lse.contiguous()};
}

// Causal to the lower right: the newest row sees all keys.
Part flash(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, double scale) {
    const auto [z, lse, state, unused, mask] =
        at::_flash_attention_forward(q.unsqueeze(0), k.unsqueeze(0), v.unsqueeze(0), std::nullopt,
                                     std::nullopt, q.size(0), k.size(0), 0.0, true, false, scale);
    return {z.squeeze(0).contiguous(), lse.squeeze(0).contiguous()};
}

bool is_planned(Rows rows) {
    return rows.begin % planned_step == 0 &&
           std::find(std::begin(planned_rows), std::end(planned_rows), rows.count()) !=
               std::end(planned_rows);
}

}  // namespace

std::int64_t chunk_rows(std::int64_t done, std::int64_t total, std::int64_t most) {
    const std::int64_t left = total - done;
    if (const std::int64_t past = done % planned_step; past != 0)
        return std::min(left, planned_step - past);  // to where the planned lengths begin
    for (const std::int64_t rows : planned_rows)
        if (rows <= left && rows <= most) return rows;
    return std::min(left, most);
}

bool has_fast_attention(const kernels::TraceView& trace, const kernels::ScoreRule& rule,
                        Rows rows) {
    return trace.element != kernels::Element::F32 && rule.soft_cap == 0 && rule.window == 0 &&
           rule.sinks == nullptr && trace.head_dim % 8 == 0 && trace.head_dim <= 128 &&
           rows.count() >= least_rows;
}

void fast_attention(const kernels::TraceView& trace, const kernels::ScoreRule& rule, Rows rows,
                    void* z_out, cudaStream_t stream) {
    using kernels::cuda::Section;
    const OnStream on(stream);
    const double scale = rule.scale;
    const at::Tensor q = gathered(on, trace, Section::Q, rows, stream);
    const at::Tensor k = gathered(on, trace, Section::K, {0, rows.end}, stream);
    const at::Tensor v = gathered(on, trace, Section::V, {0, rows.end}, stream);
    std::vector<Part> parts;
    if (is_planned(rows)) {
        const auto keys = [](const at::Tensor& all, std::int64_t begin, std::int64_t count) {
            return all.narrow(0, begin, count);
        };
        parts.push_back(cudnn(q, keys(k, rows.begin, rows.count()),
                              keys(v, rows.begin, rows.count()), true, scale));
        // Earlier keys in pieces of 2,048 times powers of two, so that plans are few.
        for (std::int64_t begin = 0; begin < rows.begin;) {
            std::int64_t count = planned_step;
            while (begin + 2 * count <= rows.begin) count *= 2;
            parts.push_back(cudnn(q, keys(k, begin, count), keys(v, begin, count), false, scale));
            begin += count;
        }
    } else {
        parts.push_back(flash(q, k, v, scale));
    }

    kernels::cuda::MergeArgs merge;
    merge.trace = trace;
    merge.begin = rows.begin;
    merge.rows = rows.count();
    merge.count = static_cast<int>(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
        merge.parts[i] = {parts[i].z.data_ptr(), parts[i].lse.const_data_ptr<float>()};
    merge.z_out = z_out;
    kernels::cuda::merge_attention(merge, stream);
}

}  // namespace engine::cuda
