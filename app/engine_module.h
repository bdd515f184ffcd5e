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

// As engine::open_engine and engine::inspect_model. Throws engine::Error also when the module
// itself cannot be loaded.
std::unique_ptr<engine::Engine> openEngine(const engine::OpenRequest&,
                                           const engine::OnProgress& = {}, std::stop_token = {});
engine::ModelInfo inspectModel(const std::string& path);

}  // namespace app
