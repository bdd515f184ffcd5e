// SPDX-License-Identifier: GPL-3.0-or-later
// What libheadscope_engine.so exports by plain names, so that a program can open it after its
// window is shown. Exceptions (engine::Error, engine::Cancelled) pass through. The module stays
// loaded: an Engine's code lives in it.
#pragma once
#include <stop_token>
#include <vector>

#include "engine/engine.h"
#include "engine/values/device_list.h"
#include "engine/values/found_model.h"

extern "C" {
// As engine::open_engine; the caller owns the result. `on_progress` and `stop` may be null.
engine::Engine* headscope_open_engine(const engine::OpenRequest* request,
                                      const engine::OnProgress* on_progress,
                                      const std::stop_token* stop);
// As engine::inspect_model, into *out.
void headscope_inspect_model(const char* path, const char* device, engine::ModelInfo* out);
// What a request's device may name beside the CPU, into *out. Asks the driver; opens nothing.
void headscope_list_devices(engine::DeviceList* out);
// The models that lie in a folder or a Hugging Face cache, so many folders deep, by name and size,
// nothing opened; throws engine::Error where the folder cannot be read. headscope_inspect_model
// says whether one is supported, from its headers. *left_out, which may be null, says what was not
// looked at.
void headscope_find_models(const char* folder, int levels, std::vector<engine::FoundModel>* out,
                           std::string* left_out);
// The tensors that a supported model's files hold beside its own; throws as open_engine does.
void headscope_extra_tensors(const char* path, std::vector<std::string>* names);
}
