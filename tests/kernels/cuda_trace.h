// SPDX-License-Identifier: GPL-3.0-or-later
// Device memory for tests, and a trace that lies on the host in fp32, for the oracle, and on the
// device in the element type under test. The pages there are in an order of their own, and every
// byte that was not written is 0xff: NaN in all three types.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <QTest>

#include "kernels/cuda_check.h"
#include "tests/support/paged_trace.h"

#define SKIP_WITHOUT_DEVICE()                                                      \
    do {                                                                           \
        int devices = 0;                                                           \
        const cudaError_t found = cudaGetDeviceCount(&devices);                    \
        if (found != cudaSuccess || devices == 0) {                                \
            cudaGetLastError();                                                    \
            QSKIP("no CUDA device: these kernels compile here and run elsewhere"); \
        }                                                                          \
    } while (false)

template <typename T>
class DeviceBuffer {
  public:
    explicit DeviceBuffer(std::size_t count, int fill = 0xff) : count_(count) {
        kernels::cuda::check(cudaMalloc(&data_, bytes() + 1), "cudaMalloc");
        kernels::cuda::check(cudaMemset(data_, fill, bytes()), "cudaMemset");
    }
    explicit DeviceBuffer(const std::vector<T>& from) : DeviceBuffer(from.size()) { upload(from); }
    ~DeviceBuffer() { cudaFree(data_); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    T* data() const { return static_cast<T*>(data_); }
    std::size_t bytes() const { return count_ * sizeof(T); }
    void upload(const std::vector<T>& from) {
        kernels::cuda::check(cudaMemcpy(data_, from.data(), bytes(), cudaMemcpyHostToDevice),
                             "upload");
    }
    std::vector<T> download() const {
        std::vector<T> to(count_);
        kernels::cuda::check(cudaMemcpy(to.data(), data_, bytes(), cudaMemcpyDeviceToHost),
                             "download");
        return to;
    }

  private:
    std::size_t count_;
    void* data_ = nullptr;
};

inline std::size_t size_of(kernels::Element element) {
    return element == kernels::Element::F32 ? 4 : 2;
}
inline void store_element(kernels::Element element, std::byte* to, float x) {
    if (element == kernels::Element::F32) {
        std::memcpy(to, &x, 4);
    } else if (element == kernels::Element::F16) {
        const __half y = __float2half_rn(x);
        std::memcpy(to, &y, 2);
    } else {
        const __nv_bfloat16 y = __float2bfloat16_rn(x);
        std::memcpy(to, &y, 2);
    }
}
inline float load_element(kernels::Element element, const std::byte* from) {
    if (element == kernels::Element::F32) {
        float x;
        std::memcpy(&x, from, 4);
        return x;
    }
    if (element == kernels::Element::F16) {
        __half x;
        std::memcpy(&x, from, 2);
        return __half2float(x);
    }
    __nv_bfloat16 x;
    std::memcpy(&x, from, 2);
    return __bfloat162float(x);
}

// Numbers as the element type holds them, and their bytes.
inline std::vector<std::byte> to_elements(kernels::Element element, std::vector<float>& numbers) {
    const std::size_t size = size_of(element);
    std::vector<std::byte> bytes(numbers.size() * size);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        store_element(element, bytes.data() + i * size, numbers[i]);
        numbers[i] = load_element(element, bytes.data() + i * size);
    }
    return bytes;
}

inline std::vector<float> from_elements(kernels::Element element,
                                        const std::vector<std::byte>& bytes) {
    const std::size_t size = size_of(element);
    std::vector<float> numbers(bytes.size() / size);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = load_element(element, bytes.data() + i * size);
    return numbers;
}

// What a row of a test table is named after.
inline const char* element_name(kernels::Element element) {
    return element == kernels::Element::F32   ? "fp32"
           : element == kernels::Element::F16 ? "fp16"
                                              : "bf16";
}
constexpr kernels::Element all_elements[] = {kernels::Element::F32, kernels::Element::F16,
                                             kernels::Element::BF16};
// What z may be off, relative to its row's largest. fp16 rounds eight times
// finer than bf16.
inline double z_tolerance(kernels::Element element) {
    return element == kernels::Element::F32   ? 1e-5
           : element == kernels::Element::F16 ? 1.0 / 1024
                                              : 1.0 / 128;
}

