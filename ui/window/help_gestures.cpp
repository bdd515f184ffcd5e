// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/help_gestures.h"

namespace ui {

namespace {

constexpr GestureHelp keysOfViews[] = {
    {u"Prompt", u"Enter", u"run it, and back to the keys above"},
    {u"Prompt", u"Esc", u"back to them, what is typed stays"},
    {u"Prompt", u"↑  ↓", u"prompts that were run before, and back"},
    {u"Prompt’s editor", u"Ctrl+Enter", u"run it; Enter is a line’s end"},
    {u"Prompt’s editor", u"Esc", u"close it, what is typed stays"},
    {u"Strip", u"Shift+←  →", u"a span from the selected token on (Ctrl: by 10)"},
    {u"Strip", u"Shift+Home  End", u"up to the first, the last token"},
    {u"Steps", u"←  →", u"the step before, after"},
    {u"Steps", u"↑  ↓", u"another token in its place"},
    {u"Steps", u"Enter", u"go on with that token, in a run of its own"},
    {u"Steps", u"Esc", u"keep the token"},
    {u"Contributions", u"↑  ↓  Home  End", u"from bar to bar"},
    {u"Contributions", u"Enter", u"focus its head or layer"},
    {u"Finder’s filter", u"Enter", u"into the table"},
    {u"Finder’s filter", u"Esc", u"back to where / was pressed"},
    {u"Finder’s table", u"↑  ↓", u"focus a head"},
    {u"Finder’s table", u"Enter", u"its map"},
    {u"Overview", u"←  →  ↑  ↓", u"move the part that is shown"},
    {u"Pinned head", u"Space", u"focus it"},
    {u"Pinned head", u"Enter", u"its map alone"},
    {u"Pinned head", u"Delete", u"unpin it"},
};

constexpr GestureHelp mouse[] = {
    {u"Heads", u"Click", u"focus the head"},
    {u"Heads", u"Rest", u"its picture, larger, and its numbers"},
    {u"Heads", u"Ctrl+click", u"pin or unpin it"},
    {u"Heads", u"Double-click", u"its map alone"},
    {u"Heads", u"Ctrl+wheel", u"larger or smaller pictures"},
    {u"Heads, layer names", u"Drag, click", u"fold layers into one row, and back"},
    {u"Heads, KV names", u"Click", u"fold a group into one column, and back"},
    {u"Map", u"Wheel", u"zoom at the cursor"},
    {u"Map", u"Drag", u"pan what is zoomed"},
    {u"Map", u"Click", u"lock the cell: its dest and src are selected"},
    {u"Map", u"Double-click", u"the whole of it, then the map alone"},
    {u"Overview", u"Drag", u"move the part that is shown"},
    {u"Colour bar", u"Drag", u"draw cells of a smaller value as 0"},
    {u"Colour bar", u"Double-click", u"every cell in its own colour"},
    {u"Strip and text", u"Click", u"select the dest, or the src (D)"},
    {u"Strip and text", u"Ctrl+click", u"select the other end"},
    {u"Strip and text", u"Drag, Shift+click", u"a span for the Finder"},
    {u"Strip", u"Wheel", u"scroll"},
    {u"Steps", u"Click, drag", u"select a step’s row, scrub"},
    {u"Steps", u"Click an alternative", u"go on with that token, in a run of its own"},
    {u"Steps", u"Click a run", u"show it"},
    {u"Steps", u"Wheel", u"scroll"},
    {u"Contributions", u"Click", u"focus the bar’s head or layer"},
    {u"Finder’s table", u"Click a heading", u"sort; the grid’s badges follow"},
    {u"Finder’s table", u"Ctrl+click", u"pin or unpin the head"},
    {u"Finder’s table", u"Double-click", u"its map"},
    {u"Finder’s points", u"Click, drag", u"focus a head, select several"},
    {u"Pinned head", u"Click, Ctrl+click", u"focus it, unpin it"},
    {u"Window", u"Drop a file", u"open a model, a session, a text as prompt"},
};

}  // namespace

std::span<const GestureHelp> viewKeys() {
    return keysOfViews;
}

std::span<const GestureHelp> mouseGestures() {
    return mouse;
}

}  // namespace ui
