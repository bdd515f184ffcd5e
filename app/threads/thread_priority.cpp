// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/threads/thread_priority.h"

#include <sys/resource.h>
#include <unistd.h>

namespace app {

void yieldToTheWindow() {
    constexpr int belowNormal = 5;
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), belowNormal);
}

}  // namespace app
