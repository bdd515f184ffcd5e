# SPDX-License-Identifier: GPL-3.0-or-later
foreach(test tokenizer_ids pre_tokenizer bpe control_strings chat_template tokenizer_files)
    headscope_test(tst_${test} tokenizer/tst_${test}.cpp headscope_tokenizer
        nlohmann_json::nlohmann_json)
endforeach()
