# SPDX-License-Identifier: GPL-3.0-or-later
foreach(part arguments safetensors verbs interrupt program)
    headscope_test(cli_${part}_test app/cli_${part}_test.cpp headscope_app)
endforeach()
target_compile_definitions(cli_program_test PRIVATE HEADSCOPE_PROGRAM="$<TARGET_FILE:headscope>")
add_dependencies(cli_program_test headscope)
foreach(part worker worker_reader session session_fork session_views export_files file_dialog
        window_saved)
    headscope_test(${part}_test app/${part}_test.cpp headscope_app)
endforeach()
# The real window on the real engine: linked here, where the program opens it as a module.
headscope_test(window_test app/window_test.cpp headscope_app headscope_engine)
headscope_test(window_runs_test app/window_runs_test.cpp headscope_app headscope_engine)
if(HEADSCOPE_SANITIZE STREQUAL "thread")
    set_tests_properties(worker_test worker_reader_test session_test session_fork_test
        session_views_test
        PROPERTIES ENVIRONMENT
        "QT_QPA_PLATFORM=offscreen;TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/tsan.supp")
endif()
