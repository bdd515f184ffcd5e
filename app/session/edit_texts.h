// SPDX-License-Identifier: GPL-3.0-or-later
// The edits of a run in the window's words, and the toggles that change them.
#pragma once
#include <QString>
#include <QStringList>

#include "app/session/session.h"
#include "engine/values/edits.h"

namespace app {

QString editText(const engine::HeadEdit&);  // "L3.H2 off", "L3.H2 × 0.5 at 9–29", "L3.H2 patched"
QString editText(const engine::EdgeEdit&);    // "L3.H2: 13 ← 9 forbidden"
QStringList editTexts(const engine::Edits&);  // heads, then edges, in their order
QString shortEditText(const engine::Edits&);  // "L3.H2 off, L4.H0 off and 3 more"; empty: none

// "fork of A at 3", "L3.H2 off", "fork of B at 3 · L3.H2 off"; `first` of a run that is neither.
QString originOf(const RunView&, const QString& first);

bool isAblated(const engine::Edits&, engine::LayerHead);  // off at every row
void toggleAblation(engine::Edits&, engine::LayerHead);
// The edge edit that holds all of these cells; null: none.
const engine::EdgeEdit* forbids(const engine::Edits&, const engine::EdgeEdit&);
void toggleEdge(engine::Edits&, const engine::EdgeEdit&);  // takes away the one that holds it
void removeEdit(engine::Edits&, int index);                // of editTexts()

}  // namespace app
