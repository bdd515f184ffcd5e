// SPDX-License-Identifier: GPL-3.0-or-later
// Lengths and dots of writes of many bf16 rows, on Hopper: a block keeps one head's R, split in two
// bf16 parts (a relative 2^-17 of an element, and these errors cancel in a length), and its four
// warpgroups walk the rows 64 at a time, the next ones coming in meanwhile.
#include "kernels/cuda/contribution_forms.cuh"
#include "kernels/cuda/hopper_wide.cuh"

namespace kernels::cuda {

namespace {

constexpr int group_count = 4, forms_threads = group_count * 128, strip = 64;
constexpr std::int64_t block_rows = 4096, least_rows = 256;

template <int Dim>
constexpr int part_bytes = wide_keys* Dim * 2;
template <int Dim>
constexpr int strip_bytes = strip* Dim * 2;

// R's rows as keys are laid out; rows from Dim on are 0.
template <int Dim>
__device__ inline void split_factor(std::byte* high, const float* r) {
    for (int at = static_cast<int>(threadIdx.x); at < wide_keys * Dim / 4; at += forms_threads) {
        const int row = at / (Dim / 4), column = at % (Dim / 4) * 4;
        const float4 x = row < Dim ? *reinterpret_cast<const float4*>(r + row * Dim + column)
                                   : float4{0, 0, 0, 0};
        const uint2 whole = {pack<bf16>(x.x, x.y), pack<bf16>(x.z, x.w)};
        const float2 a = unpack<bf16>(whole.x), b = unpack<bf16>(whole.y);
        const uint2 rest = {pack<bf16>(x.x - a.x, x.y - a.y), pack<bf16>(x.z - b.x, x.w - b.y)};
        const int piece = column % 64 / 8;
        std::byte* place = high + column / 64 * (wide_keys * 128) + row * 128 +
                           (piece ^ (row % 8)) * 16 + column % 8 * 2;
        *reinterpret_cast<uint2*>(place) = whole;
        *reinterpret_cast<uint2*>(place + part_bytes<Dim>) = rest;
    }
}

// Two lanes a row, every other 16 bytes.
template <int Dim>
__device__ inline float dot_of(const std::byte* rows, const float* p) {
    const int row = static_cast<int>(threadIdx.x % 128) / 2;
    float sum = 0;
#pragma unroll
    for (int piece = static_cast<int>(threadIdx.x % 2); piece < Dim / 8; piece += 2) {
        const std::byte* at =
            rows + piece / 8 * (strip * 128) + row * 128 + ((piece % 8) ^ (row % 8)) * 16;
        sum = dot8(*reinterpret_cast<const uint4*>(at), p + piece * 8, sum);
    }
    return sum + __shfl_xor_sync(0xffffffffu, sum, 1);
}

template <int Dim>
__global__ void __launch_bounds__(forms_threads, 1) hopper_forms_kernel(Forms all) {
#ifdef HEADSCOPE_HOPPER
    extern __shared__ __align__(16) std::byte memory[];
    __shared__ float direction[Dim];
    const Forms forms = all.of_layer();
    const auto head = static_cast<std::int32_t>(blockIdx.y);  // counted from first_head
    const std::uint32_t base = (shared_address(memory) + 1023) / 1024 * 1024;
    std::byte* start = memory + (base - shared_address(memory));
    if (forms.r != nullptr)
        split_factor<Dim>(start, forms.r + static_cast<std::int64_t>(head) * Dim * Dim);
    if (forms.p != nullptr)
        for (int i = static_cast<int>(threadIdx.x); i < Dim; i += forms_threads)
            direction[i] = forms.p[static_cast<std::int64_t>(head) * Dim + i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();

    const Rows<bf16> rows(forms.trace, forms.section, (forms.first_head + head) / forms.group);
    const int group = uniform(static_cast<int>(threadIdx.x) / 128),
              thread = static_cast<int>(threadIdx.x) % 128;
    const auto first =
        static_cast<std::int32_t>(forms.begin + static_cast<std::int64_t>(blockIdx.x) * block_rows);
    const std::int32_t limit =
        min(static_cast<std::int32_t>(forms.end), first + static_cast<std::int32_t>(block_rows));
    const int buffers = 2 * part_bytes<Dim> + group * 2 * strip_bytes<Dim>;
    std::int32_t begin = uniform(first + group * strip);
    if (begin < limit)
        start_slabs<bf16, Dim, strip, 128>(base + buffers, rows, begin, limit, thread);
    for (int turn = 0; begin < limit; begin += group_count * strip, turn ^= 1) {
        const std::int32_t next = begin + group_count * strip;
        const std::uint32_t at = base + buffers + turn * strip_bytes<Dim>;
        if (next < limit) {
            start_slabs<bf16, Dim, strip, 128>(base + buffers + (turn ^ 1) * strip_bytes<Dim>, rows,
                                               next, limit, thread);
            land_slabs<1>();
        } else {
            land_slabs<0>();
        }
        group_barrier(1 + group, 128);
        WideCells y;
        if (forms.r != nullptr) {
            multiply_tile<bf16, Dim>(y, at, base + part_bytes<Dim>);
            multiply_tile<bf16, Dim, true>(y, at, base);
        }
        if (forms.p != nullptr) {
            const float dot = dot_of<Dim>(start + buffers + turn * strip_bytes<Dim>, direction);
            const std::int32_t row = begin + thread / 2;
            if (thread % 2 == 0 && row < limit)
                forms.dot[(row - forms.begin) * forms.stride + head] = dot;
        }
        if (forms.r != nullptr) {
            await_products<0>(y);
            float squares[2] = {0, 0};
            add_squares(squares, y);
            write_lengths(forms, squares, head, begin + thread / 32 * 16 + thread % 32 / 4, limit);
        }
        group_barrier(1 + group, 128);  // the buffer may be written again
    }
#else
    __trap();  // never launched: see has_hopper_code
#endif
}

template <int Dim>
bool enqueue(const Forms& forms, std::int32_t heads, std::int32_t layers, cudaStream_t stream) {
    const auto kernel = hopper_forms_kernel<Dim>;
    if (!has_hopper_code(kernel)) return false;
    const std::int64_t bytes = 1024 + 2 * part_bytes<Dim> + group_count * 2 * strip_bytes<Dim>,
                       blocks = (forms.end - forms.begin + block_rows - 1) / block_rows;
    allow_shared(kernel, bytes, "contributions");
    kernel<<<dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(heads),
                  static_cast<unsigned>(layers)),
             forms_threads, static_cast<std::size_t>(bytes), stream>>>(forms);
    check_launch("contributions");
    return true;
}

}  // namespace

bool hopper_forms(const Forms& forms, std::int32_t heads, std::int32_t layers,
                  cudaStream_t stream) {
    if (forms.trace.element != Element::BF16 || forms.end - forms.begin < least_rows) return false;
    if (forms.trace.head_dim == 128) return enqueue<128>(forms, heads, layers, stream);
    if (forms.trace.head_dim == 64) return enqueue<64>(forms, heads, layers, stream);
    return false;
}

}  // namespace kernels::cuda
