// SPDX-License-Identifier: GPL-3.0-or-later
// What libheadscope_cuda_engine.so exports by plain names. The engine opens it where there is a
// device (engine/device.h); it stays loaded.
#pragma once
#include <stop_token>
#include <string>

#include "engine/engine.h"
#include "engine/families/family.h"

extern "C" {
// As engine::open_engine on a CUDA device of this process's numbering. Null where this engine lacks
// something that the model needs, which *lacks then names.
engine::Engine* headscope_open_cuda_engine(const engine::OpenRequest* request, int device,
                                           const engine::OnProgress* on_progress,
                                           const std::stop_token* stop, std::string* lacks);
// What the device is and what would fit there, into *info, which holds what does not depend on it.
// False where headscope_open_cuda_engine would give null.
bool headscope_inspect_on_cuda(int device, const engine::formats::Checkpoint* checkpoint,
                               const engine::families::ModelPlan* plan, engine::ModelInfo* info,
                               std::string* lacks);
// For tests: false runs a decode step's kernels one by one instead of as a graph.
void headscope_use_cuda_graphs(bool);
}
