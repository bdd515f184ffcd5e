// SPDX-License-Identifier: GPL-3.0-or-later
// The keys that select a span in the token strip.
#pragma once
#include <cstdint>
#include <optional>

class QKeyEvent;

namespace ui {

// By how many tokens a key moves the end of the span: Shift+←, →, with Ctrl by ten, Shift+Home, End
// to the ends. None: no such key.
std::optional<std::int64_t> spanStep(const QKeyEvent&);

}  // namespace ui
