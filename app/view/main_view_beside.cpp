// SPDX-License-Identifier: GPL-3.0-or-later
// While two runs are compared, the docks show both: what each would say next, and what each head
// and layer writes there, of the same target and distractor.
#include "app/view/main_view.h"
#include "ui/contributions/contribution_bars.h"
#include "ui/contributions/logits_panel.h"
#include "ui/painting/number_text.h"

namespace app {

void MainView::wireBeside() {
    const auto nameOf = [this](engine::RunId id) {
        const RunView* run = m_compare.run(id);
        return run ? QString::fromStdString(m_compare.nameOf(*run)) : QString();
    };
    connect(&m_compare, &CompareViews::tokensBesideReady, this,
            [this, nameOf](const ui::TokensBeside& tokens) {
                if (tokens.run != m_session.run().id) return;
                know(tokens.own);
                m_window->logitsPanel().setBeside(tokens, nameOf(tokens.run), nameOf(tokens.other));
            });
    connect(&m_compare, &CompareViews::contributionsBesideReady, this, &MainView::showBeside);
    connect(&m_compare, &CompareViews::besideChanged, this, [this] {
        m_window->logitsPanel().clearBeside();
        m_window->contributionBars().clearBeside();
    });
}

void MainView::showBeside(const engine::ContributionTable& other) {
    const auto& own = m_views.contributions();
    const auto now = m_compare.beside();
    if (!own || !now || now->run != other.run || now->position != other.position) return;
    const auto nameOf = [this](engine::RunId id) {
        const RunView* run = m_compare.run(id);
        return run ? QString::fromStdString(m_compare.nameOf(*run)) : QString();
    };
    m_window->contributionBars().setBeside(other, nameOf(own->run), nameOf(other.run));
    // The second of the pair less the first, as everywhere on the page.
    const auto& pair = *m_compare.pair();
    const double a = static_cast<double>(pair.a == own->run ? own->logit : other.logit),
                 b = static_cast<double>(pair.a == own->run ? other.logit : own->logit);
    m_window->logitsPanel().setBesideText(
        QStringLiteral("%1 %2 · %3 − %4 %5")
            .arg(nameOf(other.run), ui::signedNumber(static_cast<double>(other.logit), 3),
                 nameOf(pair.b), nameOf(pair.a), ui::signedNumber(b - a, 3)));
}

}  // namespace app
