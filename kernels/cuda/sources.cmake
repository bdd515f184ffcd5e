# SPDX-License-Identifier: GPL-3.0-or-later
# Included by kernels/CMakeLists.txt: the CUDA twins as a module of their own, where there is an nvcc.
# A machine without a GPU checks that they compile, which one architecture does: -DHEADSCOPE_CUDA_ARCHITECTURES=80-real.
set(HEADSCOPE_CUDA AUTO CACHE STRING "The CUDA kernels: AUTO (where nvcc is found), ON or OFF")
set_property(CACHE HEADSCOPE_CUDA PROPERTY STRINGS AUTO ON OFF)
set(HEADSCOPE_CUDA_ARCHITECTURES "80;90a-real" CACHE STRING
    "What the CUDA kernels are compiled for; 80 is machine code for Ampere and PTX for all that came after")
if(HEADSCOPE_CUDA STREQUAL "OFF")
    return()
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
    if(HEADSCOPE_CUDA STREQUAL "ON")
        message(FATAL_ERROR "HEADSCOPE_CUDA is ON, but no nvcc was found: install CUDA 13.0 or set CMAKE_CUDA_COMPILER")
    endif()
    message(STATUS "No nvcc: the CUDA kernels are left out")
    return()
endif()
if(CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)

add_library(headscope_cuda_kernels SHARED
    cuda/append.cu cuda/attend.cu cuda/attend_step.cu cuda/contribution.cu cuda/metrics.cu cuda/paths.cu
    cuda/product.cu cuda/tile.cu)
target_include_directories(headscope_cuda_kernels PUBLIC ${CMAKE_SOURCE_DIR})
target_compile_features(headscope_cuda_kernels PUBLIC cuda_std_20)
# One runtime a process: libtorch brings the shared one.
set_target_properties(headscope_cuda_kernels PROPERTIES
    CUDA_ARCHITECTURES "${HEADSCOPE_CUDA_ARCHITECTURES}" CUDA_RUNTIME_LIBRARY Shared CUDA_EXTENSIONS OFF)
target_compile_options(headscope_cuda_kernels PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
if(HEADSCOPE_WERROR)
    target_compile_options(headscope_cuda_kernels PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
target_link_libraries(headscope_cuda_kernels PUBLIC CUDA::cudart)
