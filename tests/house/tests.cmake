# SPDX-License-Identifier: GPL-3.0-or-later
headscope_test(tst_layering house/tst_layering.cpp)
headscope_test(tst_house_rules house/tst_house_rules.cpp)
headscope_test(tst_format house/tst_format.cpp)
set_tests_properties(tst_format PROPERTIES SKIP_REGULAR_EXPRESSION "SKIP   :")
