# SPDX-License-Identifier: GPL-3.0-or-later
# The window's pictures of README, drawn by resources/gallery.sh: built only when asked for.
add_executable(gallery EXCLUDE_FROM_ALL tools/gallery.cpp)
target_link_libraries(gallery PRIVATE headscope_app headscope_engine headscope_options Qt6::Test)
target_compile_options(gallery PRIVATE ${window_test_options})
target_precompile_headers(gallery REUSE_FROM headscope_plot_test_headers)
set_target_properties(gallery PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
