# SPDX-License-Identifier: GPL-3.0-or-later
# Included by kernels/CMakeLists.txt. The vectorized files are compiled once an instruction set, in
# a namespace each.
target_sources(headscope_kernels PRIVATE cpu/dispatch.cpp cpu/isa.cpp)

set(vectorized
    cpu/append.cpp cpu/attend.cpp cpu/contribution.cpp cpu/decode_rows.cpp cpu/elementwise.cpp
    cpu/gemv.cpp cpu/metrics.cpp cpu/table.cpp cpu/tile.cpp)

# headscope_kernel_build(NAME FLAGS...)
function(headscope_kernel_build name)
    set(target headscope_kernels_${name})
    add_library(${target} OBJECT ${vectorized})
    target_link_libraries(${target} PRIVATE headscope_options)
    target_compile_definitions(${target} PRIVATE HEADSCOPE_ISA=${name})
    # The language standard turns contraction off, and errors through traps or errno are nobody's
    # interest here. NaN, infinities and the order of sums keep their meaning. No -Wpsabi: vectors
    # pass between inlined functions only. Under a sanitizer -O3 costs minutes of compiling and
    # gains nothing.
    if(HEADSCOPE_SANITIZE)
        set(optimize -O1)
    else()
        set(optimize $<$<NOT:$<CONFIG:Debug>>:-O3>)
    endif()
    target_compile_options(${target} PRIVATE ${optimize} -fno-trapping-math -ffp-contract=fast
        -Wno-psabi ${ARGN})
    target_sources(headscope_kernels PRIVATE $<TARGET_OBJECTS:${target}>)
endfunction()

headscope_kernel_build(portable)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    headscope_kernel_build(avx2 -march=x86-64-v3)
    # g++ 12 takes its own header's _mm512_undefined_ps for a use of an uninitialized value.
    headscope_kernel_build(avx512 -march=x86-64-v4 -mprefer-vector-width=512
        -Wno-maybe-uninitialized -Wno-uninitialized)
    target_compile_definitions(headscope_kernels PRIVATE HEADSCOPE_HAS_AVX2 HEADSCOPE_HAS_AVX512)
endif()
