# SPDX-License-Identifier: GPL-3.0-or-later
headscope_test(test_attention kernels/test_attention.cpp headscope_kernels Threads::Threads)
headscope_test(test_append kernels/test_append.cpp headscope_kernels Threads::Threads)
headscope_test(test_gemv kernels/test_gemv.cpp headscope_kernels Threads::Threads)
headscope_test(test_elementwise kernels/test_elementwise.cpp headscope_kernels Threads::Threads)
headscope_test(test_contribution_kernels kernels/test_contribution_kernels.cpp headscope_kernels Threads::Threads)
