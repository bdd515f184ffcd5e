// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/command_line/cli.h"

namespace app {

Verb infoVerb();
Verb tokenizeVerb();
Verb dumpVerb();
Verb exportVerb();
Verb benchVerb();

}  // namespace app
