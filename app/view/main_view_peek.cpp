// SPDX-License-Identifier: GPL-3.0-or-later
// The head that the mouse rests on in the grid, larger and with its numbers.
#include <utility>

#include "app/view/main_view.h"
#include "ui/grid/head_grid.h"
#include "ui/grid/head_peek.h"
#include "ui/painting/number_text.h"
#include "ui/painting/theme.h"

namespace app {

void MainView::wirePeek() {
    m_peek = new ui::HeadPeek(m_grid);
    m_peek->setNumbers([this](engine::LayerHead at) { return numbersOf(at); });
    connect(m_peek, &ui::HeadPeek::wanted, &m_views, &TraceViews::peek);
    connect(m_peek, &ui::HeadPeek::dropped, &m_views, &TraceViews::dropPeek);
    connect(&m_views, &TraceViews::peekReady, m_peek, [this](const engine::Tile& tile) {
        const auto layer =
            static_cast<std::size_t>(engine::to_int(tile.request.heads.front().layer));
        const auto& rules = m_session.model()->attention;
        m_peek->setTile(tile, layer < rules.size() ? rules[layer].window : 0);
    });
    connect(&m_session, &Session::runOpened, m_peek, &ui::HeadPeek::leave);
    connect(&m_session, &Session::modelOpened, m_peek, &ui::HeadPeek::leave);
    // A key moves on to another head.
    connect(&m_session, &Session::selectionChanged, m_peek,
            [this, last = engine::LayerHead{}](const ui::Selection& now) mutable {
                if (std::exchange(last, now.at) != now.at) m_peek->leave();
            });
}

// As far as they are there; of contributions those of the selected dest.
std::vector<ui::HeadPeek::Number> MainView::numbersOf(engine::LayerHead at) const {
    std::vector<ui::HeadPeek::Number> numbers;
    const auto add = [&](const QString& name, const std::vector<float>& values, int heads,
                         const auto& text) {
        const auto index =
            static_cast<std::size_t>(engine::to_int(at.layer) * heads + engine::to_int(at.head));
        if (index < values.size())
            numbers.push_back({name, text(static_cast<double>(values[index]))});
    };
    if (m_metrics) {
        const int heads = m_metrics->query_heads;
        add(QStringLiteral("sink"), m_metrics->sink, heads,
            [](double v) { return ui::plainNumber(v, 3); });
        add(QStringLiteral("entropy"), m_metrics->entropy, heads,
            [](double v) { return ui::plainNumber(v, 2) + QStringLiteral(" nat"); });
        add(QStringLiteral("mean distance"), m_metrics->distance, heads,
            [](double v) { return ui::plainNumber(v, 1) + QStringLiteral(" tokens"); });
    }
    if (const auto& table = m_views.contributions(); table && table->run == m_session.run().id) {
        const QString row = ui::thousands(engine::to_int(table->position));
        add(QStringLiteral("‖write‖ at %1").arg(row), table->head_norm, table->query_heads,
            [](double v) { return ui::plainNumber(v, 2); });
        add(QStringLiteral("logit attribution at %1").arg(row), table->head_attribution,
            table->query_heads, [](double v) { return ui::signedNumber(v, 3); });
    }
    return numbers;
}

}  // namespace app
