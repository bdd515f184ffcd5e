// SPDX-License-Identifier: GPL-3.0-or-later
// The command line that writes the very file that the window would.
#pragma once
#include <string>

#include "app/session/session.h"
#include "engine/values/tile.h"
#include "ui/composer/figure_composer.h"
#include "ui/painting/figure.h"

namespace app {

struct FigureCommand {
    engine::ModelInfo model;
    RunView run;
    ui::FigureWish wish;
    ui::HeadFigure figure;        // its units, choice and range
    engine::TileRequest request;  // of its tiles
    std::string out;
};

// What a picture's file says that the run read: the prompt as typed, or, where the command gives
// token ids, the text of these tokens.
std::string promptText(const RunView&);
// Why there is none; empty: there is one.
std::string whyNoCommand(const FigureCommand&);
// For a POSIX shell, on one line unless the prompt has more. Generated tokens are given by their
// ids: how they were sampled does not matter then.
std::string commandOf(const FigureCommand&);

}  // namespace app
