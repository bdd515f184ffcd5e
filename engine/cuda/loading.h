// SPDX-License-Identifier: GPL-3.0-or-later
// Weights to the device: mapped from the file, through pinned staging, several at a time, so that
// the file's pages are read ahead of the copies. Blocks are decoded on the way.
#pragma once
#include <functional>
#include <memory>
#include <stop_token>

#include "engine/cuda/device_model.h"
#include "engine/model/model.h"

namespace engine::cuda {

// What the kernels of the trace lack for this model, by name; empty: nothing.
std::string lacking(const ModelConfig&, kernels::Element);
// Why the chain of fused kernels does not take a model that is not lacking(); empty: it does.
std::string beyond_chain(const ModelConfig&, kernels::Element);

// Of the weights in `element`, with the tables that stand beside them.
std::int64_t device_bytes(const ModelConfig&, kernels::Element, bool tied_head);

// `mapped` is the model as the CPU engine maps it: roles, rows in half-split order. On the current
// device. progress is called with bytes of the file done of all; throws Cancelled.
std::shared_ptr<const DeviceModel> load_to_device(
    const Model& mapped, kernels::Element,
    const std::function<void(std::int64_t done, std::int64_t total)>& progress, std::stop_token);

// A model of this shape with random weights, for measuring: no file holds it.
std::shared_ptr<const DeviceModel> random_model(const ModelConfig&, kernels::Element);

}  // namespace engine::cuda
