// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <string>

namespace ui {

// As visibleToken, for text that is read: spaces, tabs and line ends stay, and so do the joiners
// that emoji and scripts are written with.
QString readableText(const std::string& bytes);

}  // namespace ui
