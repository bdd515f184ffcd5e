// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "engine/values/ids.h"

namespace ui {

inline QString headName(engine::LayerHead at) {
    return QStringLiteral("L%1.H%2").arg(engine::to_int(at.layer)).arg(engine::to_int(at.head));
}

}  // namespace ui
