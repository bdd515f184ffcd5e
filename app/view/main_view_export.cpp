// SPDX-License-Identifier: GPL-3.0-or-later
// The current heatmap, the pinned heads, the difference and the bars as pictures and as data.
#include <QCheckBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>
#include <span>
#include <utility>

#include "app/files/figure_command.h"
#include "app/files/file_dialog.h"
#include "app/files/head_figure.h"
#include "app/files/output_file.h"
#include "app/files/picture_file.h"
#include "app/session/edit_texts.h"
#include "app/threads/engine_worker.h"
#include "app/view/main_view.h"
#include "ui/contributions/contribution_bars.h"
#include "ui/contributions/contribution_figure.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/scale_column.h"
#include "ui/painting/figure.h"
#include "ui/painting/figure_image.h"
#include "ui/strip/token_strip.h"

namespace app {

namespace {

QString folderKey() {
    return QStringLiteral("export/folder");
}

QString outlineKey() {
    return QStringLiteral("export/outlineText");
}

void writeWhole(const std::string& path, const QByteArray& bytes) {
    const auto data =
        std::as_bytes(std::span(bytes.constData(), static_cast<std::size_t>(bytes.size())));
    OutputFile file(path, static_cast<std::int64_t>(data.size()));
    file.writeAt(0, data);
    file.commit();
}

}  // namespace

void MainView::wireExport() {
    ui::MainWindow* window = m_window.get();
    connect(window, &ui::MainWindow::exportHeatmapRequested, this, [this] {
        if (!m_session.hasRun() || m_session.run().rows == 0) return;
        if (m_window->isCompareShown() && m_compare.pair())  // what is in front
            return Q_EMIT m_window->exportDifferenceRequested();
        if (m_window->isFinderShown()) return exportNumbers();
        const engine::LayerHead at = m_session.selection().at;
        const QString name = QStringLiteral("%1-L%2.H%3")
                                 .arg(QString::fromStdString(m_session.model()->name))
                                 .arg(engine::to_int(at.layer))
                                 .arg(engine::to_int(at.head));
        const ui::MapGeometry map = m_page->heatmap().geometry();
        const bool zoomed = !m_window->isFinderShown() && !m_window->isCompareShown() &&
                            !map.isEmpty() && !map.isWhole();
        const auto tokens = [&](const engine::Axis& axis) {
            return ui::rangeText(
                m_page->heatmap().scene().units.tokensOf(engine::Rows{axis.begin, axis.end}));
        };
        choosePath(
            QStringLiteral("Export the heatmap"), fileNameOf(name),
            [this, view = map.view()](const QString& path) {
                FigureLook look;
                if (m_inView && m_inView->isChecked()) look.part = view;
                exportHeads(path, {m_session.selection().at}, look);
            },
            zoomed ? QStringLiteral("&Only what is in view: rows %1, sources %2")
                         .arg(tokens(map.dest()), tokens(map.src()))
                   : QString());
    });
    connect(window, &ui::MainWindow::exportPinsRequested, this, [this] {
        if (!m_session.hasRun() || m_session.run().rows == 0) return;
        if (m_pins.heads().empty())
            return m_window->setStateText(
                QStringLiteral("No head is pinned: Ctrl-click heads in the grid, or press P"));
        choosePath(QStringLiteral("Export the pinned heads"),
                   fileNameOf(figureTitle() + QStringLiteral("-pinned")),
                   [this](const QString& path) { exportHeads(path, m_pins.heads()); });
    });
    connect(window, &ui::MainWindow::exportDifferenceRequested, this, [this] {
        if (!m_compare.pair())
            return m_window->setStateText(
                QStringLiteral("There is one run: click another token in Steps to fork it"));
        choosePath(QStringLiteral("Export the difference"),
                   fileNameOf(figureTitle() + QStringLiteral("-difference")),
                   [this](const QString& path) { exportDifference(path); });
    });
    connect(&m_views, &TraceViews::figureReady, this, &MainView::drawHeads);
    connect(window, &ui::MainWindow::exportBarsRequested, this, [this] {
        if (!m_window->contributionBars().hasTable()) return;
        const QString name = QStringLiteral("%1-bars-%2")
                                 .arg(QString::fromStdString(m_session.model()->name))
                                 .arg(engine::to_int(m_session.selection().dest));
        choosePath(QStringLiteral("Export the bars"), fileNameOf(name),
                   [this](const QString& path) { drawBars(path); });
    });
    wireNumbers();
    wireExportJob();
}

void MainView::showExportFailure(const engine::Failure& failure) {
    showFailure(failure);
    tellComposer(failure);
    m_exportFailed = true;
}

void MainView::choosePath(const QString& title, const QString& name,
                          std::function<void(QString)> then, const QString& offer) {
    auto* dialog = makeFileDialog(m_window.get(), title);
    if (!dialog) return;
    dialog->setObjectName(QStringLiteral("exportDialog"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    const QString all = QStringLiteral("Picture or data (*.png *.svg *.pdf *.csv *.npy)");
    dialog->setNameFilters({all, QStringLiteral("PNG picture (*.png)"),
                            QStringLiteral("SVG drawing (*.svg)"), QStringLiteral("PDF (*.pdf)"),
                            QStringLiteral("CSV, a line a value (*.csv)"),
                            QStringLiteral("NPY array (*.npy)")});
    dialog->setDefaultSuffix(QStringLiteral("png"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog, all](const QString& filter) {
        if (filter == all) return;
        const QString suffix = filter.section(QStringLiteral("*."), 1).chopped(1);
        dialog->setDefaultSuffix(suffix);
        const QString file = dialog->selectedFiles().value(0);
        if (file.isEmpty()) return;
        const QFileInfo info(file);
        dialog->selectFile(info.completeBaseName() + u'.' + suffix);
    });
    // Without a folder that is there Qt would list the drives, where nothing can be saved.
    auto* outlines =
        new QCheckBox(QStringLiteral("SVG: &text as outlines, for readers without its fonts"));
    outlines->setObjectName(QStringLiteral("outlineText"));
    outlines->setChecked(m_settings.value(outlineKey()).toBool());
    addBelow(dialog, outlines);
    if (!offer.isEmpty()) {
        m_inView = new QCheckBox(offer);
        m_inView->setObjectName(QStringLiteral("inView"));
        addBelow(dialog, m_inView);
    }
    const QString folder = m_settings.value(folderKey()).toString();
    dialog->setDirectory(QFileInfo(folder).isDir() ? folder : QDir::homePath());
    dialog->selectFile(name);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, outlines, then = std::move(then)](const QString& path) {
                m_settings.setValue(folderKey(), QFileInfo(path).absolutePath());
                m_settings.setValue(outlineKey(), outlines->isChecked());
                const std::string file = QFile::encodeName(path).toStdString();
                if (!formatOf(file))
                    return showExportFailure(
                        {engine::Failure::Kind::Io,
                         "the name's ending tells the format, and this one is unknown", file,
                         std::string("name the file .") + kFileFormats});
                then(path);
            });
    dialog->show();
}

QString MainView::fileNameOf(QString text, const char* ending) {
    for (QChar& c : text)
        if (!c.isLetterOrNumber() && c != QLatin1Char('.') && c != QLatin1Char('-'))
            c = QLatin1Char('_');
    return text + QLatin1String(ending);
}

// Which of several, and what it changes; empty: the only one, as the model computes it.
QString MainView::runTitle(const RunView& run) const {
    if (m_session.otherRuns().empty()) return {};
    const QString edits = shortEditText(run.edits);
    return QStringLiteral(" · run ") + QString::fromStdString(run.name) +
           (edits.isEmpty() ? QString() : QStringLiteral(", ") + edits);
}

QString MainView::figureTitle() const {
    return QString::fromStdString(m_session.model()->name);
}

void MainView::exportHeads(const QString& path, const std::vector<engine::LayerHead>& heads,
                           const FigureLook& look) {
    const RunView& run = m_session.run();
    MapData data;
    data.run = run.id;
    data.heads = heads;
    data.rows = run.rows;
    data.tokens = run.tokens;
    data.units = unitsOf(run.rows);
    exportMaps(path, std::move(data), look);
}

void MainView::exportMaps(const QString& path, MapData data, const FigureLook& look) {
    const std::string file = QFile::encodeName(path).toStdString();
    if (data.heads.empty() || data.rows == 0) return;  // gone while the dialog was open
    data.quantity = m_views.quantity();
    data.target = m_views.target().value_or(engine::TokenId{});
    data.distractor = m_views.distractor();
    data.renormalized = m_views.isRenormalized();
    data.attention = m_session.model()->attention;
    if (isPicture(*formatOf(file))) {
        const double scale = formatOf(file) == FileFormat::Png ? look.zoom : ui::vectorMapScale;
        const bool byToken = data.minus && m_compare.alignment();
        takePlaces(byToken);
        ui::HeadFigure shape =
            headFigure(data.heads, *m_session.model(),
                       byToken ? m_figurePlaces.tokens : data.tokens, data.rows, data.units);
        namePlaces(shape);
        shape.page = look.page;
        shape.title = look.title.value_or(figureTitle());
        shape.part = look.part;
        ui::FigureAxes axes;
        try {
            if (formatOf(file) == FileFormat::Png)
                ui::checkPixels(ui::headFigureSize(shape), scale);
            axes = ui::figureAxes(shape, scale);
        } catch (...) {
            return showExportFailure(currentFailure(file));
        }
        m_figurePath = path;
        m_figureIsGrid = false;
        m_figureLook = look;
        m_figureUnits = data.units;
        beginExport(path);
        return m_views.requestFigure(
            {data.run, data.minus, {}, byToken ? m_compare.alignment() : nullptr}, data.heads,
            axes);
    }
    if (look.part) {
        const ui::MapView& part = *look.part;
        data.dests = {part.dest, part.dest + part.count};
        data.srcs = {part.src, part.src + part.count};
    }
    write(file, [data, reader = m_session.reader()](const ExportJob::Order& order) {
        const FileFormat format = *formatOf(order.path);
        OutputFile out(order.path, mapBytes(format, data));
        writeMaps(out, format, *reader, data, order.stop, order.report);
        out.commit();
    });
}

void MainView::drawHeads(const std::vector<engine::Tile>& tiles) {
    if (std::exchange(m_figureIsGrid, false)) return drawGrid(tiles);
    const bool copies = std::exchange(m_figureToClipboard, false);
    if ((m_figurePath.isEmpty() && !copies) || tiles.empty()) return;
    const std::string path = QFile::encodeName(std::exchange(m_figurePath, {})).toStdString();
    const engine::TileRequest& request = tiles.front().request;
    const RunView* run = m_compare.run(request.run);
    const RunView* other = request.minus ? m_compare.run(*request.minus) : nullptr;
    if (!run || (request.minus && !other)) return endExport();  // closed meanwhile
    std::vector<engine::LayerHead> heads;
    for (const engine::Tile& tile : tiles)
        heads.insert(heads.end(), tile.request.heads.begin(), tile.request.heads.end());
    FigureLook look = copies ? FigureLook() : m_figureLook;
    if (copies) look.part = m_copiedPart;
    // Of the whole as many rows as were asked for; a part lies where it lies in any number of them.
    const std::int64_t rows = look.part ? run->rows : request.dest.end;
    const bool byToken = other && !m_figurePlaces.tokens.empty();
    ui::HeadFigure figure =
        headFigure(heads, *m_session.model(), byToken ? m_figurePlaces.tokens : run->tokens, rows,
                   m_figureUnits);
    if (byToken) namePlaces(figure);
    setTiles(figure, tiles);
    std::string about, prompts;
    dress(figure, request, look);
    const auto named = [this](const RunView& each) {
        const std::string edits = shortEditText(each.edits).toStdString();
        return "run " + m_compare.nameOf(each) + (edits.empty() ? "" : " (" + edits + ")");
    };
    if (other) {
        figure.choice.range = ui::RangeMode::Head;
        figure.largest.reset();
        figure.ranked.reset();
        about = named(*run) + " − " + named(*other);
        figure.title += QStringLiteral(" · ") + QString::fromStdString(about);
        if (run->prompt != other->prompt)
            prompts = named(*run) + ": " + promptText(*run) + "\n" + named(*other) + ": " +
                      promptText(*other);
    } else {
        if (!look.title) figure.title += runTitle(*run);
        about = shortEditText(run->edits).toStdString();
    }
    const std::string subject = subjectOf(figure, namesOf(heads), about);
    const ui::Drawing drawing = ui::drawingOf(std::move(figure));
    if (copies) copyPicture(drawing);
    if (!path.empty()) writePicture(drawing, path, subject, look.zoom, prompts);
}

// As the map: scale, range and target.
void MainView::dress(ui::HeadFigure& figure, const engine::TileRequest& request,
                     const FigureLook& look) const {
    figure.page = look.page;
    figure.part = look.part;
    figure.transposed = isTransposed();
    figure.scheme = look.scheme;
    figure.title = look.title.value_or(figureTitle());
    figure.choice = m_page->scaleColumn().choice();
    const ui::MapLegend legend = m_page->heatmap().legend();
    const bool wider =
        figure.choice.range == ui::RangeMode::Layer || figure.choice.range == ui::RangeMode::Model;
    if (wider && legend.offersWider && !legend.measuring && legend.quantity == request.quantity) {
        figure.largest = legend.scale.high;
        const auto isOfLayer = [this](const ui::HeadPanel& panel) {
            return panel.at.layer == m_session.selection().at.layer;
        };
        if (figure.choice.rank &&
            (figure.choice.range == ui::RangeMode::Model ||
             std::all_of(figure.panels.begin(), figure.panels.end(), isOfLayer)))
            figure.ranked = legend.scale.ranked;
    }
    if (request.quantity == engine::Quantity::Attribution)
        figure.nameTarget(request.distractor ? textOf(request.target) + QStringLiteral(" − ") +
                                                   textOf(request.distractor)
                                             : textOf(request.target),
                          look.title.has_value());
}

void MainView::write(const std::string& path, ExportJob::Work work) {
    m_export.write(path, std::move(work));
    beginExport(QFile::decodeName(path.c_str()));
}

void MainView::writePicture(const ui::Drawing& drawing, const std::string& path,
                            const std::string& subject, double zoom, const std::string& prompts) {
    const PictureSource source{*m_session.model(),
                               prompts.empty() ? promptText(m_session.run()) : prompts, subject,
                               ui::fontsUsed(drawing)};
    if (!source.fonts.missing.isEmpty())
        m_window->showMessage(
            {ui::Message::Severity::Warn,
             QStringLiteral("No font of this machine has %1: drawn as boxes in %2.")
                 .arg(ui::characterNames(source.fonts.missing),
                      QFileInfo(QFile::decodeName(path.c_str())).fileName()),
             QStringLiteral("The file says so as well; a font that has them mends it."),
             {},
             {}});
    const FileFormat format = *formatOf(path);
    const std::string remedy = "export a shorter run";
    try {
        if (format == FileFormat::Png) {  // encoding takes longer than drawing
            write(path,
                  [source, remedy, image = drawing.raster(zoom)](const ExportJob::Order& order) {
                      writePng(order.path, image, source, remedy, order.cancel);
                  });
        } else {
            const ui::SvgText text = m_settings.value(outlineKey()).toBool() ? ui::SvgText::Outlined
                                                                             : ui::SvgText::Named;
            write(path, [bytes = pictureOf(drawing, format, 1, source, path, remedy, text)](
                            const ExportJob::Order& order) { writeWhole(order.path, bytes); });
        }
    } catch (...) {
        endExport();
        showExportFailure(currentFailure(path));
    }
}

void MainView::drawBars(const QString& path) {
    const ui::ContributionBars& bars = m_window->contributionBars();
    ui::ContributionFigure figure;
    figure.table = bars.table();
    figure.measure = bars.measure();
    figure.focus = m_session.selection().at;
    figure.kvHeads = m_session.model()->kv_heads;
    figure.model = figureTitle() + runTitle(m_session.run());
    figure.positionText = m_window->tokenStrip().label(figure.table.position);
    figure.targetText = bars.targetText();
    figure.distractorText = bars.distractorText();
    const std::string name = QFile::encodeName(path).toStdString();
    if (isPicture(*formatOf(name)))
        return writePicture(ui::drawingOf(figure), name, subjectOf(figure, m_session.run().rows));
    write(name, [figure](const ExportJob::Order& order) {
        OutputFile file(order.path, 0);
        writeBars(file, *formatOf(order.path), figure.table,
                  figure.measure == ui::Measure::Attribution);
        file.commit();
    });
}

}  // namespace app
