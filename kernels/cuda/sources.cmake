# SPDX-License-Identifier: GPL-3.0-or-later
# Included by kernels/CMakeLists.txt: the CUDA twins as a module of their own, where there is an
# nvcc.
if(NOT CMAKE_CUDA_COMPILER_LOADED)
    return()
endif()
find_package(CUDAToolkit REQUIRED)

add_library(headscope_cuda_kernels SHARED
    cuda/append.cu cuda/attend.cu cuda/attend_step.cu cuda/contribution.cu cuda/draw.cu
    cuda/edit.cu cuda/elementwise.cu cuda/hopper_boxes.cu cuda/hopper_forms.cu cuda/hopper_views.cu
    cuda/hopper_wide.cu cuda/hopper_wide_bf16.cu cuda/hopper_wide_f16.cu cuda/merge.cu
    cuda/metrics.cu cuda/paths.cu cuda/product.cu cuda/projections.cu cuda/random.cu cuda/sample.cu
    cuda/tile.cu cuda/writes.cu)
target_include_directories(headscope_cuda_kernels PUBLIC ${CMAKE_SOURCE_DIR})
# One runtime a process: libtorch brings the shared one.
set_target_properties(headscope_cuda_kernels PROPERTIES
    CUDA_ARCHITECTURES "${HEADSCOPE_CUDA_ARCHITECTURES}" CUDA_RUNTIME_LIBRARY Shared
    CUDA_EXTENSIONS OFF)
target_compile_options(headscope_cuda_kernels PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
if(HEADSCOPE_WERROR)
    target_compile_options(headscope_cuda_kernels PRIVATE
        $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
target_link_libraries(headscope_cuda_kernels PUBLIC CUDA::cudart)