class CudaTrace {
  public:
    CudaTrace(const support::Shape& shape, kernels::Element element, unsigned seed = 1)
        : host_(shape, seed), rows_(shape.rows) {
        view_ = host_.view();
        view_.element = element;
        const std::int64_t size = static_cast<std::int64_t>(size_of(element)),
                           rows_of_page = std::int64_t{shape.page} * shape.dim * size;
        // Rows lie at odd places, or, in the larger pages, at multiples of their size.
        const std::int64_t unit = shape.page % 64 == 0 ? shape.dim * size : 16;
        const auto up = [unit](std::int64_t bytes) { return (bytes + unit - 1) / unit * unit; };
        view_.k_offset = unit;
        view_.v_offset = up(view_.k_offset + shape.kv_heads * rows_of_page);
        view_.q_offset = up(view_.v_offset + shape.kv_heads * rows_of_page);
        view_.z_offset = up(view_.q_offset + shape.query_heads * rows_of_page);
        view_.lse_offset = up(view_.z_offset + shape.query_heads * rows_of_page);
        view_.page_stride =
            up(view_.lse_offset + std::int64_t{shape.query_heads} * shape.page * 4 + 1) + unit;
        const std::int64_t pages = (shape.rows + shape.page - 1) / shape.page;
        table_.resize(static_cast<std::size_t>(pages) + 2);
        std::iota(table_.begin(), table_.end(), 0);
        std::shuffle(table_.begin(), table_.end(), std::mt19937(seed + 77));
        bytes_.assign(table_.size() * static_cast<std::size_t>(view_.page_stride), std::byte{0xff});
        table_.resize(static_cast<std::size_t>(pages));
        pool_ = std::make_unique<DeviceBuffer<std::byte>>(bytes_);
        device_table_ = std::make_unique<DeviceBuffer<std::int32_t>>(table_);
    }
    CudaTrace(CudaTrace&&) = default;

    support::PagedTrace& host() { return host_; }
    // As the oracle reads it: fp32, the numbers that the device has.
    const kernels::TraceView& host_view() const { return host_.view(); }
    kernels::TraceView view() const {
        kernels::TraceView view = view_;
        view.pool = pool_->data();
        view.block_table = device_table_->data();
        return view;
    }
    kernels::Element element() const { return view_.element; }
    std::int64_t pool_bytes() const { return static_cast<std::int64_t>(bytes_.size()); }

    void fill(std::int64_t begin, std::int64_t end, unsigned seed, float spread = 2) {
        host_.fill(begin, end, seed, spread);
        upload(begin, end);
    }
    // Rows [begin, end) of the host's sections, rounded there as well.
    void upload(std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t)
            sections(t, [&](float* row, std::byte* bytes, int count, kernels::Element element) {
                const std::size_t size = size_of(element);
                for (int d = 0; d < count; ++d) {
                    std::byte* at = bytes + static_cast<std::size_t>(d) * size;
                    if (std::isnan(row[d])) continue;  // stays poisoned
                    store_element(element, at, row[d]);
                    row[d] = load_element(element, at);
                }
            });
        pool_->upload(bytes_);
    }
    void download() {
        bytes_ = pool_->download();
        for (std::int64_t t = 0; t < rows_; ++t)
            sections(t, [](float* row, std::byte* bytes, int count, kernels::Element element) {
                for (int d = 0; d < count; ++d)
                    row[d] = load_element(element,
                                          bytes + static_cast<std::size_t>(d) * size_of(element));
            });
    }

  private:
    template <typename F>
    void sections(std::int64_t t, F&& f) {
        const kernels::TraceView& host = host_.view();
        std::byte* page =
            bytes_.data() +
            static_cast<std::int64_t>(table_[static_cast<std::size_t>(t / view_.page_tokens)]) *
                view_.page_stride;
        const std::int64_t slot = t % view_.page_tokens, dim = view_.head_dim,
                           size = static_cast<std::int64_t>(size_of(view_.element));
        const auto row = [&](std::int64_t section, int head) {
            return page + section + (std::int64_t{head} * view_.page_tokens + slot) * dim * size;
        };
        for (int h = 0; h < view_.kv_heads; ++h) {
            f(host.k(t, h), row(view_.k_offset, h), view_.head_dim, view_.element);
            f(host.v(t, h), row(view_.v_offset, h), view_.head_dim, view_.element);
        }
        for (int h = 0; h < view_.query_heads; ++h) {
            f(host.q(t, h), row(view_.q_offset, h), view_.head_dim, view_.element);
            f(host.z(t, h), row(view_.z_offset, h), view_.head_dim, view_.element);
            f(host.lse(t, h),
              page + view_.lse_offset + (std::int64_t{h} * view_.page_tokens + slot) * 4, 1,
              kernels::Element::F32);
        }
    }

    support::PagedTrace host_;
    std::int64_t rows_;
    kernels::TraceView view_;
    std::vector<std::int32_t> table_;
    std::vector<std::byte> bytes_;
    std::unique_ptr<DeviceBuffer<std::byte>> pool_;
    std::unique_ptr<DeviceBuffer<std::int32_t>> device_table_;
};
