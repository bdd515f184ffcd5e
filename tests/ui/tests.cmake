# The frame: window, run bar, strip, steps, next token, contributions.
foreach(part models widgets window)
    headscope_test(frame_${part} ${CMAKE_CURRENT_LIST_DIR}/frame_${part}.cpp headscope_ui)
endforeach()
# The map side: grid, heatmap, read-out, scale, figures.
foreach(part geometry heatmap grid text_figure)
    headscope_test(map_${part} ${CMAKE_CURRENT_LIST_DIR}/map_${part}.cpp headscope_ui)
endforeach()
