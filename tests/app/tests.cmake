# SPDX-License-Identifier: GPL-3.0-or-later
foreach(part arguments out_path safetensors verbs interrupt program lost_file device browse close)
    headscope_test(cli_${part}_test app/cli_${part}_test.cpp headscope_app)
endforeach()
# A driver that says what a test wants, in the place of the machine's own.
add_library(stub_cuda SHARED support/stub_cuda.cpp)
set_target_properties(stub_cuda PROPERTIES OUTPUT_NAME cuda SOVERSION 1
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/stub_cuda)
target_link_libraries(stub_cuda PRIVATE headscope_options)
target_compile_definitions(cli_device_test PRIVATE
    STUB_CUDA_FOLDER="${CMAKE_CURRENT_BINARY_DIR}/stub_cuda")
add_dependencies(cli_device_test stub_cuda)
# Closes the program's window from within, at a moment of its choice.
add_library(closer MODULE support/closer.cpp)
set_target_properties(closer PROPERTIES AUTOMOC ON
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/closer/generic)
target_link_libraries(closer PRIVATE headscope_options Qt6::Widgets)
target_compile_definitions(cli_close_test PRIVATE
    CLOSER_FOLDER="${CMAKE_CURRENT_BINARY_DIR}/closer")
add_dependencies(cli_close_test closer)
foreach(part interrupt program lost_file device browse close)
    target_compile_definitions(cli_${part}_test PRIVATE
        HEADSCOPE_PROGRAM="$<TARGET_FILE:headscope>")
    add_dependencies(cli_${part}_test headscope)
endforeach()
foreach(part worker worker_reader session session_fork session_views export_files export_cancel
        file_dialog session_file prompt_history cache_folder code_snippet window_remembered
        window_saved window_models window_kept models_found qt_warnings compare_jobs)
    headscope_test(${part}_test app/${part}_test.cpp headscope_app)
endforeach()
# The real window, and the verbs, on the real engine: linked here, where the program opens it as a
# module.
headscope_test(window_test app/window_test.cpp headscope_app headscope_engine)
headscope_test(window_runs_test app/window_runs_test.cpp headscope_app headscope_engine)
headscope_test(window_keys_test app/window_keys_test.cpp headscope_app headscope_engine)
headscope_test(window_prompt_test app/window_prompt_test.cpp headscope_app headscope_engine)
headscope_test(window_restored_test app/window_restored_test.cpp headscope_app headscope_engine)
headscope_test(window_session_test app/window_session_test.cpp headscope_app headscope_engine)
headscope_test(cli_info_test app/cli_info_test.cpp headscope_app headscope_engine)
headscope_test(cli_edits_test app/cli_edits_test.cpp headscope_app headscope_engine)
headscope_test(window_heads_test app/window_heads_test.cpp headscope_app headscope_engine)
headscope_test(range_job_test app/range_job_test.cpp headscope_app headscope_engine)
headscope_test(window_ranges_test app/window_ranges_test.cpp headscope_app headscope_engine)
headscope_test(window_numbers_test app/window_numbers_test.cpp headscope_app headscope_engine)
headscope_test(window_fold_test app/window_fold_test.cpp headscope_app headscope_engine)
headscope_test(window_edits_test app/window_edits_test.cpp headscope_app headscope_engine)
headscope_test(window_compare_test app/window_compare_test.cpp headscope_app headscope_engine)
headscope_test(window_compare_prompts_test app/window_compare_prompts_test.cpp
    headscope_app headscope_engine)
headscope_test(window_compare_docks_test app/window_compare_docks_test.cpp
    headscope_app headscope_engine)
headscope_test(export_options_test app/export_options_test.cpp headscope_app headscope_engine)
headscope_test(window_compose_test app/window_compose_test.cpp headscope_app headscope_engine)
headscope_test(window_compare_states_test app/window_compare_states_test.cpp
    headscope_app headscope_engine)
headscope_test(window_spans_test app/window_spans_test.cpp headscope_app headscope_engine)
headscope_test(window_sizes_test app/window_sizes_test.cpp headscope_app headscope_engine)
headscope_test(window_scales_test app/window_scales_test.cpp headscope_app headscope_engine)
headscope_test(window_target_test app/window_target_test.cpp headscope_app headscope_engine)
headscope_test(window_threshold_test app/window_threshold_test.cpp
    headscope_app headscope_engine)
headscope_test(window_transposed_test app/window_transposed_test.cpp
    headscope_app headscope_engine)
headscope_test(window_peek_test app/window_peek_test.cpp headscope_app headscope_engine)
headscope_test(window_preview_test app/window_preview_test.cpp headscope_app headscope_engine)
headscope_test(cli_memory_test app/cli_memory_test.cpp headscope_app headscope_engine)
# The first start where it fails; without a network, and skipped where set-up knows no way.
add_test(NAME setup_failures
    COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/app/setup_failures.sh)
set_tests_properties(setup_failures PROPERTIES LABELS app SKIP_RETURN_CODE 77 TIMEOUT 900)
