// SPDX-License-Identifier: GPL-3.0-or-later
// Who speaks in a run that a chat template has made, by its tokens' own text.
#pragma once
#include <QString>
#include <vector>

#include "engine/values/run.h"

namespace ui {

struct ChatTurn {
    engine::Rows tokens;
    QString role;  // "user"; empty: it names none
};

// Those of spanEdges' turns, in order; none for a run in which no turn names its role. A role is
// the word of the control token that opens a turn (‹|user|›) or the line after one
// (‹|im_start|›user), where it is one of those that chat templates have.
std::vector<ChatTurn> chatTurns(const std::vector<engine::Token>&);

// Null where the token is in none.
const ChatTurn* turnOf(const std::vector<ChatTurn>&, std::int64_t token);

}  // namespace ui
