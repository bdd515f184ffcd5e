// SPDX-License-Identifier: GPL-3.0-or-later
// A prompt, or a token, while it is typed.
#include "app/session/session.h"

namespace app {

void Session::previewPrompt(const std::string& text, const engine::TokenizeOptions& options) {
    if (m_model) m_engine.preview(text, options);
}

void Session::handle(const PromptPreview& preview) {
    Q_EMIT promptPreviewed(preview);
}

void Session::lookUpToken(const std::string& typed, bool distractor) {
    if (m_model) m_engine.lookUp(typed, distractor);
}

void Session::handle(const TypedToken& token) {
    Q_EMIT tokenLookedUp(token);
}

}  // namespace app
