// SPDX-License-Identifier: GPL-3.0-or-later
// The Finder's numbers and its scatter, and the Compare page's changes, as files.
#include <QFile>
#include <algorithm>

#include "app/files/head_data.h"
#include "app/files/output_file.h"
#include "app/view/main_view.h"
#include "ui/finder/head_finder.h"
#include "ui/finder/head_scatter.h"
#include "ui/finder/scatter_figure.h"
#include "ui/strip/token_strip.h"

namespace app {

void MainView::wireNumbers() {
    const auto entry = [this](const QString& text, const QString& tip, auto does) {
        connect(m_window->addViewAction(ui::Menu::Export, text, {}, tip), &QAction::triggered, this,
                [this, does] {
                    if (m_session.hasRun() && m_session.run().rows > 0) does();
                });
    };
    entry(QStringLiteral("All heads' &numbers…"),
          QStringLiteral("The Finder's measures of every head, or its scatter as a picture"),
          [this] { exportNumbers(); });
    entry(QStringLiteral("C&hanges of all heads…"),
          QStringLiteral("How far each head moved between the runs of the Compare page"), [this] {
              if (!m_compare.changes())
                  return m_window->setStateText(QStringLiteral(
                      "Nothing is compared: fork a run in Steps and open the Compare page"));
              choosePath(QStringLiteral("Export the changes of all heads"),
                         fileNameOf(figureTitle() + QStringLiteral("-changes"), ".csv"),
                         [this](const QString& path) { writeMoved(path); });
          });
}

void MainView::exportNumbers() {
    choosePath(QStringLiteral("Export all heads"),
               fileNameOf(figureTitle() + QStringLiteral("-heads"), ".csv"),
               [this](const QString& path) { writeNumbers(path); });
}

void MainView::writeNumbers(const QString& path) {
    const std::string file = QFile::encodeName(path).toStdString();
    const RunView& run = m_session.run();
    if (!m_session.hasRun() || run.rows == 0) return;  // gone while the dialog was open
    if (isPicture(*formatOf(file))) return drawScatter(file);
    std::vector<float> span;
    const ui::FinderModel& model = m_finder->model();
    if (m_window->tokenStrip().span() && model.isKnown(ui::HeadMetric::Span))
        for (int row = 0; row < model.heads(); ++row)
            span.push_back(static_cast<float>(model.value(row, ui::HeadMetric::Span).value_or(0)));
    const auto position = static_cast<engine::Position>(
        std::min<std::int64_t>(engine::to_int(m_session.selection().dest), run.rows - 1));
    // The whole of it anew: the table on screen was summed as the rows came in.
    const engine::MetricsRequest metrics{{}, run.id, {0, run.rows}};
    const engine::ContributionRequest contributions{
        {}, run.id, position, m_views.chosenTarget(), m_views.distractor()};
    write(file,
          [=, span = std::move(span), reader = m_session.reader()](const ExportJob::Order& order) {
              OutputFile out(order.path, 0);
              writeHeads(out, *formatOf(order.path),
                         {reader->metrics(metrics, order.stop),
                          reader->contributions(contributions), span});
              out.commit();
          });
}

void MainView::drawScatter(const std::string& path) {
    ui::ScatterFigure figure;
    figure.look = m_finder->scatter().look();
    const auto name = [](ui::HeadMetric metric) { return ui::infoOf(metric).name; };
    const QString axes = name(figure.look.y) + QStringLiteral(" over ") + name(figure.look.x);
    figure.title = figureTitle() + QStringLiteral(" · ") + axes;
    if (const auto& table = m_views.contributions()) {
        figure.note = QStringLiteral("logit attribution of ") + textOf(table->target);
        if (table->distractor) figure.note += QStringLiteral(" − ") + textOf(table->distractor);
        figure.note += QStringLiteral(" at ") + m_window->tokenStrip().label(table->position);
    }
    const QString subject = QStringLiteral("all heads, %1, colour %2, %3 rows, %4")
                                .arg(axes, name(figure.look.colour))
                                .arg(m_session.run().rows)
                                .arg(figure.note);
    writePicture(ui::drawingOf(figure, m_finder->model()), path, subject.toStdString());
}

void MainView::writeMoved(const QString& path) {
    const std::string file = QFile::encodeName(path).toStdString();
    const auto& changes = m_compare.changes();
    if (!changes) return;  // gone while the dialog was open
    if (isPicture(*formatOf(file)))
        return showExportFailure({engine::Failure::Kind::Io, "changes are written as numbers", file,
                                  "name the file .csv or .npy"});
    std::int64_t dest = engine::to_int(m_session.selection().dest);
    ui::ChangeTable table = *changes;
    if (const auto by = m_compare.alignment()) {  // the file's numbers are positions of the second
        const engine::RunId shown = m_session.run().id;
        const auto& pair = *m_compare.pair();
        dest = pair.a == shown   ? by->placeOf(0, dest)
               : pair.b == shown ? by->placeOf(1, dest)
                                 : ui::RunAlignment::none;
        if (dest == ui::RunAlignment::none) dest = table.rows.end;  // it is not compared
        for (ui::ChangeTable::Largest& largest : table.largest) {
            largest.dest = engine::Position(by->positionAt(1, engine::to_int(largest.dest)));
            largest.src = engine::Position(by->positionAt(1, engine::to_int(largest.src)));
        }
    }
    write(file, [dest, table = std::move(table)](const ExportJob::Order& order) {
        OutputFile out(order.path, 0);
        writeChanges(out, *formatOf(order.path), table, dest);
        out.commit();
    });
}

}  // namespace app
