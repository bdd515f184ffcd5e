# SPDX-License-Identifier: GPL-3.0-or-later
headscope_test(tst_gguf_quants formats/tst_gguf_quants.cpp headscope_formats)
headscope_test(tst_block_types formats/tst_block_types.cpp headscope_formats headscope_kernels)
headscope_test(tst_find_models formats/tst_find_models.cpp headscope_formats)
headscope_test(tst_safetensors formats/tst_safetensors.cpp headscope_formats)
headscope_test(tst_gguf formats/tst_gguf.cpp headscope_formats)
headscope_test(tst_checkpoint formats/tst_checkpoint.cpp headscope_formats)
headscope_test(tst_mutated_files formats/tst_mutated_files.cpp headscope_formats headscope_families)
