# SPDX-License-Identifier: GPL-3.0-or-later
# Included by the top CMakeLists.txt: a language is enabled there or its features are not known
# below.
# A machine without a GPU checks that the CUDA twins compile, which PTX alone does in half the time:
# -DHEADSCOPE_CUDA_ARCHITECTURES=80-virtual.
set(HEADSCOPE_CUDA AUTO CACHE STRING "The CUDA kernels: AUTO (where nvcc is found), ON or OFF")
set_property(CACHE HEADSCOPE_CUDA PROPERTY STRINGS AUTO ON OFF)
set(HEADSCOPE_CUDA_ARCHITECTURES "80;90a-real" CACHE STRING
    "What the CUDA kernels are compiled for; 80: machine code for Ampere and PTX for all after")
if(HEADSCOPE_CUDA STREQUAL "OFF")
    return()
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
    if(HEADSCOPE_CUDA STREQUAL "ON")
        message(FATAL_ERROR "HEADSCOPE_CUDA is ON, but no nvcc was found: install CUDA 13.0 or set "
            "CMAKE_CUDA_COMPILER")
    endif()
    message(STATUS "No nvcc: the CUDA kernels are left out")
    return()
endif()
if(CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()
enable_language(CUDA)
# CMake 3.25 does not know that nvcc 12 and later have C++20.
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
