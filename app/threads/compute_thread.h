// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace app {

// For the calling thread and the compute threads that it will start, which inherit both.
// Below the window's thread (Linux's nice value is a thread's own): the window stays live while all
// cores compute. What cannot be lowered runs as it is.
// No signal's handler, whoever set it: oneDNN's generated products do not survive one on their
// stack (app/command_line/interrupt.h). Faults of the thread itself still come.
void becomeComputeThread();

}  // namespace app
