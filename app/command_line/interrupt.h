// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl-C for the verbs: the first asks everything to stop (nothing half-written, exit 130);
// three seconds later, or at a second one, the process ends whatever it does. SIGTERM and SIGHUP
// are treated alike (143, 129).
#pragma once
#include <signal.h>

#include <atomic>
#include <stop_token>
#include <string>
#include <thread>

namespace app {

// One a process, made before other threads: they inherit that these signals are blocked, and only
// the listener takes them, as something to read. A handler would run on the stack of whatever
// thread the kernel picks, and oneDNN's generated products do not survive that: 3.10 on AVX2 keeps
// data below its stack pointer, which a handler's frame overwrites.
class Interrupt {
  public:
    // who: begins the line that stderr gets where the verb can no longer say it itself.
    explicit Interrupt(const std::string& who = "headscope");
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    std::stop_token token() const { return m_stop.get_token(); }
    static int exitCode();  // 128 + the signal that came; 130 if none did

  private:
    void listen();

    const std::string m_lastLine;
    std::stop_source m_stop;
    sigset_t m_before{};  // the mask of the thread that made this
    int m_signals = -1, m_over = -1;
    std::thread m_listener;
};

}  // namespace app
