// SPDX-License-Identifier: GPL-3.0-or-later
// The Finder's scatter as a picture to export: its axes and points with a title and what the
// colours are. GUI thread with a QApplication (any platform), no window.
#pragma once
#include <QString>

#include "ui/finder/head_scatter.h"
#include "ui/widgets/drawing.h"

namespace ui {

struct ScatterFigure {
    HeadScatter::Look look;
    QString title;  // plain text, as the note
    QString note;   // "logit attr. of ·John at 13 ·to"; may be empty
    Scheme scheme = Scheme::Light;
};

// `model` must outlive the drawing.
Drawing drawingOf(const ScatterFigure&, const FinderModel& model);

}  // namespace ui
