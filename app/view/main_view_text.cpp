// SPDX-License-Identifier: GPL-3.0-or-later
// The prompt as text, in the map's place: fed as the strip is, and its clicks are the strip's. What
// a token hovered in either of them attends to, or what attends to it, is shown there meanwhile.
#include <utility>

#include "app/view/main_view.h"
#include "ui/heatmap/head_page.h"
#include "ui/strip/text_view.h"
#include "ui/strip/token_strip.h"

namespace app {

using engine::Position;

void MainView::wireText() {
    ui::TextView* text = &m_page->textView();
    ui::TokenStrip* strip = &m_window->tokenStrip();
    connect(text, &ui::TextView::tokenClicked, strip, &ui::TokenStrip::tokenClicked);
    connect(text, &ui::TextView::spanRequested, strip, &ui::TokenStrip::setSpan);
    connect(strip, &ui::TokenStrip::spanChanged, text, &ui::TextView::setSpan);
    connect(strip, &ui::TokenStrip::directionChanged, text, &ui::TextView::setClicksSource);
    const auto preview = [this](const std::optional<Position>& position, bool asSource) {
        if (position)
            m_views.preview(*position, asSource);
        else
            m_views.dropPreview();
    };
    connect(text, &ui::TextView::previewWanted, this, preview);
    connect(strip, &ui::TokenStrip::tokenHovered, this, preview);
    connect(&m_views, &TraceViews::previewReady, text, &ui::TextView::setPreview);
    connect(&m_views, &TraceViews::previewReady, strip, &ui::TokenStrip::setPreview);
    connect(&m_views, &TraceViews::rowReady, text,
            [this, text](Position dest, const std::vector<float>& p) {
                if (dest == m_session.selection().dest) text->setRow(p);
            });
    connect(&m_views, &TraceViews::columnReady, text,
            [this, text](Position src, const std::vector<float>& p) {
                if (src == m_session.selection().src) text->setColumn(p);
            });
    connect(&m_session, &Session::selectionChanged, text,
            [text, strip, at = engine::LayerHead{}](const ui::Selection& selection) mutable {
                if (std::exchange(at, selection.at) == selection.at) return;
                text->forgetPreview();
                strip->forgetPreview();
            });
    m_asText = m_window->addViewAction(
        ui::Menu::View, QStringLiteral("Prompt as te&xt"), QKeySequence(Qt::Key_V),
        QStringLiteral("The prompt as text in the map's place: what the selected dest attends to, "
                       "what attends to the selected src"));
    m_asText->setCheckable(true);
    connect(m_asText, &QAction::toggled, m_page, &ui::HeadPage::setTextShown);
}

}  // namespace app
