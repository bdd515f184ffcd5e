// SPDX-License-Identifier: GPL-3.0-or-later
// The window's way in. main.cpp has made sure that there is a display and that the arguments are
// right.
#pragma once
#include <optional>
#include <string>

#include "engine/values/dtype.h"

namespace app {

struct WindowArguments {
    std::optional<std::string> model;   // a path as typed; none: the picker
    std::optional<std::string> prompt;  // read at once when a model is open
    // For this start, whatever the settings say; none: as they say.
    std::optional<std::string> device;
    std::optional<engine::DType> dtype;
    std::optional<int> threads;
    bool verbose = false;  // log what is done and how long it took to stderr
};

// Makes the QApplication and shows the window; returns the exit code. argv is Qt's (argv[0] only).
int runWindow(int argc, char** argv, const WindowArguments&);

}  // namespace app
