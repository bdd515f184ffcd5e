// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "engine/cuda/device_model.h"
#include "engine/cuda/device_run.h"
#include "engine/cuda/step_pace.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/trace_reader.h"

namespace engine::cuda {

// Called on the engine thread with the model's device current; sets it again in each reader thread.
// pace: told of every decode step by whoever takes them.
std::shared_ptr<const TraceReader> make_cuda_trace_reader(
    std::shared_ptr<const DeviceModel>, std::shared_ptr<const tokenizer::Tokenizer>,
    std::shared_ptr<const DeviceRunTable>,
    std::shared_ptr<StepPace> pace = std::make_shared<StepPace>());

}  // namespace engine::cuda
