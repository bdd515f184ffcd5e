// SPDX-License-Identifier: GPL-3.0-or-later
// Where an engine computes. The CUDA engine is a module of its own, opened on first use and only
// where the driver names a device that it can use.
#pragma once
#include <memory>
#include <stop_token>
#include <string>

#include "engine/engine.h"
#include "engine/families/family.h"

namespace engine {

struct DeviceChoice {
    bool cuda = false;
    int index = 0;       // of the CUDA device
    std::string why;     // not CUDA although it was asked for, or was looked for: the reason
    bool asked = false;  // CUDA was asked for by name
};
// device: "cpu", "cuda", "cuda:N" or "auto". Throws BadRequest for another word, or where there are
// devices and N is none of them.
DeviceChoice choose_device(const std::string& device);

// Null where the CUDA engine lacks something that the model needs: choice.why then names it.
std::unique_ptr<Engine> open_on_cuda(DeviceChoice& choice, const OpenRequest&, const OnProgress&,
                                     std::stop_token);
bool inspect_on_cuda(DeviceChoice& choice, const formats::Checkpoint&, const families::ModelPlan&,
                     ModelInfo&);

}  // namespace engine
