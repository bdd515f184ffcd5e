# The frame: window, run bar, strip, steps, next token, contributions.
foreach(part models widgets window)
    headscope_test(frame_${part} ${CMAKE_CURRENT_LIST_DIR}/frame_${part}.cpp headscope_ui)
endforeach()
