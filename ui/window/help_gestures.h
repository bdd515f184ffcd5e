// SPDX-License-Identifier: GPL-3.0-or-later
// What the key overlay lists beside the menus' keys: the keys of a view that has the focus, and
// what the mouse does.
#pragma once
#include <span>

namespace ui {

struct GestureHelp {
    const char16_t *where, *gesture, *does;
};

std::span<const GestureHelp> viewKeys();
std::span<const GestureHelp> mouseGestures();

}  // namespace ui
