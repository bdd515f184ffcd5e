// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as they stand in a table or a label. What is not 0 never reads as 0, and 0 has no sign.
#pragma once
#include <QString>

namespace ui {

// "0.818", "−0.004" with U+2212; "1.0e-6" where all decimals would be zeros; "–" for NaN.
QString plainNumber(double value, int decimals);
// A share on a bar, in as few signs as it takes: ".17", "1", "2e-6".
QString shareNumber(double value);

// How far off something is: "6e-7", "0".
QString errorNumber(float value);

}  // namespace ui
