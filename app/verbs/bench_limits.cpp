// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verbs/bench_limits.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace app {
namespace {

// What the optimizer may not leave out.
std::atomic<float> sink;

// Seconds until the last of `threads` threads is through with work(thread); the best of three.
double fastest(int threads, const std::function<void(int)>& work) {
    double best = 1e30;
    for (int attempt = 0; attempt < 3; ++attempt) {
        const auto begin = std::chrono::steady_clock::now();
        std::vector<std::thread> others;
        for (int i = 1; i < threads; ++i) others.emplace_back(work, i);
        work(0);
        for (std::thread& other : others) other.join();
        best = std::min(
            best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) float sumOf(const float* data, std::size_t count) {
    __m256 sums[8] = {};  // no std::array: it drops the type's alignment
    for (std::size_t i = 0; i + 64 <= count; i += 64)
        for (std::size_t lane = 0; lane < 8; ++lane)
            sums[lane] = _mm256_add_ps(sums[lane], _mm256_loadu_ps(data + i + lane * 8));
    __m256 total = _mm256_setzero_ps();
    for (const __m256 sum : sums) total = _mm256_add_ps(total, sum);
    return _mm256_cvtss_f32(total);
}

// Ten accumulators hide the latency of two units four to five cycles deep; eight floats, two
// operations each.
constexpr double operationsARound = 10 * 8 * 2;
__attribute__((target("avx2,fma"))) float multiplyAdd(std::int64_t rounds) {
    const __m256 a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(1e-3f);
    __m256 sums[10];
    for (int i = 0; i < 10; ++i) sums[i] = _mm256_set1_ps(static_cast<float>(i));
    for (std::int64_t round = 0; round < rounds; ++round)
        for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, a, b);
    __m256 total = _mm256_setzero_ps();
    for (const __m256 sum : sums) total = _mm256_add_ps(total, sum);
    return _mm256_cvtss_f32(total);
}

constexpr double operationsARound512 = 10 * 16 * 2;
__attribute__((target("avx512f"))) float multiplyAdd512(std::int64_t rounds) {
    const __m512 a = _mm512_set1_ps(0.999f), b = _mm512_set1_ps(1e-3f);
    __m512 sums[10];
    for (int i = 0; i < 10; ++i) sums[i] = _mm512_set1_ps(static_cast<float>(i));
    for (std::int64_t round = 0; round < rounds; ++round)
        for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, a, b);
    __m512 total = _mm512_setzero_ps();
    for (const __m512 sum : sums) total = _mm512_add_ps(total, sum);
    alignas(64) float lanes[16];
    _mm512_store_ps(lanes, total);
    return lanes[0] + lanes[15];
}
#endif

float plainSum(const float* data, std::size_t count) {
    std::array<float, 16> sums{};
    for (std::size_t i = 0; i + 16 <= count; i += 16)
        for (std::size_t lane = 0; lane < 16; ++lane) sums[lane] += data[i + lane];
    float total = 0;
    for (const float sum : sums) total += sum;
    return total;
}

double readRate(int threads) {
    constexpr std::size_t floatsAThread = std::size_t{64} << 20;  // 256 MB a thread: past any cache
    const auto count = floatsAThread / static_cast<std::size_t>(std::max(1, threads / 4));
    std::vector<float> data(count * static_cast<std::size_t>(threads), 1.0f);
    auto sum = plainSum;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) sum = sumOf;
#endif
    const double seconds = fastest(threads, [&](int thread) {
        sink = sum(data.data() + static_cast<std::size_t>(thread) * count, count);
    });
    return static_cast<double>(data.size() * sizeof(float)) / seconds;
}

std::optional<double> operationRate(int threads) {
#if defined(__x86_64__)
    constexpr std::int64_t rounds = 10'000'000;
    std::optional<double> best;
    const auto measure = [&](float (*work)(std::int64_t), double operations) {
        const double seconds = fastest(threads, [&](int) { sink = work(rounds); });
        best = std::max(best.value_or(0),
                        operations * static_cast<double>(rounds) * threads / seconds);
    };
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        measure(multiplyAdd, operationsARound);
    if (__builtin_cpu_supports("avx512f")) measure(multiplyAdd512, operationsARound512);
    return best;
#else
    static_cast<void>(threads);
    return std::nullopt;
#endif
}

}  // namespace

MachineLimits measureMachine(int threads) {
    threads = std::max(1, threads);
    return {readRate(threads), operationRate(threads)};
}

std::optional<double> leastSeconds(const MachineLimits& limits, double bytes, double flops) {
    if (flops > 0 && !limits.flopsPerSecond) return std::nullopt;
    return std::max(bytes / limits.readBytesPerSecond,
                    flops > 0 ? flops / *limits.flopsPerSecond : 0);
}

double prefillFlops(const engine::ModelInfo& info, std::int64_t tokens) {
    const double d = info.d_model, dim = info.head_dim, heads = info.query_heads,
                 kvHeads = info.kv_heads;
    const double layer = d * (heads + 2 * kvHeads) * dim + heads * dim * d + 3 * d * info.d_ff;
    const auto t = static_cast<double>(tokens);
    return 2 * (info.layers * (layer * t + heads * dim * t * (t + 1)) + d * info.vocab);
}

double patternFlops(const engine::ModelInfo& info, std::int64_t tokens) {
    const auto t = static_cast<double>(tokens);
    return info.head_dim * t * (t + 1);
}

double decodeBytes(const engine::ModelInfo& info, std::int64_t context) {
    const auto size = static_cast<double>(engine::bytes_of(info.dtype));
    const double token = 2.0 * info.layers * info.kv_heads * info.head_dim * size;
    const std::int64_t weights =
        info.step_weight_bytes > 0 ? info.step_weight_bytes : info.weight_bytes;
    return static_cast<double>(weights) + token * static_cast<double>(context);
}

}  // namespace app
