# SPDX-License-Identifier: GPL-3.0-or-later
headscope_test(test_attention kernels/test_attention.cpp headscope_kernels Threads::Threads)
headscope_test(test_append kernels/test_append.cpp headscope_kernels Threads::Threads)
headscope_test(test_gemv kernels/test_gemv.cpp headscope_kernels Threads::Threads)
headscope_test(test_elementwise kernels/test_elementwise.cpp headscope_kernels Threads::Threads)
headscope_test(test_contribution_kernels kernels/test_contribution_kernels.cpp headscope_kernels
    Threads::Threads)
headscope_test(test_tile_kernel kernels/test_tile_kernel.cpp headscope_kernels Threads::Threads)
headscope_test(test_metrics_kernel kernels/test_metrics_kernel.cpp headscope_kernels
    Threads::Threads)

# Prints medians beside what the machine can do; not a test.
add_executable(bench_kernels EXCLUDE_FROM_ALL kernels/bench_kernels.cpp)
target_link_libraries(bench_kernels PRIVATE headscope_kernels headscope_options Threads::Threads)

# The CUDA twins on the same tables. Without a device they are skipped, and CTest says so.
if(TARGET headscope_cuda_kernels)
    foreach(part append attention tile head_table projection product)
        headscope_test(cuda_${part}_test kernels/cuda_${part}_test.cpp headscope_cuda_kernels)
        set_tests_properties(cuda_${part}_test PROPERTIES SKIP_REGULAR_EXPRESSION "SKIP   :")
    endforeach()
    add_executable(cuda_bench EXCLUDE_FROM_ALL kernels/cuda_bench.cpp
        kernels/cuda_bench_steps.cpp kernels/cuda_bench_views.cpp)
    target_link_libraries(cuda_bench PRIVATE headscope_cuda_kernels headscope_options)
endif()
