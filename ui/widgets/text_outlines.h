// SPDX-License-Identifier: GPL-3.0-or-later
// An SVG whose text is drawn, for readers without its fonts: the same picture everywhere, but no
// words to select or to edit.
#pragma once
#include <QByteArray>

namespace ui {

// What QSvgGenerator wrote, each text element turned into a path that says its text in aria-label.
// A text without outlines (colour emoji are bitmaps) stays text. GUI thread: needs the fonts.
QByteArray withOutlinedText(const QByteArray& svg);

}  // namespace ui
