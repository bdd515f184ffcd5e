# SPDX-License-Identifier: GPL-3.0-or-later
foreach(part arguments safetensors verbs interrupt program lost_file)
    headscope_test(cli_${part}_test app/cli_${part}_test.cpp headscope_app)
endforeach()
foreach(part program lost_file)
    target_compile_definitions(cli_${part}_test PRIVATE
        HEADSCOPE_PROGRAM="$<TARGET_FILE:headscope>")
    add_dependencies(cli_${part}_test headscope)
endforeach()
foreach(part worker worker_reader session session_fork session_views export_files file_dialog
        window_saved)
    headscope_test(${part}_test app/${part}_test.cpp headscope_app)
endforeach()
# The real window, and the verbs, on the real engine: linked here, where the program opens it as a
# module.
headscope_test(window_test app/window_test.cpp headscope_app headscope_engine)
headscope_test(window_runs_test app/window_runs_test.cpp headscope_app headscope_engine)
headscope_test(cli_memory_test app/cli_memory_test.cpp headscope_app headscope_engine)
