// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/find_models.h"
#include "engine/module.h"

void headscope_find_models(const char* folder, std::vector<engine::FoundModel>* out) {
    *out = engine::formats::find_models(folder);
}
