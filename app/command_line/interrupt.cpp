// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line/interrupt.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "app/files/output_file.h"

namespace app {
namespace {

constexpr int kPatience = 3000;  // ms from the first signal to the end, whatever is in work

std::atomic<int> firstSignal{0};
std::atomic<int> wakeUp{-1};
static_assert(std::atomic<int>::is_always_lock_free);

// Made before the handlers are: a handler may not put a text together.
std::array<char, 64> lastLine{};

[[noreturn]] void end(int code) {
    removeUnfinishedFile();
    [[maybe_unused]] const ssize_t said =
        ::write(STDERR_FILENO, lastLine.data(), std::strlen(lastLine.data()));
    ::_exit(code);
}

void onSignal(int signal) {
    const int saved = errno;
    int none = 0;
    if (!firstSignal.compare_exchange_strong(none, signal)) end(128 + signal);
    const char byte = 1;
    [[maybe_unused]] const ssize_t written = ::write(wakeUp.load(), &byte, 1);
    errno = saved;
}

void handle(int signal) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    // nohup stays in force. SIGINT is taken even so: a script's background jobs start with it
    // ignored.
    if (signal == SIGHUP && action.sa_handler == SIG_IGN) return;
    action = {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt(const std::string& who) {
    std::snprintf(lastLine.data(), lastLine.size(), "%s: interrupted\n", who.c_str());
    if (::pipe2(m_pipe.data(), O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe");
    firstSignal = 0;
    wakeUp = m_pipe[1];
    m_listener = std::thread([this] {
        char byte = 0;
        while (::read(m_pipe[0], &byte, 1) < 0 && errno == EINTR) {
        }
        if (byte == 0) return;
        m_stop.request_stop();
        // A large picture being drawn sees no stop: what goes on after a while is ended here.
        pollfd ended{m_pipe[0], POLLIN, 0};
        int ready = 0;
        while ((ready = ::poll(&ended, 1, kPatience)) < 0 && errno == EINTR) {
        }
        if (ready != 0) return;
        end(exitCode());
    });
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal);
}

Interrupt::~Interrupt() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
    const char byte = 0;
    [[maybe_unused]] const ssize_t written = ::write(m_pipe[1], &byte, 1);
    m_listener.join();
    ::close(m_pipe[0]);
    ::close(m_pipe[1]);
}

int Interrupt::exitCode() {
    const int signal = firstSignal.load();
    return 128 + (signal == 0 ? SIGINT : signal);
}

}  // namespace app
