// SPDX-License-Identifier: GPL-3.0-or-later
// What the model picker says of a model.
#pragma once
#include <QString>

#include "engine/values/model_info.h"

namespace ui {

// Name and storage type.
QString modelName(const engine::ModelInfo&);

// One line: name, storage type, size, "supported" or "not supported".
QString modelEntry(const engine::ModelInfo&);

// Where it lies, and why it cannot be opened.
QString modelEntryTip(const engine::ModelInfo&);

}  // namespace ui
