# SPDX-License-Identifier: GPL-3.0-or-later
headscope_test(test_attention kernels/test_attention.cpp headscope_kernels Threads::Threads)
