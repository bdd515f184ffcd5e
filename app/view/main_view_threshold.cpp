// SPDX-License-Identifier: GPL-3.0-or-later
// Below which value cells take the colour of 0: typed, as it can be dragged on the colour bar.
#include "app/view/main_view.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/scale_column.h"
#include "ui/window/go_to_line.h"

namespace app {

namespace {

// A comma is a point to whoever types one. To six digits, which every note has the room to say;
// none: it is no magnitude.
std::optional<double> magnitudeOf(const QString& typed) {
    bool isNumber = false;
    const double value = typed.trimmed().replace(u',', u'.').toDouble(&isNumber);
    if (!isNumber || !(value >= 0) || value > ui::largestThreshold) return std::nullopt;
    return QString::number(value, 'g', 6).toDouble();
}

}  // namespace

void MainView::wireThreshold() {
    QAction* ask = m_window->addViewAction(
        ui::Menu::View, QStringLiteral("Threshold of the colo&urs…"), QKeySequence(Qt::Key_X),
        QStringLiteral("Cells of a smaller value take the colour of 0; their values stay"));
    connect(ask, &QAction::triggered, this, [this] {
        if (m_session.hasRun()) askThreshold();
    });
    m_askThreshold = new ui::GoToLine(
        m_window->centralWidget(),
        {QStringLiteral("Threshold"), QStringLiteral("Cells of a smaller value are drawn as 0"),
         QStringLiteral("0.05"), QStringLiteral("threshold")});
    connect(m_askThreshold, &ui::GoToLine::chosen, this, [this](const QString& typed) {
        if (const auto magnitude = magnitudeOf(typed))
            m_page->scaleColumn().chooseThreshold(*magnitude);
    });
}

void MainView::askThreshold() {
    m_askThreshold->open([this](const QString& typed) -> ui::GoToLine::Answer {
        const double now = m_page->scaleColumn().threshold();
        const QString what = m_page->scaleColumn().title();
        if (typed.trimmed().isEmpty())
            return {
                false,
                now > 0
                    ? QStringLiteral("Of %1 it is %2. 0: none.").arg(what, ui::thresholdNumber(now))
                    : QStringLiteral("Of %1 there is none.").arg(what)};
        const auto magnitude = magnitudeOf(typed);
        if (!magnitude) return {false, QStringLiteral("A number from 0 to 1e9, or 0 for none.")};
        if (*magnitude == 0) return {true, QStringLiteral("Every cell in its own colour.")};
        return {true, QStringLiteral("Of %1 what is nearer to 0 than %2 is drawn as 0; its values "
                                     "stay.")
                          .arg(what, ui::thresholdNumber(*magnitude))};
    });
}

}  // namespace app
