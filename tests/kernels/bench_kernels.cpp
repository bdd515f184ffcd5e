// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU kernels reach on SmolLM2-135M's shapes, beside what the cores can do: an FMA loop
// and a read of memory that are timed in turn with each kernel, since other work on the machine
// slows both. Medians. Usage: bench_kernels [threads]
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>

#include "kernels/attention.h"
#include "kernels/contribution.h"
#include "kernels/cpu/isa.h"
#include "kernels/gemv.h"
#include "kernels/pattern.h"
#include "tests/support/paged_trace.h"

namespace {

bool cpu_time = false;
std::string_view filter;

double now() {
    if (cpu_time) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Threads that wait on a condition, as the engine's do: what a call costs includes waking them.
class Pool {
  public:
    explicit Pool(int threads) {
        for (int i = 1; i < threads; ++i)
            workers_.emplace_back([this](std::stop_token stop) { serve(stop); });
    }
    ~Pool() {
        for (auto& worker : workers_) worker.request_stop();
        workers_.clear();
    }
    kernels::Parallel parallel() const {
        return {static_cast<int>(workers_.size()) + 1, &Pool::run};
    }
    static Pool* current;

  private:
    static void run(const kernels::Parallel&, std::int64_t tasks, void (*body)(void*, std::int64_t),
                    void* context) {
        Pool& pool = *current;
        {
            std::lock_guard lock(pool.mutex_);
            pool.tasks_ = tasks;
            pool.next_ = 0;
            pool.body_ = body;
            pool.context_ = context;
            pool.busy_ = static_cast<int>(pool.workers_.size());
            ++pool.generation_;
        }
        pool.generation_seen_.store(pool.generation_, std::memory_order_release);
        pool.wake_.notify_all();
        pool.work();
        while (pool.busy_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
    }
    void work() {
        for (std::int64_t task; (task = next_.fetch_add(1)) < tasks_;) body_(context_, task);
    }
    void serve(const std::stop_token& stop) {
        std::uint64_t seen = 0;
        while (!stop.stop_requested()) {
            for (int spin = 0;
                 spin < 2000 && generation_seen_.load(std::memory_order_acquire) == seen; ++spin)
                __builtin_ia32_pause();
            {
                std::unique_lock lock(mutex_);
                if (!wake_.wait(lock, stop, [&] { return generation_ != seen; })) return;
                seen = generation_;
            }
            work();
            busy_.fetch_sub(1, std::memory_order_release);
        }
    }
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::uint64_t generation_ = 0;
    std::atomic<std::uint64_t> generation_seen_{0};
    std::atomic<std::int64_t> next_{0};
    std::atomic<int> busy_{0};
    std::int64_t tasks_ = 0;
    void (*body_)(void*, std::int64_t) = nullptr;
    void* context_ = nullptr;
    std::vector<std::jthread> workers_;
};
Pool* Pool::current = nullptr;

double seconds(const std::function<void()>& body) {
    const double begin = now();
    body();
    return now() - begin;
}

double median(std::vector<double> v) {
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
}

#if defined(__x86_64__)
#define BEST_TARGET __attribute__((target("avx2,fma")))
constexpr int vector_floats = 8;
#else
#define BEST_TARGET
constexpr int vector_floats = 4;
#endif
typedef float Vector __attribute__((vector_size(vector_floats * 4)));
volatile float sink;

constexpr int chains = 12;  // enough for two FMA units of five cycles
constexpr double peak_flops = 2.0 * chains * vector_floats * 100000;

BEST_TARGET __attribute__((optimize("fp-contract=fast"))) void fma_loop() {
    Vector a = {}, b = {};
    a += 0.999f;
    b += 0.001f;
    Vector s0 = a, s1 = a + a, s2 = s1 + a, s3 = s2 + a, s4 = s3 + a, s5 = s4 + a, s6 = s5 + a,
           s7 = s6 + a, s8 = s7 + a;
    Vector s9 = s8 + a, s10 = s9 + a, s11 = s10 + a;
    for (int i = 0; i < 100000; ++i) {
        s0 = s0 * a + b, s1 = s1 * a + b, s2 = s2 * a + b, s3 = s3 * a + b;
        s4 = s4 * a + b, s5 = s5 * a + b, s6 = s6 * a + b, s7 = s7 * a + b;
        s8 = s8 * a + b, s9 = s9 * a + b, s10 = s10 * a + b, s11 = s11 * a + b;
    }
    sink = (s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9 + s10 + s11)[0];
}

struct Report {
    const kernels::Parallel& parallel;
    std::vector<float> memory;

    void line(const char* name, double flops, double bytes, const std::function<void()>& kernel,
              int runs = 15) {
        if (std::string_view(name).find(filter) == std::string_view::npos) return;
        std::vector<double> time, of_peak, of_read;
        kernel();
        for (int i = 0; i < runs; ++i) {
            const double peak = seconds(
                [&] { parallel.for_each(parallel.threads, [](std::int64_t) { fma_loop(); }); });
            const double took = seconds(kernel);
            double read = 1;
            if (bytes > 0)
                read = seconds([&] {
                    parallel.for_each(64, [&](std::int64_t piece) {
                        const std::size_t n = memory.size() / 64;
                        const float* p = memory.data() + static_cast<std::size_t>(piece) * n;
                        Vector sum[4] = {};
                        for (std::size_t j = 0; j + 32 <= n; j += 32)
                            for (int k = 0; k < 4; ++k) {
                                Vector v;
                                __builtin_memcpy(
                                    &v, p + j + static_cast<std::size_t>(k) * vector_floats,
                                    sizeof v);
                                sum[k] += v;
                            }
                        sink = (sum[0] + sum[1] + sum[2] + sum[3])[0];
                    });
                });
            time.push_back(took);
            of_peak.push_back(flops / took / (peak_flops * parallel.threads / peak));
            of_read.push_back(bytes / took / (static_cast<double>(memory.size()) * 4 / read));
        }
        std::printf("%-52s %9.3f ms  best %9.3f", name, median(time) * 1e3,
                    *std::min_element(time.begin(), time.end()) * 1e3);
        if (flops > 0)
            std::printf("  %5.1f GFLOP/s, %3.0f%% of FMA peak", flops / median(time) / 1e9,
                        100 * median(of_peak));
        if (bytes > 0)
            std::printf("  %5.1f GB/s, %3.0f%% of read", bytes / median(time) / 1e9,
                        100 * median(of_read));
        std::printf("\n");
        std::fflush(stdout);
    }
};

support::PagedTrace model_trace(std::int64_t rows, int layers) {
    // Layers side by side as kv groups of one view keep the bytes of a whole model apart.
    support::PagedTrace trace({64, 9 * layers, 3 * layers, 64, rows}, 3, 0);
    trace.fill(0, rows, 5);
    return trace;
}

void attention(Report& report, std::int64_t rows) {
    auto trace = model_trace(rows, 1);
    kernels::AttendArgs args;
    args.trace = trace.view();
    args.rule.scale = 0.125f;
    std::vector<float> z(static_cast<std::size_t>(rows) * 576);
    args.z_out = z.data();
    char name[96];
    const double pair = 4.0 * 64 * 9;
    args.begin = 0;
    args.end = rows;
    std::vector<float> scratch(
        static_cast<std::size_t>(kernels::cpu::attend_scratch(args, report.parallel.threads)));
    args.scratch = scratch.data();
    std::snprintf(name, sizeof name, "prefill attention, a layer (9 x 64), T=%ld",
                  static_cast<long>(rows));
    report.line(name, pair * static_cast<double>(rows) * static_cast<double>(rows + 1) / 2, 0,
                [&] { kernels::cpu::attend(args, report.parallel); });
    args.begin = rows - 1;
    scratch.resize(
        static_cast<std::size_t>(kernels::cpu::attend_scratch(args, report.parallel.threads)));
    args.scratch = scratch.data();
    std::snprintf(name, sizeof name, "decode attention, a layer, T=%ld", static_cast<long>(rows));
    report.line(
        name, pair * static_cast<double>(rows), 0,
        [&] { kernels::cpu::attend(args, report.parallel); }, 101);
}

void grid(Report& report, std::int64_t rows, kernels::TilePooling pooling, int heads_total,
          const char* label) {
    const int layers = heads_total / 9;
    auto trace = model_trace(rows, layers);
    for (std::int64_t t = 0; t < rows; ++t)
        for (int h = 0; h < heads_total; ++h) *trace.view().lse(t, h) = 5;
    std::vector<std::int64_t> edges;
    for (int i = 0; i <= 64; ++i) edges.push_back(rows * i / 64);
    std::vector<std::uint8_t> out(static_cast<std::size_t>(heads_total) * 64 * 64);
    std::vector<kernels::TileHead> heads(static_cast<std::size_t>(heads_total));
    for (std::size_t h = 0; h < heads.size(); ++h) {
        heads[h].trace = trace.view();
        heads[h].rule.scale = 0.125f;
        heads[h].head = static_cast<std::int32_t>(h);
        heads[h].rows = rows;
        heads[h].out_u8 = out.data() + h * 64 * 64;
    }
    kernels::TileArgs args;
    args.heads = heads.data();
    args.head_count = heads_total;
    args.dest = {edges.data(), 64};
    args.src = {edges.data(), 64};
    args.pooling = pooling;
    char name[96];
    std::snprintf(name, sizeof name, "%s, %d heads, 64x64 px, T=%ld", label, heads_total,
                  static_cast<long>(rows));
    report.line(
        name,
        2.0 * 64 * heads_total * static_cast<double>(rows) * static_cast<double>(rows + 1) / 2, 0,
        [&] { kernels::cpu::tile(args, report.parallel); }, 9);
    if (pooling != kernels::TilePooling::Max) return;
    std::vector<kernels::MetricsHead> table(heads.size());
    for (std::size_t h = 0; h < heads.size(); ++h) {
        table[h].trace = trace.view();
        table[h].rule.scale = 0.125f;
        table[h].head = static_cast<std::int32_t>(h);
    }
    std::vector<std::int32_t> tokens;
    for (std::int64_t t = 0; t < rows; ++t) tokens.push_back(static_cast<std::int32_t>(t % 300));
    kernels::MetricsArgs args_of_table;
    args_of_table.heads = table.data();
    args_of_table.head_count = heads_total;
    args_of_table.end = rows;
    args_of_table.tokens = tokens.data();
    std::snprintf(name, sizeof name, "metrics, %d heads, T=%ld", heads_total,
                  static_cast<long>(rows));
    report.line(
        name,
        2.0 * 64 * heads_total * static_cast<double>(rows) * static_cast<double>(rows + 1) / 2, 0,
        [&] { kernels::cpu::metrics(args_of_table, report.parallel); }, 9);
}

// Bytes whose halves are moderate numbers, whatever type they are read as.
std::vector<std::byte> moderate_bytes(std::size_t count) {
    std::mt19937 random(3);
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; i += 4) {
        const auto r = static_cast<std::uint32_t>(random() & 0x2fff2fff);
        __builtin_memcpy(bytes.data() + i, &r, std::min<std::size_t>(4, count - i));
    }
    return bytes;
}

// One matrix of each type that is decoded first: to fp32, and a product with one row of x.
void block_types(Report& report) {
    using kernels::WeightType;
    constexpr std::int64_t rows = 4096, columns = 4096;
    struct Kind {
        WeightType type;
        const char* name;
        std::int64_t elements, bytes;
    };
    const std::vector<std::byte> exponents(rows * columns / 32, std::byte{120});
    const std::vector<float> x(columns, 0.5f);
    std::vector<float> to(256 * columns), y(rows);
    for (const Kind& kind : {Kind{WeightType::Q5_0, "Q5_0", 32, 22},
                             {WeightType::Q5_1, "Q5_1", 32, 24},
                             {WeightType::Q2_K, "Q2_K", 256, 84},
                             {WeightType::Q3_K, "Q3_K", 256, 110},
                             {WeightType::Q4_K, "Q4_K", 256, 144},
                             {WeightType::Q5_K, "Q5_K", 256, 176},
                             {WeightType::Q6_K, "Q6_K", 256, 210},
                             {WeightType::IQ4_NL, "IQ4_NL", 32, 18},
                             {WeightType::IQ4_XS, "IQ4_XS", 256, 136},
                             {WeightType::MXFP4, "MXFP4", 32, 17},
                             {WeightType::MXFP4_PAIRS, "MXFP4 pairs", 32, 16},
                             {WeightType::F64, "F64", 1, 8},
                             {WeightType::F8_E4M3, "F8_E4M3", 1, 1},
                             {WeightType::F8_E5M2, "F8_E5M2", 1, 1}}) {
        const std::int64_t row_bytes = columns / kind.elements * kind.bytes;
        const std::vector<std::byte> bytes =
            moderate_bytes(static_cast<std::size_t>(rows * row_bytes));
        kernels::Weight weight{bytes.data(), kind.type, rows, columns, row_bytes};
        weight.exponents = exponents.data();
        weight.exponent_row_bytes = columns / 32;
        const auto source = static_cast<double>(bytes.size());
        report.line((std::string("decode ") + kind.name).c_str(), 0, source, [&] {
            for (std::int64_t row = 0; row < rows; row += 256)
                kernels::cpu::decode_rows(weight, row, row + 256, to.data(), report.parallel);
        });
        float* const out = y.data();
        report.line((std::string("product ") + kind.name).c_str(), 2.0 * rows * columns, source,
                    [&] {
                        kernels::cpu::gemv({&weight, nullptr, &out, nullptr, 1, x.data(), columns},
                                           report.parallel);
                    });
    }
}

// A whole token of SmolLM2-135M: 30 layers of q|k|v, o, gate|up, down, then the head.
void decode_products(Report& report, kernels::WeightType type, int block_bytes, std::int64_t batch,
                     const char* name) {
    struct Spec {
        std::int64_t rows, columns;
    };
    std::vector<std::vector<Spec>> calls;
    for (int l = 0; l < 30; ++l) {
        calls.push_back({{576, 576}, {192, 576}, {192, 576}});
        calls.push_back({{576, 576}});
        calls.push_back({{1536, 576}, {1536, 576}});
        calls.push_back({{576, 1536}});
    }
    calls.push_back({{49152, 576}});
    std::vector<std::vector<kernels::Weight>> weights;
    std::size_t total = 0;
    double flops = 0;
    for (const auto& call : calls) {
        weights.emplace_back();
        for (const Spec& s : call) {
            const bool head = s.rows > 10000 && type == kernels::WeightType::Q4_1;
            const std::int64_t row_bytes = s.columns / 32 * (head ? 34 : block_bytes);
            weights.back().push_back({reinterpret_cast<const std::byte*>(total),
                                      head ? kernels::WeightType::Q8_0 : type, s.rows, s.columns,
                                      row_bytes});
            total += static_cast<std::size_t>(s.rows * row_bytes);
            flops += 2.0 * static_cast<double>(s.rows * s.columns * batch);
        }
    }
    const std::vector<std::byte> bytes = moderate_bytes(total);
    for (auto& call : weights)
        for (auto& w : call) w.data = bytes.data() + reinterpret_cast<std::size_t>(w.data);
    std::vector<float> x(1536 * 8, 0.5f), y(49152 * 8);
    report.line(name, flops, static_cast<double>(total), [&] {
        for (const auto& call : weights) {
            float* to[3] = {y.data(), y.data() + 8192, y.data() + 16384};
            const std::int64_t strides[3] = {2048, 2048, 2048}, head_stride[1] = {49152};
            kernels::GemvArgs args;
            args.weights = call.data();
            args.y = to;
            args.y_stride = call[0].rows > 10000 ? head_stride : strides;
            args.weight_count = static_cast<std::int64_t>(call.size());
            args.x = x.data();
            args.x_stride = 1536;
            args.batch = batch;
            kernels::cpu::gemv(args, report.parallel);
        }
    });
}

}  // namespace

int main(int argc, char** argv) {
    int threads = 2;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        bool known = word == "cpu" || std::atoi(argv[i]) > 0;
        cpu_time = cpu_time || word == "cpu";
        if (std::atoi(argv[i]) > 0) threads = std::atoi(argv[i]);
        for (auto isa :
             {kernels::cpu::Isa::Portable, kernels::cpu::Isa::Avx2, kernels::cpu::Isa::Avx512})
            if (word == kernels::cpu::isa_name(isa)) {
                if (!kernels::cpu::force_isa(isa)) return 1;
                known = true;
            }
        if (!known) filter = word;
    }
    Pool pool(threads);
    Pool::current = &pool;
    const kernels::Parallel parallel = pool.parallel();
    Report report{parallel, std::vector<float>(16 << 20, 1.0f)};
    std::printf("%s, %d threads\n", kernels::cpu::isa_name(kernels::cpu::active_isa()), threads);
    using kernels::WeightType;
    decode_products(report, WeightType::Q4_1, 20, 1, "products of a token, Q4_1, Q8_0 head");
    decode_products(report, WeightType::Q4_1, 20, 4,
                    "products of 4 tokens at once, Q4_1, Q8_0 head");
    decode_products(report, WeightType::Q8_0, 34, 1, "products of a token, Q8_0");
    decode_products(report, WeightType::Q4_0, 18, 1, "products of a token, Q4_0");
    decode_products(report, WeightType::F16, 64, 1, "products of a token, F16");
    block_types(report);
    grid(report, 512, kernels::TilePooling::Max, 270, "grid, max");
    grid(report, 512, kernels::TilePooling::Mean, 270, "grid, mean");
    grid(report, 2048, kernels::TilePooling::Max, 27, "grid, max");
    attention(report, 512);
    attention(report, 2048);
    return 0;
}
