// SPDX-License-Identifier: GPL-3.0-or-later
// One selection, one broadcast: every view follows it, no view knows another.
#pragma once
#include <QMetaType>

#include "engine/values/ids.h"

namespace ui {

struct Selection {
    engine::RunId run{};
    engine::LayerHead at;     // the focused head
    engine::Position dest{};  // selected row
    engine::Position src{};   // selected column
    bool locked = false;      // a cell was clicked; hovering previews and never moves it
    bool operator==(const Selection&) const = default;
};

}  // namespace ui

Q_DECLARE_METATYPE(ui::Selection)
