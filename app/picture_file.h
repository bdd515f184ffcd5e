// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QImage>
#include <string>

#include "engine/values/model_info.h"

namespace app {

// The bytes of a PNG that says in itself what drew it and from which model, for the window and the
// command line alike. Throws engine::Error (OutOfMemory) naming `where` and `action` when the
// picture cannot be held.
QByteArray pngOf(QImage picture, const engine::ModelInfo& model, const std::string& where,
                 const std::string& action);

}  // namespace app
