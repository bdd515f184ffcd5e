# SPDX-License-Identifier: GPL-3.0-or-later
# Included by engine/CMakeLists.txt: the CUDA engine as a module of its own, built where nvcc is. It
# is opened only where there is a device (engine/device.cpp), so what libtorch_cuda needs itself may
# be missing here.
if(NOT TARGET headscope_cuda_kernels OR NOT TARGET LibTorch::cuda)
    return()
endif()
file(GLOB cuda_engine_sources CONFIGURE_DEPENDS cuda/*.cpp)
add_library(headscope_cuda_engine SHARED ${cuda_engine_sources})
target_link_libraries(headscope_cuda_engine
    PUBLIC headscope_options
    PRIVATE headscope_engine headscope_cuda_kernels headscope_formats headscope_families
        headscope_tokenizer LibTorch::cuda)
# Beside the engine, which opens it, and the program.
set_target_properties(headscope_cuda_engine headscope_cuda_kernels PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
