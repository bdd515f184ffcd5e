// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl-C for the verbs: the first asks everything to stop (nothing half-written, exit 130);
// three seconds later, or at a second one, the process ends whatever it does. SIGTERM and SIGHUP
// are treated alike (143, 129).
#pragma once
#include <array>
#include <atomic>
#include <stop_token>
#include <string>
#include <thread>

namespace app {

// One a process, made before other threads.
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
    std::stop_source m_stop;
    std::array<int, 2> m_pipe{-1, -1};  // a handler may only write(); this thread asks for the stop
    std::thread m_listener;
};

}  // namespace app
