// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "app/files/output_file.h"

namespace app {
namespace {

constexpr int kForever = -1, kPatience = 3000;  // ms from the first signal to the end

std::atomic<int> firstSignal{0};

// The next signal of `taken`, 0 if none came in time, -1 once `over` is written to.
int nextSignal(int taken, int over, int timeout) {
    std::array<pollfd, 2> ends{pollfd{taken, POLLIN, 0}, pollfd{over, POLLIN, 0}};
    int ready = 0;
    while ((ready = ::poll(ends.data(), ends.size(), timeout)) < 0 && errno == EINTR) {
    }
    if (ready == 0) return 0;
    signalfd_siginfo info{};
    if (ends[1].revents != 0 || ::read(taken, &info, sizeof info) != sizeof info) return -1;
    return static_cast<int>(info.ssi_signo);
}

// nohup stays in force. SIGINT is taken even where it is ignored: a script's background jobs start
// so.
sigset_t takenSignals() {
    sigset_t taken;
    ::sigemptyset(&taken);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action {};
        ::sigaction(signal, nullptr, &action);
        const bool ignored = action.sa_handler == SIG_IGN;
        if (signal == SIGHUP && ignored) continue;
        ::sigaddset(&taken, signal);
        if (ignored) ::signal(signal, SIG_DFL);
    }
    return taken;
}

[[noreturn]] void end(int code, const std::string& lastLine) {
    removeUnfinishedFile();
    [[maybe_unused]] const ssize_t said = ::write(STDERR_FILENO, lastLine.data(), lastLine.size());
    ::_exit(code);
}

int openedOrThrow(int file, const char* what) {
    if (file < 0) throw std::system_error(errno, std::generic_category(), what);
    return file;
}

}  // namespace

Interrupt::Interrupt(const std::string& who) : m_lastLine(who + ": interrupted\n") {
    firstSignal = 0;
    m_over = openedOrThrow(::eventfd(0, EFD_CLOEXEC), "eventfd");
    const sigset_t taken = takenSignals();
    ::pthread_sigmask(SIG_BLOCK, &taken, &m_before);
    m_signals = openedOrThrow(::signalfd(-1, &taken, SFD_CLOEXEC), "signalfd");
    m_listener = std::thread(&Interrupt::listen, this);
}

void Interrupt::listen() {
    const int first = nextSignal(m_signals, m_over, kForever);
    if (first <= 0) return;
    firstSignal = first;
    m_stop.request_stop();
    // A large picture being drawn sees no stop: what goes on after a while is ended here.
    const int second = nextSignal(m_signals, m_over, kPatience);
    if (second >= 0) end(128 + (second > 0 ? second : first), m_lastLine);
}

Interrupt::~Interrupt() {
    ::eventfd_write(m_over, 1);
    m_listener.join();
    ::pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    ::close(m_signals);
    ::close(m_over);
}

int Interrupt::exitCode() {
    const int signal = firstSignal.load();
    return 128 + (signal == 0 ? SIGINT : signal);
}

}  // namespace app
