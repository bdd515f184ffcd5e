// SPDX-License-Identifier: GPL-3.0-or-later
// One selection, one broadcast: every view follows it, no view knows another.
#pragma once
#include <QDataStream>
#include <QMetaType>

#include "engine/values/ids.h"

// Signals carry positions. Qt streams an enum through its underlying type and has no overload for
// long, which is what std::int64_t is here; these stand in, so that the meta type compiles.
namespace engine {
inline QDataStream& operator<<(QDataStream& out, Position position) {
    return out << static_cast<qint64>(to_int(position));
}
inline QDataStream& operator>>(QDataStream& in, Position& position) {
    qint64 value = 0;
    in >> value;
    position = Position{value};
    return in;
}
}  // namespace engine

namespace ui {

struct Selection {
    engine::RunId run{};
    engine::LayerHead at;     // the focused head
    engine::Position dest{};  // selected row
    engine::Position src{};   // selected column
    bool locked = false;      // a cell was clicked; hovering previews and never moves it
    bool srcByHand = false;   // else the program suggests it, and no view scrolls to it
    bool operator==(const Selection&) const = default;
};

}  // namespace ui

Q_DECLARE_METATYPE(ui::Selection)
