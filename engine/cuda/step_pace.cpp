// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/step_pace.h"

#include <algorithm>

namespace engine::cuda {
namespace {

constexpr double share = 0.04;         // of the steps' time
constexpr double most_saved = 2e-3;    // seconds; one launch, not a burst of them
constexpr double longest_step = 0.25;  // seconds; what is further apart is not a stream of steps

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

}  // namespace

void StepPace::stepped() {
    const auto now = Clock::now();
    {
        const std::lock_guard lock(mutex_);
        const double apart = seconds_between(newest_, now);
        newest_ = now;
        if (apart > longest_step) {
            interval_ = 0;
            balance_ = 0;
        } else {
            interval_ = interval_ == 0 ? apart : 0.8 * interval_ + 0.2 * apart;
            balance_ = std::min(balance_ + share * apart, most_saved);
        }
    }
    turned_.notify_all();
}

bool StepPace::stepping(Clock::time_point now) const {
    return interval_ > 0 && seconds_between(newest_, now) < std::max(4 * interval_, 0.02);
}

void StepPace::await_turn(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (stepping(Clock::now()) && balance_ < 0 && !stop.stop_requested())
        turned_.wait_for(lock, std::chrono::milliseconds(5));
}

void StepPace::used(double seconds) {
    const std::lock_guard lock(mutex_);
    // What is used while no steps are taken is nobody's.
    if (stepping(Clock::now())) balance_ -= seconds;
}

}  // namespace engine::cuda
