// SPDX-License-Identifier: GPL-3.0-or-later
// What a prompt would be read as, before it is run.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace app {

struct PromptPreview {
    std::string text;
    engine::TokenizeOptions options;
    std::int64_t tokens = 0;  // scaffolding of the template and BOS included
    // Bytes of the text, in order, that are control strings of the model: read as its tokens with
    // parse_special, without it only what they would be.
    std::vector<std::pair<std::int64_t, std::int64_t>> controls;
    std::optional<engine::Failure> failure;  // why it cannot be read
};

// On the engine thread: some 0.1 s a MB of text.
PromptPreview previewOf(const engine::Engine&, std::string text, const engine::TokenizeOptions&);

}  // namespace app
