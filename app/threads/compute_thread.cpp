// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/threads/compute_thread.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <initializer_list>

namespace app {

void becomeComputeThread() {
    constexpr int belowNormal = 5;
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), belowNormal);
    sigset_t all;
    ::sigfillset(&all);
    for (const int fault : {SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS})
        ::sigdelset(&all, fault);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace app
