// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/prompt_preview.h"

#include "app/threads/engine_worker.h"

namespace app {

PromptPreview previewOf(const engine::Engine& engine, std::string text,
                        const engine::TokenizeOptions& options) {
    PromptPreview preview{std::move(text), options, 0, {}, {}};
    try {
        const engine::Encoding asked = engine.tokenize(preview.text, options);
        preview.tokens = std::ssize(asked.tokens);
        engine::TokenizeOptions parsed = options;
        parsed.parse_special = true;
        const engine::Encoding other =
            options.parse_special ? engine::Encoding() : engine.tokenize(preview.text, parsed);
        for (const engine::Token& token : options.parse_special ? asked.tokens : other.tokens)
            if (token.control && token.start < token.end)  // not the template's own
                preview.controls.emplace_back(token.start, token.end);
    } catch (...) {
        preview.failure = currentFailure("prompt");
    }
    return preview;
}

}  // namespace app
