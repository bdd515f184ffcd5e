// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/find_models.h"

#include "engine/families/family.h"
#include "engine/formats/checkpoint.h"
#include "engine/module.h"

void headscope_find_models(const char* folder, int levels, std::vector<engine::FoundModel>* out,
                           std::string* left_out) {
    *out = engine::formats::find_models(folder, levels, left_out);
}

void headscope_extra_tensors(const char* path, std::vector<std::string>* names) {
    *names = engine::families::plan_model(engine::formats::open_checkpoint(path)).unused;
}
