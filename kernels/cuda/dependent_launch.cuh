// SPDX-License-Identifier: GPL-3.0-or-later
// Programmatic dependent launch: on Hopper and later a kernel's blocks may start while those of the
// one before drain, so that weights stream without a gap. Whoever is launched through launch()
// calls await_predecessor() before touching what the kernel before it writes or still reads, and
// start_dependents() only after that. So what was enqueued two or more launches ago is complete
// from the first instruction on: positions, block tables and earlier keys may be read ahead.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <utility>

#include "kernels/cuda_check.h"

namespace kernels::cuda {

__device__ inline void start_dependents() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ inline void await_predecessor() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// What an earlier kernel wrote, past the first cache: a block that started early may share it with
// blocks that read the place before.
__device__ inline float fresh(const float* from) {
    return __ldcg(from);
}
__device__ inline __half fresh(const __half* from) {
    return __ldcg(from);
}
__device__ inline __nv_bfloat16 fresh(const __nv_bfloat16* from) {
    return __ldcg(from);
}
__device__ inline std::int64_t read_position(const std::int64_t* from) {
    return __ldcg(reinterpret_cast<const long long*>(from));
}

// Of the current device.
inline bool has_dependent_launch() {
    int device = 0, major = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
          "compute capability");
    return major >= 9;
}

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, unsigned threads, std::int64_t shared,
            cudaStream_t stream, const char* name, Arguments&&... arguments) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = static_cast<std::size_t>(shared);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = has_dependent_launch() ? 1 : 0;
    check(cudaLaunchKernelEx(&config, kernel, Parameters(std::forward<Arguments>(arguments))...),
          name);
}

}  // namespace kernels::cuda
