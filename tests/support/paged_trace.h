// SPDX-License-Identifier: GPL-3.0-or-later
// A paged trace as the engine would lay it out, made nasty: pages in random order, other layers'
// bytes around, and every slot that was not written holding NaN.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/views.h"

namespace support {

struct Shape {
    int page = 64, query_heads = 1, kv_heads = 1, dim = 16;
    std::int64_t rows = 1;
};

class PagedTrace {
  public:
    explicit PagedTrace(const Shape& shape, unsigned seed = 1, int spare_pages = 3) {
        const std::int64_t pages = (shape.rows + shape.page - 1) / shape.page + 1,
                           total = pages + spare_pages;
        const std::int64_t kv = std::int64_t{shape.kv_heads} * shape.page * shape.dim;
        const std::int64_t q = std::int64_t{shape.query_heads} * shape.page * shape.dim;
        const std::int64_t lse = std::int64_t{shape.query_heads} * shape.page;
        const std::int64_t gap = 4;  // floats of "another layer" before and after
        const std::int64_t floats = 2 * kv + 2 * q + lse + 2 * gap;
        bytes_.assign(static_cast<std::size_t>(total * floats),
                      std::numeric_limits<float>::quiet_NaN());
        table_.resize(static_cast<std::size_t>(total));
        std::iota(table_.begin(), table_.end(), 0);
        std::shuffle(table_.begin(), table_.end(), std::mt19937(seed));
        table_.resize(static_cast<std::size_t>(pages));
        view_.pool = reinterpret_cast<std::byte*>(bytes_.data());
        view_.page_stride = floats * 4;
        view_.k_offset = gap * 4;
        view_.v_offset = view_.k_offset + kv * 4;
        view_.q_offset = view_.v_offset + kv * 4;
        view_.z_offset = view_.q_offset + q * 4;
        view_.lse_offset = view_.z_offset + q * 4;
        view_.block_table = table_.data();
        view_.page_tokens = shape.page;
        view_.query_heads = shape.query_heads;
        view_.kv_heads = shape.kv_heads;
        view_.head_dim = shape.dim;
    }
    PagedTrace(PagedTrace&&) = default;

    const kernels::TraceView& view() const { return view_; }

    // q, k and v of rows [begin, end): normal numbers; q and k so that scores (at scale 1/√D) have
    // this spread.
    void fill(std::int64_t begin, std::int64_t end, unsigned seed, float spread = 2) {
        std::normal_distribution<float> normal;
        for (std::int64_t t = begin; t < end; ++t) {
            std::mt19937 random(seed * 7919u +
                                static_cast<unsigned>(t));  // a row is the same in any chunking
            const auto row = [&](float* to, float factor) {
                for (int d = 0; d < view_.head_dim; ++d) to[d] = factor * normal(random);
            };
            for (int h = 0; h < view_.kv_heads; ++h) row(view_.k(t, h), 1), row(view_.v(t, h), 1);
            for (int h = 0; h < view_.query_heads; ++h) row(view_.q(t, h), spread);
        }
    }

  private:
    std::vector<float> bytes_;
    std::vector<std::int32_t> table_;
    kernels::TraceView view_;
};

}  // namespace support
