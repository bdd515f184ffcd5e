// SPDX-License-Identifier: GPL-3.0-or-later
// Opens libheadscope_engine.so, which brings libtorch with it (0.5 s, nearly all of it dynamic
// linking), on first use: never before a window is shown, never for --help. Any thread; the module
// is never unloaded, as engines live in it.
#pragma once
#include <memory>
#include <stop_token>
#include <string>

#include "engine/engine.h"

namespace app {

// Called once at the start of main, before there is a second thread: bounds how long compute
// threads spin for each other. The OpenMP runtime's default spins for a millisecond and more, which
// stands still where another program holds the core (measured with two cores and a load of 17: 53 s
// instead of 7); on an idle machine a few microseconds are enough to meet. The user's own setting
// wins.
void boundComputeSpinning();

// As engine::open_engine and engine::inspect_model. Throws engine::Error also when the module
// itself cannot be loaded.
std::unique_ptr<engine::Engine> openEngine(const engine::OpenRequest&,
                                           const engine::OnProgress& = {}, std::stop_token = {});
engine::ModelInfo inspectModel(const std::string& path);

}  // namespace app
