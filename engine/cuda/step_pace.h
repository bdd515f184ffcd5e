// SPDX-License-Identifier: GPL-3.0-or-later
// How views and decode steps share a device. Views run at a higher priority, so a long one (the
// grid of all heads, a residual stream computed again) would stand in every step's way: while steps
// are being taken it gets a small share of their time, cut to launches, and is never starved.
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace engine::cuda {

class StepPace {
  public:
    // Engine thread, when a decode step begins.
    void stepped();

    // View threads. Returns when a launch may go beside the steps: at once while none are taken.
    void await_turn(const std::stop_token&);
    void used(double seconds);  // of the device, by a view

  private:
    using Clock = std::chrono::steady_clock;
    bool stepping(Clock::time_point now) const;

    std::mutex mutex_;
    std::condition_variable turned_;
    Clock::time_point newest_{};
    double interval_ = 0;  // seconds from step to step, smoothed; 0 before two of them
    double balance_ = 0;   // seconds that views may use; below 0 they wait
};

}  // namespace engine::cuda
