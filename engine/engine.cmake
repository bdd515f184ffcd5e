# SPDX-License-Identifier: GPL-3.0-or-later
file(GLOB engine_sources CONFIGURE_DEPENDS *.cpp model/*.cpp cache/*.cpp run/*.cpp analysis/*.cpp)
find_package(OpenMP REQUIRED COMPONENTS CXX)
add_library(headscope_engine SHARED ${engine_sources})
target_link_libraries(headscope_engine
    PUBLIC headscope_options
    PRIVATE headscope_formats headscope_families headscope_tokenizer headscope_kernels
        LibTorch::cpu)
target_compile_options(headscope_engine PRIVATE -fopenmp)
target_link_libraries(headscope_engine PRIVATE ${LibTorch_GOMP} ${CMAKE_DL_LIBS})
