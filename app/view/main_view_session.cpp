// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions: opened, saved, and what of the view comes back with them.
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>
#include <algorithm>
#include <filesystem>
#include <span>

#include "app/files/file_dialog.h"
#include "app/files/output_file.h"
#include "app/session/session_file.h"
#include "app/threads/engine_worker.h"
#include "app/view/main_view.h"
#include "ui/compare/compare_page.h"
#include "ui/contributions/contribution_bars.h"
#include "ui/contributions/logits_panel.h"
#include "ui/finder/head_finder.h"
#include "ui/finder/head_scatter.h"
#include "ui/grid/head_grid.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/scale_column.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/strip/token_strip.h"
#include "ui/window/progress_panel.h"

namespace app {

namespace {

QString sessionFolderKey() {
    return QStringLiteral("sessions/folder");
}

QFileDialog* sessionDialog(QWidget* parent, const QString& title, const QSettings& settings) {
    QFileDialog* dialog = makeFileDialog(parent, title);
    if (!dialog) return nullptr;
    dialog->setNameFilters(
        {QStringLiteral("Headscope sessions (*%1)").arg(QLatin1String(kSessionSuffix)),
         QStringLiteral("All files (*)")});
    const QString folder = settings.value(sessionFolderKey()).toString();
    dialog->setDirectory(QFileInfo(folder).isDir() ? folder : QDir::homePath());
    return dialog;
}

}  // namespace

void MainView::wireSessions() {
    ui::MainWindow* window = m_window.get();
    connect(window, &ui::MainWindow::openSessionRequested, this, &MainView::chooseSession);
    connect(window, &ui::MainWindow::sessionChosen, this,
            [this](const QString& path) { openSession(QFile::encodeName(path).toStdString()); });
    connect(window, &ui::MainWindow::saveSessionRequested, this, [this] {
        if (m_sessionPath.empty()) return chooseSessionPath();
        saveSession(m_sessionPath);
    });
    connect(window, &ui::MainWindow::saveSessionAsRequested, this, &MainView::chooseSessionPath);
    connect(window, &ui::MainWindow::remedyChosen, this, [this](const QString& id) {
        if (id == QLatin1String("session")) chooseSession();
    });
    // Another model is another session: saving it does not replace the file of the one before.
    connect(&m_session, &Session::modelOpened, this, [this] { m_sessionPath.clear(); });
    connect(&m_session, &Session::runsRestoring, this, [this] {
        m_progressIsExport = false;
        m_window->beginProgress(QStringLiteral("Computing the session's runs again"),
                                ui::ProgressPanel::Unit::Tokens,
                                QStringLiteral("What is open stays until they are there."));
    });
    connect(&m_session, &Session::restored, this, &MainView::showRestored);
}

void MainView::chooseSession() {
    QFileDialog* dialog =
        sessionDialog(m_window.get(), QStringLiteral("Open a session"), m_settings);
    if (!dialog) return;
    dialog->setObjectName(QStringLiteral("openSessionDialog"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        m_settings.setValue(sessionFolderKey(), QFileInfo(path).absolutePath());
        openSession(QFile::encodeName(path).toStdString());
    });
    dialog->show();
}

void MainView::openSession(const std::string& path) {
    m_window->messageBar().dismiss();
    std::error_code error;
    const std::string file = std::filesystem::absolute(path, error).lexically_normal().string();
    try {
        SavedSession wanted = readSession(file);
        leaveSession();
        m_session.restore(wanted, file);
        m_readWhenOpen = false;  // what the session did not run is not run
    } catch (...) {
        const engine::Failure failure = currentFailure(file);
        log("failed: " + failure.line());
        m_window->showMessage(ui::messageOf(
            failure,
            {ui::Remedy{QStringLiteral("session"), QStringLiteral("Open another session…")}}));
    }
}

SavedSession MainView::sessionNow() const {
    SavedSession saved;
    const auto& pair = m_compare.pair();
    const std::vector<engine::RunId> runs = m_session.saveTo(
        saved, pair ? std::vector{pair->a, pair->b} : std::vector<engine::RunId>());
    std::error_code error;
    saved.model.path =
        std::filesystem::absolute(saved.model.path, error).lexically_normal().string();
    const RunSettings bar = settingsFromBar();
    saved.bar = {bar.prompt, bar.options, bar.sampling, bar.generate};
    saved.view.quantity = m_views.quantity();
    saved.view.scale = m_page->scaleColumn().choice();
    const ui::MapGeometry& map = m_page->heatmap().geometry();
    saved.view.by = m_granularity;
    if (!map.isEmpty() && !map.isWhole()) saved.view.zoom = map.view();
    saved.view.span = m_window->tokenStrip().span();
    saved.view.page = m_window->isFinderShown()    ? SavedPage::Finder
                      : m_window->isCompareShown() ? SavedPage::Compare
                                                   : SavedPage::Head;
    saved.view.target = m_views.chosenTarget();
    saved.view.distractor = m_views.distractor();
    saved.view.pins = m_pins.heads();
    saved.view.heads = headsNow();
    saved.view.asText = m_page->isTextShown();
    saved.view.transposed = isTransposed();
    saved.view.palette = ui::palette();
    saved.view.measure = m_window->contributionBars().measure();
    if (pair) {
        const auto a = std::find(runs.begin(), runs.end(), pair->a),
                   b = std::find(runs.begin(), runs.end(), pair->b);
        if (runs.size() > 1 && a != runs.end() && b != runs.end())
            saved.view.compared = {static_cast<std::size_t>(a - runs.begin()),
                                   static_cast<std::size_t>(b - runs.begin())};
    }
    return saved;
}

SavedHeads MainView::headsNow() const {
    SavedHeads heads;
    heads.fold = m_grid->fold();
    const int column = m_finder->rankColumn();
    heads.rank = column > 0 ? std::optional(ui::HeadMetric(column - 1)) : std::nullopt;
    heads.reversed = m_finder->isRankReversed();
    heads.filter = m_finder->filter().text().toStdString();
    const ui::HeadScatter::Look axes = m_finder->scatter().look();
    heads.x = axes.x;
    heads.y = axes.y;
    heads.colour = axes.colour;
    return heads;
}

void MainView::showHeads(const SavedHeads& heads) {
    m_grid->setFold(heads.fold);
    const int column = heads.rank ? ui::columnOf(*heads.rank) : 0;
    const bool descends = (column > 0) != heads.reversed;
    m_finder->rankIn(column, descends ? Qt::DescendingOrder : Qt::AscendingOrder);
    m_finder->filter().setText(QString::fromStdString(heads.filter));
    m_finder->setAxes(heads.x, heads.y, heads.colour);
}

void MainView::chooseSessionPath() {
    if (!m_session.model()) return;
    QFileDialog* dialog =
        sessionDialog(m_window.get(), QStringLiteral("Save the session"), m_settings);
    if (!dialog) return;
    dialog->setObjectName(QStringLiteral("saveSessionDialog"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QString::fromLatin1(kSessionSuffix).mid(1));
    dialog->selectFile(m_sessionPath.empty()
                           ? QString::fromStdString(m_session.model()->name) +
                                 QLatin1String(kSessionSuffix)
                           : QFileInfo(QFile::decodeName(m_sessionPath.c_str())).fileName());
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        m_settings.setValue(sessionFolderKey(), QFileInfo(path).absolutePath());
        saveSession(QFile::encodeName(path).toStdString());
    });
    dialog->show();
}

