// SPDX-License-Identifier: GPL-3.0-or-later
// What the typed prompt would be read as, handed to the run bar.
#include "app/view/main_view.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/prompt/prompt_preview.h"

namespace app {

void MainView::wirePreview() {
    ui::PromptPanel* bar = &m_window->promptPanel();
    connect(bar, &ui::PromptPanel::previewWanted, this, [this, bar] {
        m_session.previewPrompt(bar->prompt().toStdString(), bar->tokenOptions());
    });
    connect(&m_session, &Session::promptPreviewed, bar, [bar](const PromptPreview& of) {
        ui::PromptPreview preview;
        preview.text = QString::fromStdString(of.text);
        preview.options = of.options;
        preview.tokens = of.tokens;
        preview.controls = ui::textMarks(of.text, of.controls);
        if (of.failure) preview.problem = QString::fromStdString(of.failure->what);
        bar->setPreview(preview);
    });
}

}  // namespace app
