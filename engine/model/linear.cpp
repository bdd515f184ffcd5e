// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/linear.h"

#include <algorithm>

#include "engine/formats/gguf_quants.h"
#include "engine/model/dense_product.h"
#include "engine/values/failure.h"

namespace engine {
namespace {

kernels::WeightType weight_type(formats::Storage storage) {
    switch (storage) {
        case formats::Storage::F32: return kernels::WeightType::F32;
        case formats::Storage::F16: return kernels::WeightType::F16;
        case formats::Storage::BF16: return kernels::WeightType::BF16;
        case formats::Storage::Q4_0: return kernels::WeightType::Q4_0;
        case formats::Storage::Q4_1: return kernels::WeightType::Q4_1;
        case formats::Storage::Q8_0: return kernels::WeightType::Q8_0;
        case formats::Storage::Q5_0: return kernels::WeightType::Q5_0;
        case formats::Storage::Q5_1: return kernels::WeightType::Q5_1;
        case formats::Storage::Q2_K: return kernels::WeightType::Q2_K;
        case formats::Storage::Q3_K: return kernels::WeightType::Q3_K;
        case formats::Storage::Q4_K: return kernels::WeightType::Q4_K;
        case formats::Storage::Q5_K: return kernels::WeightType::Q5_K;
        case formats::Storage::Q6_K: return kernels::WeightType::Q6_K;
        case formats::Storage::IQ4_NL: return kernels::WeightType::IQ4_NL;
        case formats::Storage::IQ4_XS: return kernels::WeightType::IQ4_XS;
        case formats::Storage::MXFP4: return kernels::WeightType::MXFP4;
        case formats::Storage::F64: return kernels::WeightType::F64;
        case formats::Storage::F8_E4M3: return kernels::WeightType::F8_E4M3;
        case formats::Storage::F8_E5M2: return kernels::WeightType::F8_E5M2;
        case formats::Storage::MXFP4_PAIRS: return kernels::WeightType::MXFP4_PAIRS;
        case formats::Storage::U8: break;
    }
    throw Error(Failure::Kind::Internal, "a storage type without a kernel");
}

constexpr std::int64_t gemv_rows =
    8;  // up to here the blocks are read once for all rows and no panel pays

}  // namespace

float* PanelScratch::at_least(std::int64_t floats) {
    if (size_ < floats) {
        data_.reset();
        data_ = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(floats));
        size_ = floats;
    }
    return data_.get();
}

void Linear::add(const formats::StoredTensor& weight, const formats::StoredTensor* bias) {
    if (!weights_.empty() && weight.columns() != in_)
        throw Error(Failure::Kind::Internal, "matrices of one product differ in width",
                    weight.name);
    in_ = weight.columns();
    const std::size_t step = weight.row_step > 0 ? weight.row_step : weight.row_bytes();
    weights_.push_back({weight.data, weight_type(weight.storage), weight.rows(), weight.columns(),
                        static_cast<std::int64_t>(step)});
    owners_.push_back(weight.owner);
    add_scales(weight.scales);
    bias_.resize(static_cast<std::size_t>(out_ + weight.rows()), 0.0f);
    if (bias != nullptr) {
        has_bias_ = true;
        formats::decode(bias->storage, bias->data, bias_.data() + out_, weight.rows());
    }
    out_ += weight.rows();
    bytes_ += static_cast<std::int64_t>(weight.bytes + weight.scales.bytes);
}

void Linear::add_scales(const formats::BlockScales& scales) {
    kernels::Weight& weight = weights_.back();
    if (weight.type == kernels::WeightType::MXFP4_PAIRS) {
        weight.exponents = scales.data;
        weight.exponent_row_bytes = static_cast<std::int64_t>(scales.row_bytes);
    } else if (scales.data != nullptr) {
        const std::int64_t count =
            static_cast<std::int64_t>(scales.bytes) / formats::block_bytes(scales.storage);
        auto factors = std::make_shared<std::vector<float>>(static_cast<std::size_t>(count));
        formats::decode(scales.storage, scales.data, factors->data(), count);
        weight.scales = factors->data();
        weight.scale_rows = scales.rows;
        weight.scale_columns = scales.columns;
        owners_.push_back(std::move(factors));
    }
}

void Linear::forward(const float* x, std::int64_t rows, float* y, bool accumulate,
                     PanelScratch& scratch, const kernels::Parallel& parallel) const {
    if (rows <= gemv_rows) return forward_few(x, rows, y, accumulate, parallel);
    float* panel = scratch.at_least(in_ * out_);
    decode(panel, parallel);
    const at::Tensor product = dense_product(x, rows, in_, panel, out_);
    const auto* products = product.const_data_ptr<float>();
    parallel.for_each(rows, [&](std::int64_t row) {
        const float* from = products + row * out_;
        float* to = y + row * out_;
        if (accumulate)
            for (std::int64_t i = 0; i < out_; ++i) to[i] += from[i];
        else
            std::copy_n(from, out_, to);
        if (has_bias_)
            for (std::int64_t i = 0; i < out_; ++i) to[i] += bias_[static_cast<std::size_t>(i)];
    });
}

void Linear::forward_few(const float* x, std::int64_t rows, float* y, bool accumulate,
                         const kernels::Parallel& parallel) const {
    constexpr std::size_t most = 4;  // q, k, v; gate, up
    if (weights_.size() > most)
        throw Error(Failure::Kind::Internal, "more matrices than one product takes");
    float* outputs[most];
    const float* biases[most];
    std::int64_t strides[most];
    std::int64_t column = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        outputs[i] = y + column;
        biases[i] = has_bias_ ? bias_.data() + column : nullptr;
        strides[i] = out_;
        column += weights_[i].rows;
    }
    kernels::GemvArgs args;
    args.weights = weights_.data();
    args.bias = has_bias_ ? biases : nullptr;
    args.y = outputs;
    args.y_stride = strides;
    args.weight_count = static_cast<std::int64_t>(weights_.size());
    args.x = x;
    args.x_stride = in_;
    args.batch = rows;
    args.accumulate = accumulate;
    kernels::cpu::gemv(args, parallel);
}

void Linear::decode(float* to, const kernels::Parallel& parallel) const {
    for (const kernels::Weight& weight : weights_) {
        kernels::cpu::decode_rows(weight, 0, weight.rows, to, parallel);
        to += weight.rows * in_;
    }
}

}  // namespace engine
