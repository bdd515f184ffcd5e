// SPDX-License-Identifier: GPL-3.0-or-later
// What a CUDA call says, as an exception. A launch is checked for what can be known at once (its
// configuration); a fault inside a kernel shows at the next call that waits for its stream.
#pragma once
#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace kernels::cuda {

class CudaError : public std::runtime_error {
  public:
    CudaError(cudaError_t code, const char* what)
        : std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code)), code_(code) {}
    cudaError_t code() const { return code_; }

  private:
    cudaError_t code_;
};

inline void check(cudaError_t code, const char* what) {
    if (code != cudaSuccess) throw CudaError(code, what);
}

inline void check_launch(const char* kernel) {
    check(cudaGetLastError(), kernel);
}

// For arguments that no kernel takes: the message holds the numbers.
inline void require(bool holds, const std::string& otherwise) {
    if (!holds) throw std::invalid_argument(otherwise);
}

}  // namespace kernels::cuda
