// SPDX-License-Identifier: GPL-3.0-or-later
// Opens libheadscope_engine.so, which brings libtorch with it (0.5 s, nearly all of it dynamic
// linking), on first use: never before a window is shown, never for --help. Any thread; the module
// is never unloaded, as engines live in it.
#pragma once
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/values/device_list.h"
#include "engine/values/found_model.h"

namespace app {

// The file that this process runs.
std::string programPath();

// The first thing in main: bounds how long compute threads spin for each other. The OpenMP
// runtime's default spins for a millisecond and more, which stands still where another program
// holds the core (measured with two cores and a load of 17: 53 s instead of 7); on an idle machine
// a few microseconds are enough to meet. The runtime reads its variables before main, as Qt brings
// it along, so that a program without the variable starts itself again with it (in about 60 ms,
// once: children inherit it). The user's own setting wins; without /proc the default stays.
void boundComputeSpinning(char** argv);

// As engine::open_engine and engine::inspect_model. Throws engine::Error also
// when the module itself cannot be loaded.
std::unique_ptr<engine::Engine> openEngine(const engine::OpenRequest&,
                                           const engine::OnProgress& = {}, std::stop_token = {});
engine::ModelInfo inspectModel(const std::string& path);
engine::DeviceList listDevices();  // GPUs
// As headscope_find_models and headscope_extra_tensors of engine/module.h.
std::vector<engine::FoundModel> findModels(const std::string& folder, int levels,
                                           std::string* leftOut = nullptr);
std::vector<std::string> extraTensors(const std::string& path);

}  // namespace app
