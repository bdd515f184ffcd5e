# SPDX-License-Identifier: GPL-3.0-or-later
# The frame: window, run bar, strip, steps, next token, contributions.
foreach(part bars finder keys models prompt strip widgets window)
    headscope_test(frame_${part} ui/frame_${part}.cpp headscope_ui)
endforeach()
# Heads and runs side by side.
headscope_test(compare_widgets ui/compare_widgets.cpp headscope_ui)
headscope_test(run_alignment ui/run_alignment.cpp headscope_ui)
# The map side: grid, heatmap, read-out, scale, figures.
foreach(part geometry heatmap ranges spans grid fold text_figure threshold transposed)
    headscope_test(map_${part} ui/map_${part}.cpp headscope_ui)
endforeach()
headscope_test(figure_page ui/figure_page.cpp headscope_ui)
headscope_test(text_view ui/text_view.cpp headscope_ui)
headscope_test(text_spans ui/text_spans.cpp headscope_ui)
headscope_test(text_outlines ui/text_outlines.cpp headscope_ui)
headscope_test(reference_images ui/reference_images.cpp headscope_ui)
headscope_test(reference_pages ui/reference_pages.cpp headscope_ui)
headscope_test(palettes ui/palettes.cpp headscope_ui)