void MainView::saveSession(const std::string& path) {
    if (!m_session.model()) return;
    try {
        write(path, [text = sessionText(sessionNow())](const ExportJob::Order& order) {
            OutputFile file(order.path, static_cast<std::int64_t>(text.size()));
            file.writeAt(0, std::as_bytes(std::span(text)));
            file.commit();
        });
        m_sessionPath = path;
        rememberFile(path);
    } catch (...) {
        showFailure(currentFailure(path));
    }
}

void MainView::showRestored(const SessionRestored& event) {
    log("session restored: " + event.file);
    const SavedSession& saved = event.session;
    const bool isLast = QFile::decodeName(event.file.c_str()) == m_lastSession.path();
    m_sessionPath = isLast ? std::string() : event.file;  // nobody gave it a name yet
    if (!isLast) rememberFile(event.file);
    ui::PromptPanel& bar = m_window->promptPanel();
    bar.setPrompt(QString::fromStdString(saved.bar.text));
    bar.setTokenOptions(saved.bar.options);
    bar.setSampling(saved.bar.sampling);
    bar.setTokensToGenerate(static_cast<int>(saved.bar.generate));
    m_save.start();

    setQuantity(saved.view.quantity);
    m_page->scaleColumn().setChoice(saved.view.scale);
    m_page->heatmap().setScale(saved.view.scale);
    m_ranges.setChoice(saved.view.scale);
    m_comparePage->maps().setScale(saved.view.scale);
    m_views.setRenormalized(saved.view.scale.sink == ui::SinkMode::Renormalized);
    m_window->tokenStrip().setSpan(saved.view.span);
    setGranularity(saved.view.by);
    showTurns();  // or back to tokens
    if (saved.view.zoom) m_page->heatmap().showView(*saved.view.zoom);
    for (const auto& chosen : {event.computed.target, event.computed.distractor})
        if (chosen) know({*chosen});
    m_window->logitsPanel().setTarget(event.computed.target);
    m_window->logitsPanel().setDistractor(event.computed.distractor);
    m_views.setTarget(saved.view.target);
    m_views.setDistractor(saved.view.distractor);
    m_pins.set(saved.view.pins);
    if (saved.view.heads) showHeads(*saved.view.heads);
    if (saved.view.asText) m_asText->setChecked(*saved.view.asText);
    if (saved.view.transposed) m_transposed->setChecked(*saved.view.transposed);
    if (saved.view.palette) m_window->choosePalette(*saved.view.palette);
    if (saved.view.measure) m_window->contributionBars().setMeasure(*saved.view.measure);
    std::vector<engine::RunId> all;
    for (const RestoredRun& run : event.computed.runs) all.push_back(run.id);
    for (const RestoredRuns& beside : event.computed.beside)
        for (const RestoredRun& run : beside.runs) all.push_back(run.id);
    if (const auto& pair = saved.view.compared) m_compare.choose({all[pair->a], all[pair->b]});
    m_compare.refreshMaps();  // on this scale
    switch (saved.view.page) {
        case SavedPage::Head: m_window->showHeadPage(); break;
        case SavedPage::Finder: m_window->showFinderPage(); break;
        case SavedPage::Compare: m_window->showComparePage(); break;
    }
    warnOfDifferences(event);
}

