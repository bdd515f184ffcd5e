# SPDX-License-Identifier: GPL-3.0-or-later
foreach(test tokenizer_ids pre_tokenizer bpe control_strings chat_template tokenizer_files
        sentencepiece gguf_tokenizer)
    headscope_test(tst_${test} tokenizer/tst_${test}.cpp headscope_tokenizer
        nlohmann_json::nlohmann_json)
endforeach()

# What tests/tools/compare_tokenizers.py asks; not a test.
add_executable(encode_lines EXCLUDE_FROM_ALL tokenizer/encode_lines.cpp)
target_link_libraries(encode_lines PRIVATE headscope_tokenizer headscope_options)
