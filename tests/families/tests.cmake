# SPDX-License-Identifier: GPL-3.0-or-later
headscope_test(tst_plan families/tst_plan.cpp headscope_families)
headscope_test(tst_plan_gguf families/tst_plan_gguf.cpp headscope_families)
headscope_test(tst_rope families/tst_rope.cpp headscope_families)
headscope_test(tst_refused_terms families/tst_refused_terms.cpp headscope_families)
headscope_test(tst_default_model families/tst_default_model.cpp headscope_families)
headscope_test(tst_score_cases families/tst_score_cases.cpp headscope_kernels)
