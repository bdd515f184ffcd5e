// SPDX-License-Identifier: GPL-3.0-or-later
// Room for the program's stacks whatever `ulimit -s` says: kernels keep their blocks on the stack
// of each compute thread, the main thread's among them.
#pragma once

namespace app {

// First thing in main(), before any thread. Threads get the usual 8 MB, or more where the limit is
// higher; the main thread's limit is raised as far as the system lets it. Throws engine::Error
// where that leaves it less than 1 MB.
void makeStackRoom();

}  // namespace app
