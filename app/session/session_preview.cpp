// SPDX-License-Identifier: GPL-3.0-or-later
// A prompt while it is typed.
#include "app/session/session.h"

namespace app {

void Session::previewPrompt(const std::string& text, const engine::TokenizeOptions& options) {
    if (m_model) m_engine.preview(text, options);
}

void Session::handle(const PromptPreview& preview) {
    Q_EMIT promptPreviewed(preview);
}

}  // namespace app
