// SPDX-License-Identifier: GPL-3.0-or-later
// The one file that names libtorch's attention operations: their signatures change with its
// versions.
#include "engine/cuda/fast_attention.h"

#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
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
           (rows.count() < planned_step ||
            std::find(std::begin(planned_rows), std::end(planned_rows), rows.count()) !=
                std::end(planned_rows));
}

// Rows that the kernels are given.
std::int64_t filled(Rows rows) {
    if (!is_planned(rows)) return rows.count();
    return (rows.count() + filled_rows - 1) / filled_rows * filled_rows;
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

struct FastAttention::Tensors {
    OnStream on;
    at::Tensor q, kv;  // [filled, Hq, D], [2, begin + filled, Hkv, D]
    at::Tensor k, v;   // its halves
    at::Tensor z;      // merged
};

FastAttention::FastAttention(const kernels::TraceView& trace, Rows rows, cudaStream_t stream)
    : tensors_(new Tensors{OnStream(stream), {}, {}, {}, {}, {}}),
      trace_(trace),
      rows_(rows),
      stream_(stream) {
    const at::TensorOptions options = tensors_->on.options(trace.element);
    const std::int64_t count = filled(rows), keys = rows.begin + count;
    tensors_->q = at::empty({count, trace.query_heads, trace.head_dim}, options);
    tensors_->kv = at::empty({2, keys, trace.kv_heads, trace.head_dim}, options);
    tensors_->k = tensors_->kv[0];
    tensors_->v = tensors_->kv[1];
    // No row of the chunk sees these keys, but 0 times a value that is not a number is none either.
    if (const std::int64_t more = keys - rows.end; more > 0) {
        const auto row =
            static_cast<std::size_t>(trace.kv_heads * trace.head_dim * tensors_->kv.element_size());
        check(cudaMemset2DAsync(tensors_->k.narrow(0, rows.end, more).data_ptr(),
                                static_cast<std::size_t>(keys) * row, 0,
                                static_cast<std::size_t>(more) * row, 2, stream),
              "keys beyond the prompt");
    }
    using kernels::cuda::Section;
    kernels::cuda::gather_rows(trace, Section::K, 0, rows.begin, tensors_->k.data_ptr(), stream);
    kernels::cuda::gather_rows(trace, Section::V, 0, rows.begin, tensors_->v.data_ptr(), stream);
}

FastAttention::~FastAttention() = default;

void* FastAttention::q() const {
    return tensors_->q.data_ptr();
}
void* FastAttention::k() const {
    return tensors_->k.narrow(0, rows_.begin, rows_.count()).data_ptr();
}
void* FastAttention::v() const {
    return tensors_->v.narrow(0, rows_.begin, rows_.count()).data_ptr();
}
const void* FastAttention::z() const {
    return tensors_->z.const_data_ptr();
}

void FastAttention::attend(const kernels::ScoreRule& rule) {
    const double scale = rule.scale;
    const at::Tensor &q = tensors_->q, &k = tensors_->k, &v = tensors_->v;
    std::vector<Part> parts;
    const std::int64_t count = filled(rows_);
    if (is_planned(rows_)) {
        const auto keys = [](const at::Tensor& all, std::int64_t begin, std::int64_t many) {
            return all.narrow(0, begin, many);
        };
        parts.push_back(
            cudnn(q, keys(k, rows_.begin, count), keys(v, rows_.begin, count), true, scale));
        // Earlier keys in pieces of 2,048 times powers of two, so that plans are few.
        for (std::int64_t begin = 0; begin < rows_.begin;) {
            std::int64_t piece = planned_step;
            while (begin + 2 * piece <= rows_.begin) piece *= 2;
            parts.push_back(cudnn(q, keys(k, begin, piece), keys(v, begin, piece), false, scale));
            begin += piece;
        }
    } else {
        parts.push_back(flash(q, k, v, scale));
    }

    kernels::cuda::MergeArgs merge;
    merge.trace = trace_;
    merge.begin = rows_.begin;
    merge.rows = rows_.count();
    merge.lse_rows = count;
    merge.count = static_cast<int>(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
        merge.parts[i] = {parts[i].z.data_ptr(), parts[i].lse.const_data_ptr<float>()};
    tensors_->z = parts.front().z;  // one part is the whole; of several the merge writes over it
    if (parts.size() > 1) merge.z_out = tensors_->z.data_ptr();
    kernels::cuda::merge_attention(merge, stream_);
}

void warm_up(const ModelConfig& config, kernels::Element element) {
    if (element == kernels::Element::F32 || config.head_dim > 128 || config.head_dim % 8 != 0)
        return;
    const Stream stream(Stream::Priority::Steps);
    {
        const OnStream on(stream);
        const at::TensorOptions options = on.options(element);
        const auto rows = [&](std::int64_t count, std::int64_t heads) {
            return at::zeros({count, heads, config.head_dim}, options);
        };
        const at::Tensor few = rows(least_rows, config.query_heads),
                         few_keys = rows(least_rows, config.kv_heads);
        (void)flash(few, few_keys, few_keys, 1);
        for (const std::int64_t count : {filled_rows, planned_step}) {
            if (count > config.context) continue;
            const at::Tensor many = rows(count, config.query_heads),
                             many_keys = rows(count, config.kv_heads);
            (void)cudnn(many, many_keys, many_keys, true, 1);
        }
        const at::Tensor square = at::zeros({config.d_model, config.d_model}, options);
        (void)at::mm(square, square);
    }
    stream.wait();
}

}  // namespace engine::cuda
