// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace app {

// Lowers the calling thread below the window's thread, and with it the compute threads that it will
// start, which inherit: the window stays live while all cores compute. Linux's nice value is a
// thread's own. What cannot be lowered runs as it is.
void yieldToTheWindow();

}  // namespace app
