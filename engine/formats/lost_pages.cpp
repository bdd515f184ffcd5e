// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/lost_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace engine::formats {
namespace {

struct Slot {
    std::atomic<bool> taken{false};
    std::atomic<std::uintptr_t> begin{0};  // 0: nothing is guarded here
    std::atomic<std::uintptr_t> end{0};
    std::atomic<bool> lost{false};
};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);

std::array<Slot, 4096> slots;
struct sigaction before {};  // whose turn it is where the address is none of ours
std::uintptr_t page_bytes = 4096;

// Only what may be called in a handler; mmap is a plain system call on Linux.
bool put_zeros(void* at) {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    for (Slot& slot : slots) {
        const std::uintptr_t begin = slot.begin.load(), end = slot.end.load();
        // The second look: meanwhile the slot may have gone to another mapping.
        if (begin == 0 || address < begin || address >= end || slot.begin.load() != begin) continue;
        slot.lost = true;
        // All that follows too: a file is cut at its end, and one fault is dearer than one page.
        const std::uintptr_t into_page = address % page_bytes;
        return ::mmap(static_cast<std::byte*>(at) - into_page, end - address + into_page, PROT_READ,
                      MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
    }
    return false;
}

// Another copy of this code in the process, or a crash reporter. One that runs once only, or the
// default, gets the signal from the same access, which then comes again.
void pass_on(int signal, siginfo_t* info, void* context) {
    const bool lasting = (before.sa_flags & SA_SIGINFO) != 0 &&
                         (before.sa_flags & static_cast<int>(SA_RESETHAND)) == 0;
    if (lasting)
        before.sa_sigaction(signal, info, context);
    else
        ::sigaction(signal, &before, nullptr);
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
    const int saved = errno;
    if (info->si_code != BUS_ADRERR || !put_zeros(info->si_addr)) pass_on(signal, info, context);
    errno = saved;
}

void install() {
    page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    ::sigaction(SIGBUS, &action, &before);
}

}  // namespace

LostPages::LostPages(const std::byte* data, std::size_t size) {
    static std::once_flag installed;
    std::call_once(installed, install);
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (slots[i].taken.exchange(true)) continue;
        const auto begin = reinterpret_cast<std::uintptr_t>(data);
        slots[i].lost = false;
        slots[i].end = begin + size;
        slots[i].begin = begin;
        slot_ = static_cast<int>(i);
        return;
    }
}

LostPages::~LostPages() {
    if (slot_ < 0) return;
    Slot& slot = slots[static_cast<std::size_t>(slot_)];
    slot.begin = 0;
    slot.taken = false;
}

bool LostPages::any() const noexcept {
    return slot_ >= 0 && slots[static_cast<std::size_t>(slot_)].lost.load();
}

}  // namespace engine::formats
