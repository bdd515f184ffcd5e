// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/stack_room.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "app/command_line/cli_text.h"
#include "engine/values/failure.h"

namespace app {
namespace {

constexpr rlim_t usualStack = 8 << 20, leastStack = 1 << 20;

}  // namespace

void makeStackRoom() {
    // Of what is made without a size of its own: std::thread, QThread, libgomp's.
    pthread_attr_t threads;
    if (::pthread_getattr_default_np(&threads) == 0) {
        std::size_t bytes = 0;
        if (::pthread_attr_getstacksize(&threads, &bytes) == 0 && bytes < usualStack &&
            ::pthread_attr_setstacksize(&threads, usualStack) == 0)
            ::pthread_setattr_default_np(&threads);
        ::pthread_attr_destroy(&threads);
    }
    rlimit limit{};
    if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= usualStack) return;
    // The kernel asks for the limit when the stack grows, so what is raised now counts. Past the
    // hard limit only where this process may.
    const rlim_t most = std::max(limit.rlim_max, usualStack);
    rlimit raised{usualStack, most};
    if (::setrlimit(RLIMIT_STACK, &raised) == 0) return;
    raised = {std::min(limit.rlim_max, usualStack), limit.rlim_max};
    if (::setrlimit(RLIMIT_STACK, &raised) == 0) limit = raised;
    if (limit.rlim_cur < leastStack)
        throw engine::Error(engine::Failure::Kind::OutOfMemory,
                            "the stack may have " + std::to_string(limit.rlim_cur >> 10) +
                                " KB, and 1,024 are needed",
                            {}, "raise it with ulimit -s 8192");
}

}  // namespace app