void MainView::warnOfDifferences(const SessionRestored& event) {
    QStringList differences;
    if (event.modelDiffers)
        differences << QStringLiteral("its model's file is another than when it was saved");
    const auto any = [&event](bool RestoredRuns::*fault) {
        const auto& beside = event.computed.beside;
        return event.computed.*fault ||
               std::any_of(beside.begin(), beside.end(),
                           [fault](const RestoredRuns& runs) { return runs.*fault; });
    };
    if (any(&RestoredRuns::isEdited))
        differences << QStringLiteral(
            "its prompt's text or tokens were edited in the file, and are no longer those of one "
            "another");
    if (any(&RestoredRuns::tokenizerDiffers))
        differences << QStringLiteral("the model's tokenizer now makes other tokens of the prompt");
    if (any(&RestoredRuns::isEither))
        differences << QStringLiteral(
            "its prompt's tokens are not those of its text: the file was edited, or the model's "
            "tokenizer makes others now");
    if (differences.isEmpty()) return;
    m_window->showMessage(
        {ui::Message::Severity::Warn,
         QStringLiteral("The session is not as it was: %1.")
             .arg(differences.join(QStringLiteral(", and "))),
         QStringLiteral("The tokens are the saved ones; every number is computed anew from %1.")
             .arg(QString::fromStdString(event.session.model.path)),
         {},
         {}});
}

}  // namespace app
