// SPDX-License-Identifier: GPL-3.0-or-later
// Without a display Qt ends the program with a core dump (status 134). These end it with a sentence
// and status 1.
#pragma once

namespace app {

// Throws engine::Error Device when nothing says where a window could be shown.
void requireDisplay();

// For what only Qt can find out (a display that does not answer, a plugin that does not load): its
// fatal message becomes one line, which names the display, and exit code 1. What Qt's platform code
// says before it is shown too, where the program is to be verbose. Call before the QApplication.
void failInOneLineWithoutPlatform();

// For the verbs, whose stderr is theirs alone, and for the window unless it is to be verbose:
// besides the above, Qt's warnings are not shown.
void silenceQt();

}  // namespace app
