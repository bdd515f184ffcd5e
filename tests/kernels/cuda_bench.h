// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of cuda_bench share: Qwen3-8B's shape, a trace of it, and time. Random numbers,
// never zeros; the trace holds all 36 layers, so that no cache holds what a run would not.
#pragma once
#include <cuda_bf16.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "kernels/cuda_check.h"
#include "kernels/views.h"

namespace bench {

using kernels::Element;
using kernels::cuda::check;

constexpr std::int64_t layers = 36, query_heads = 32, kv_heads = 8, dim = 128, model = 4096,
                       feed_forward = 12288, vocabulary = 151936, page = 64;
// Measured on an H200, bytes and operations a second.
constexpr double read_rate = 4.37e12, write_rate = 4.25e12, product_rate = 790e12;

inline cudaStream_t stream = nullptr;
inline Element element = Element::BF16;  // of the traces that views are of; or fp16

struct Memory {
    std::byte* data = nullptr;
    explicit Memory(std::int64_t bytes) {
        void* p = nullptr;
        check(cudaMalloc(&p, static_cast<std::size_t>(bytes)), "cudaMalloc");
        data = static_cast<std::byte*>(p);
    }
    ~Memory() { cudaFree(data); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    template <typename T>
    T* as() const {
        return reinterpret_cast<T*>(data);
    }
};

template <typename T>
void upload(const Memory& to, const std::vector<T>& from) {
    check(cudaMemcpy(to.data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice),
          "upload");
}

// Normal bf16 numbers, a block of an odd size repeated.
inline void randomize(std::byte* to, std::int64_t bytes, float spread) {
    const std::int64_t block = 32 * 1024 * 1024 + 4112;
    std::vector<__nv_bfloat16> numbers(static_cast<std::size_t>(std::min(bytes, block) / 2));
    std::mt19937 random(7);
    std::uniform_real_distribution<float> uniform(-1.7f * spread, 1.7f * spread);
    for (auto& x : numbers) x = __float2bfloat16_rn(uniform(random));
    check(cudaMemcpy(to, numbers.data(), numbers.size() * 2, cudaMemcpyHostToDevice), "upload");
    for (std::int64_t at = block; at < bytes; at += block)
        check(cudaMemcpyAsync(to + at, to, static_cast<std::size_t>(std::min(block, bytes - at)),
                              cudaMemcpyDeviceToDevice, nullptr),
              "copy");
    check(cudaDeviceSynchronize(), "copy");
}

inline double median_ms(int runs, const std::function<void()>& body) {
    cudaEvent_t from, to;
    check(cudaEventCreate(&from), "event");
    check(cudaEventCreate(&to), "event");
    std::vector<float> times;
    for (int i = 0; i < runs + 2; ++i) {
        check(cudaEventRecord(from, stream), "event");
        body();
        check(cudaEventRecord(to, stream), "event");
        check(cudaEventSynchronize(to), "kernels");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, from, to), "event");
        if (i >= 2) times.push_back(ms);
    }
    check(cudaEventDestroy(from), "event");
    check(cudaEventDestroy(to), "event");
    std::sort(times.begin(), times.end());
    return static_cast<double>(times[times.size() / 2]);
}

inline void report(const std::string& name, double ms, double limit_ms,
                   const std::string& note = "") {
    std::printf("%-44s %9.4f ms   limit %9.4f ms   %5.1f%%   %s\n", name.c_str(), ms, limit_ms,
                100 * limit_ms / ms, note.c_str());
    std::fflush(stdout);
}

// The trace of all layers.
struct Trace {
    std::int64_t rows;
    Memory pool, table;
    std::int64_t stride;

    static std::int64_t layer_bytes() {
        return page * (2 * kv_heads + 2 * query_heads) * dim * 2 + page * query_heads * 4;
    }
    explicit Trace(std::int64_t count)
        : rows(count),
          pool((count + page - 1) / page * layers * layer_bytes()),
          table((count + page - 1) / page * 4),
          stride(layers * layer_bytes()) {
        std::vector<std::int32_t> pages(static_cast<std::size_t>((count + page - 1) / page));
        for (std::size_t i = 0; i < pages.size(); ++i) pages[i] = static_cast<std::int32_t>(i);
        std::shuffle(pages.begin(), pages.end(), std::mt19937(3));
        upload(table, pages);
        randomize(pool.data, static_cast<std::int64_t>(pages.size()) * stride, 1);
    }
    kernels::TraceView layer(std::int64_t index) const {
        kernels::TraceView view;
        view.pool = pool.data;
        view.page_stride = stride;
        view.k_offset = index * layer_bytes();
        view.v_offset = view.k_offset + page * kv_heads * dim * 2;
        view.q_offset = view.v_offset + page * kv_heads * dim * 2;
        view.z_offset = view.q_offset + page * query_heads * dim * 2;
        view.lse_offset = view.z_offset + page * query_heads * dim * 2;
        view.block_table = table.as<std::int32_t>();
        view.page_tokens = page;
        view.query_heads = query_heads;
        view.kv_heads = kv_heads;
        view.head_dim = dim;
        view.element = element;
        return view;
    }
};

inline const kernels::ScoreRule rule{1 / std::sqrt(128.0f), 0, 0, nullptr};

void decode();
void prompts();
// only: this number of rows, or 0 for all.
void views(std::int64_t only);
void tables();

}  // namespace bench
