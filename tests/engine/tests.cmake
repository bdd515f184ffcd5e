# SPDX-License-Identifier: GPL-3.0-or-later
headscope_test(tiny_models_test engine/tiny_models_test.cpp headscope_engine
    nlohmann_json::nlohmann_json)
headscope_test(default_model_test engine/default_model_test.cpp headscope_engine headscope_formats
    nlohmann_json::nlohmann_json)
headscope_test(runs_test engine/runs_test.cpp headscope_engine nlohmann_json::nlohmann_json)
headscope_test(trace_oracle_test engine/trace_oracle_test.cpp headscope_engine
    nlohmann_json::nlohmann_json)
headscope_test(edits_test engine/edits_test.cpp headscope_engine nlohmann_json::nlohmann_json)
headscope_test(step_text_test engine/step_text_test.cpp headscope_engine)
headscope_test(lost_file_test engine/lost_file_test.cpp headscope_engine)
headscope_test(long_prompt_test engine/long_prompt_test.cpp headscope_engine
    nlohmann_json::nlohmann_json)
headscope_test(views_test engine/views_test.cpp headscope_engine)
headscope_test(device_test engine/device_test.cpp headscope_engine)
headscope_test(families_test engine/families_test.cpp headscope_engine headscope_formats
    nlohmann_json::nlohmann_json)
headscope_test(quantized_test engine/quantized_test.cpp headscope_engine headscope_formats
    nlohmann_json::nlohmann_json)

# The same tables on a GPU, in fp32. Without one they are skipped, and CTest says so.
if(TARGET headscope_cuda_engine)
    foreach(part tiny_models default_model runs trace_oracle views families edits)
        add_dependencies(${part}_test headscope_cuda_engine)
        add_test(NAME cuda_${part}_test COMMAND ${part}_test)
        set_tests_properties(cuda_${part}_test PROPERTIES LABELS "engine"
            SKIP_REGULAR_EXPRESSION "SKIP   :"
            ENVIRONMENT "HEADSCOPE_TEST_DEVICE=cuda;GOMP_SPINCOUNT=1000")
    endforeach()
    headscope_test(cuda_engine_test engine/cuda_engine_test.cpp headscope_engine
        ${CMAKE_DL_LIBS})
    add_dependencies(cuda_engine_test headscope_cuda_engine)
    set_tests_properties(cuda_engine_test PROPERTIES SKIP_REGULAR_EXPRESSION "SKIP   :")
    headscope_test(cuda_family_views_test engine/cuda_family_views_test.cpp headscope_engine
        headscope_formats)
    add_dependencies(cuda_family_views_test headscope_cuda_engine)
    set_tests_properties(cuda_family_views_test PROPERTIES SKIP_REGULAR_EXPRESSION "SKIP   :")
    headscope_test(cuda_reader_test engine/cuda_reader_test.cpp headscope_engine)
    add_dependencies(cuda_reader_test headscope_cuda_engine)
    # As tests' -Wno-array-bounds.
    target_compile_options(cuda_reader_test PRIVATE
        $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>)
    set_tests_properties(cuda_reader_test PROPERTIES SKIP_REGULAR_EXPRESSION "SKIP   :")
endif()
