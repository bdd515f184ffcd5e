// SPDX-License-Identifier: GPL-3.0-or-later
// What is typed while it is typed: how the prompt would be read, and which token is meant.
#include <algorithm>

#include "app/command_line/cli_text.h"
#include "app/view/main_view.h"
#include "ui/contributions/logits_panel.h"
#include "ui/contributions/token_picker.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/prompt/prompt_preview.h"

namespace app {

namespace {

// Runs of earlier prompts make room, so that all of the pool counts.
void tellNeed(ui::PromptPreview& preview, const engine::ModelInfo& model, std::int64_t generate) {
    if (preview.tokens > model.context) {
        preview.shortProblem =
            QStringLiteral("%1 of %2 tokens")
                .arg(ui::thousands(preview.tokens), ui::thousands(model.context));
        preview.problem = QStringLiteral("%1 tokens, and the model's context holds %2")
                              .arg(ui::thousands(preview.tokens), ui::thousands(model.context));
        preview.remedy = QStringLiteral("Shorten the prompt.");
        return;
    }
    if (model.bytes_per_token <= 0 || model.page_tokens <= 0 || model.pages <= 0) return;
    const auto pagesFor = [&](std::int64_t tokens) {
        return (tokens + model.page_tokens - 1) / model.page_tokens;
    };
    const auto bytesOf = [&](std::int64_t pages) {
        return QString::fromStdString(
            humanBytes(pages * model.page_tokens * model.bytes_per_token));
    };
    const std::int64_t tokens = std::min(model.context, preview.tokens + generate);
    const std::int64_t pages = pagesFor(tokens);
    preview.need = QStringLiteral("%1 of %2").arg(bytesOf(pages), bytesOf(model.pages));
    preview.needsMuch = pages * 10 > model.pages;
    if (pages <= model.pages) return;
    preview.shortProblem = preview.need;
    preview.problem =
        QStringLiteral("%1 tokens%2 need %3")
            .arg(ui::thousands(tokens),
                 generate > 0 ? QStringLiteral(", those to generate included,") : QString(),
                 preview.need);
    preview.remedy = pagesFor(preview.tokens) > model.pages
                         ? QStringLiteral(
                               "Shorten the prompt, or raise the settings' memory for "
                               "the trace.")
                         : QStringLiteral(
                               "Generate fewer tokens, shorten the prompt, or raise the "
                               "settings' memory for the trace.");
}

}  // namespace

void MainView::wirePreview() {
    ui::PromptPanel* bar = &m_window->promptPanel();
    connect(bar, &ui::PromptPanel::previewWanted, this, [this, bar] {
        m_session.previewPrompt(bar->prompt().toStdString(), bar->tokenOptions());
    });
    connect(&m_session, &Session::promptPreviewed, bar, [this, bar](const PromptPreview& of) {
        ui::PromptPreview preview;
        preview.text = QString::fromStdString(of.text);
        preview.options = of.options;
        preview.tokens = of.tokens;
        preview.controls = ui::textMarks(of.text, of.controls);
        if (of.failure) preview.problem = QString::fromStdString(of.failure->what);
        if (m_session.model() && !of.failure)
            tellNeed(preview, *m_session.model(), bar->tokensToGenerate());
        bar->setPreview(preview);
    });

    connect(&m_window->logitsPanel(), &ui::LogitsPanel::lookUpWanted, this,
            [this](const QString& typed, bool distractor) {
                m_session.lookUpToken(typed.toStdString(), distractor);
            });
    connect(&m_session, &Session::tokenLookedUp, this, [this](const TypedToken& of) {
        m_window->logitsPanel().setAnswer(of.distractor,
                                          {QString::fromStdString(of.typed), of.token,
                                           QString::fromStdString(of.why), of.completions});
    });
}

}  // namespace app
