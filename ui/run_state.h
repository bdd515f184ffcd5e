// SPDX-License-Identifier: GPL-3.0-or-later
// What the engine is doing for the window, as one value: every button, key and sentence follows
// from it.
#pragma once

namespace ui {

enum class RunState {
    NoModel,
    Loading,     // a model is being opened
    Idle,        // a model is open and nothing is computed
    Prefilling,  // the prompt is being read
    Decoding,    // tokens stream
    Paused,      // between two steps; Run goes on
    Cancelling,  // stop was asked, the step in work ends first
    Failed,      // the last run failed; the model is still open and can run again
};

constexpr bool isBusy(RunState state) {
    return state == RunState::Loading || state == RunState::Prefilling ||
           state == RunState::Decoding || state == RunState::Cancelling;
}
constexpr bool hasModel(RunState state) {
    return state != RunState::NoModel && state != RunState::Loading;
}

}  // namespace ui
