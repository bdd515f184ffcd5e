// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/view/main_view.h"

#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>
#include <algorithm>
#include <cstdio>
#include <utility>

#include "app/files/file_dialog.h"
#include "app/session/model_list.h"
#include "app/session/session_file.h"
#include "ui/compare/compare_page.h"
#include "ui/contributions/contribution_bars.h"
#include "ui/contributions/logits_panel.h"
#include "ui/finder/head_finder.h"
#include "ui/grid/head_grid.h"
#include "ui/grid/heads_panel.h"
#include "ui/heatmap/head_bar.h"
#include "ui/heatmap/head_heatmap.h"
#include "ui/heatmap/head_page.h"
#include "ui/heatmap/pinned_heads.h"
#include "ui/prompt/prompt_panel.h"
#include "ui/steps/step_bar.h"
#include "ui/strip/text_view.h"
#include "ui/window/checks_badge.h"
#include "ui/window/empty_page.h"

namespace app {

namespace {

constexpr int kRecentModels = 10;
constexpr std::size_t kMostFound = 100;  // of a folder, in the picker

QString recentKey() {
    return QStringLiteral("models/recent");
}

QString megabytes(std::int64_t bytes) {
    const double mega = static_cast<double>(bytes) / 1e6;
    if (mega >= 1000) return QStringLiteral("%1 GB").arg(mega / 1000, 0, 'f', 1);
    return QStringLiteral("%1 MB").arg(mega, 0, 'f', mega < 10 ? 1 : 0);
}

QString shortDType(engine::DType dtype) {
    switch (dtype) {
        case engine::DType::F32: return QStringLiteral("fp32");
        case engine::DType::F16: return QStringLiteral("fp16");
        case engine::DType::BF16: return QStringLiteral("bf16");
        default: return QString::fromLatin1(engine::name_of(dtype));
    }
}

std::vector<ui::ExamplePrompt> examples() {
    return {{QStringLiteral("Indirect object"),
             QStringLiteral("When Mary and John went to the store, John gave a drink to"),
             QStringLiteral("name movers send Mary to the last position")},
            {QStringLiteral("Induction"),
             QStringLiteral("The Kestrel carries timber, the Brendan carries wool, and the Silver "
                            "Finch carries glass. The Kestrel carries timber, the Brendan carries"),
             QStringLiteral("heads find what followed the same words before")}};
}

// Of a model on a GPU that its fused kernels do not know; else empty.
QString blockByBlock(const engine::ModelInfo& info) {
    if (info.block_by_block.empty()) return {};
    return QStringLiteral("Computed block by block, not by the fused kernels: ") +
           QString::fromStdString(info.block_by_block);
}

}  // namespace

MainView::MainView(EngineSource source, QSettings& settings, Start start)
    : m_settings(settings), m_start(std::move(start)), m_session(std::move(source)) {
    m_clock.start();
    m_window = std::make_unique<ui::MainWindow>(settings);
    build();
    wireModels();
    wireRun();
    wireSelection();
    wireGrid();
    wireFold();
    wireMap();
    wireSpans();
    wireMiniMap();
    wireTransposed();
    wireText();
    wirePreview();
    wirePeek();
    wirePanels();
    wireFinder();
    wirePins();
    wireEdits();
    wireCompare();
    wireExport();
    wireComposer();
    wireSaved();
    wireSessions();
    wireKept();
    wireRemembered();
    wireSettings();
    wireCopy();
    wireKeys();
    wireThreshold();
}

MainView::~MainView() {
    // Nothing that the threads still report may reach a widget that is gone.
    m_session.disconnect();
    m_views.disconnect();
    m_compare.disconnect();
    m_ranges.disconnect();
}

void MainView::build() {
    m_heads = new ui::HeadsPanel;
    m_grid = &m_heads->grid();
    m_page = new ui::HeadPage;
    m_window->setHeadsWidget(m_heads);
    m_window->setHeadPage(m_page);
    m_finder = new ui::HeadFinder;
    m_window->setFinderPage(m_finder);
    m_comparePage = new ui::ComparePage;
    m_window->setComparePage(m_comparePage);
    m_window->emptyPage().setPrompts(examples());
    m_window->promptPanel().setPrompt(examples().front().text);
    restoreTyped();
    if (m_start.prompt) m_window->promptPanel().setPrompt(QString::fromStdString(*m_start.prompt));
    m_window->checksBadge().setPending(QStringLiteral("checks: none yet"));
    m_window->setPages(0, 0);
}

void MainView::begin() {
    log("window shown");
    if (m_start.model && isSessionPath(*m_start.model)) {
        openSession(*m_start.model);
        return listModels();
    }
    const std::string path = m_start.model ? *m_start.model : defaultModel(m_start.modelFolder);
    if (!path.empty()) openModel(path);
    listModels();
}

void MainView::log(const std::string& what) {
    if (m_start.verbose)
        std::fprintf(stderr, "%7.3f s  %s\n", static_cast<double>(m_clock.elapsed()) / 1000,
                     what.c_str());
}

// ---- models

void MainView::wireModels() {
    connect(m_window.get(), &ui::MainWindow::modelChosen, this,
            [this](const QString& path) { openModel(path.toStdString()); });
    connect(m_window.get(), &ui::MainWindow::openModelRequested, this, &MainView::chooseModelFile);
    connect(m_window.get(), &ui::MainWindow::remedyChosen, this, [this](const QString& id) {
        if (id == QLatin1String("open")) chooseModelFile();
        if (id == QLatin1String("prompt")) m_window->promptPanel().editPrompt();
    });
    connect(&m_session, &Session::modelInspected, this, [this](const ModelInspected& inspected) {
        if (!inspected.info) return;  // no model after all
        m_infos[inspected.path] = *inspected.info;
        if (!m_listing.isActive()) m_listing.start();
    });
    // A hundred models found are a few new lists, none of them under the user's pointer.
    m_listing.setSingleShot(true);
    m_listing.setInterval(50);
    connect(&m_listing, &QTimer::timeout, this, [this] {
        if (m_window->promptPanel().isChoosingModel()) return m_listing.start();
        showModels();
    });
    connect(&m_session, &Session::modelsFound, this, &MainView::listFound);
    connect(&m_session, &Session::modelOpened, this, &MainView::showModel);
    connect(&m_session, &Session::runClosed, this, &MainView::showNoRun);
    connect(&m_session, &Session::failed, this, &MainView::showFailure);
    connect(&m_views, &TraceViews::failed, this, &MainView::showViewFailure);
}

void MainView::openModel(const std::string& typed) {
    const std::string path = absolutePath(typed);
    if (m_session.model() && m_session.model()->path == path && !m_session.hasRun()) return;
    m_window->messageBar().dismiss();
    leaveSession();
    m_session.openModel(path);
}

void MainView::chooseModelFile() {
    auto* dialog = makeFileDialog(m_window.get(), QStringLiteral("Open a model"));
    if (!dialog) return;
    dialog->setObjectName(QStringLiteral("openModelDialog"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({QStringLiteral("Models (*.gguf config.json *.safetensors)"),
                            QStringLiteral("All files (*)")});
    dialog->setDirectory(
        m_settings
            .value(QStringLiteral("models/folder"), QString::fromStdString(m_start.modelFolder))
            .toString());
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        m_settings.setValue(QStringLiteral("models/folder"), QFileInfo(file).absolutePath());
        openModel(modelOfPickedFile(QFile::encodeName(file).toStdString()));
    });
    dialog->show();  // not exec(): no loop inside the loop
}

std::vector<std::string> MainView::recentModels() const {
    std::vector<std::string> paths;
    for (const QString& path : m_settings.value(recentKey()).toStringList())
        if (QDir::isAbsolutePath(path)) paths.push_back(path.toStdString());
    return paths;
}

void MainView::remember(const std::string& path) {
    QStringList recent = m_settings.value(recentKey()).toStringList();
    const QString entry = QString::fromStdString(path);
    recent.removeAll(entry);
    recent.prepend(entry);
    while (recent.size() > kRecentModels) recent.removeLast();
    m_settings.setValue(recentKey(), recent);
}

void MainView::listModels() {
    m_paths = modelPaths(m_start.modelFolder, recentModels());
    m_session.inspectModels(m_paths);
    const std::string cache = huggingFaceFolder();
    if (!cache.empty() && m_searched.insert(cache).second) m_session.findModels(cache, 2);
}

// Files in its folder, and folders there.
void MainView::lookBeside(const std::string& model) {
    const std::string folder = folderBeside(model);
    const bool listed = absolutePath(m_start.modelFolder) == folder;
    if (folder.empty() || listed || !m_searched.insert(folder).second) return;
    m_session.findModels(folder, 2);
}

void MainView::listFound(const ModelsFound& found) {
    std::set<std::string> listed;
    for (const std::string& path : m_paths) listed.insert(absolutePath(path));
    std::vector<std::string> unknown;
    std::size_t added = 0, more = 0;
    for (engine::FoundModel model : found.models) {
        model.path = absolutePath(model.path);
        if (!listed.insert(model.path).second) continue;
        if (added == kMostFound) {
            ++more;
            continue;
        }
        ++added;
        m_paths.push_back(model.path);
        m_foundNames[model.path] = model.name;
        if (model.reason.empty())
            unknown.push_back(model.path);
        else
            m_infos[model.path] = refusedModel(model);
    }
    if (more > 0) {
        engine::FoundModel rest;
        rest.name = "and " + std::to_string(more) + " more";
        rest.path = found.folder + "/…";
        rest.reason = "File, Open folder or GGUF file…, opens any of them";
        m_paths.push_back(rest.path);
        m_infos[rest.path] = refusedModel(rest);
    }
    m_session.inspectModels(unknown);
    m_listing.start();
}

void MainView::showModels() {
    std::vector<engine::ModelInfo> known;
    for (const std::string& path : m_paths) {
        const auto it = m_infos.find(path);
        if (it == m_infos.end()) continue;
        known.push_back(it->second);
        // A cache's repository says more than what a file there calls itself.
        if (const auto name = m_foundNames.find(path); name != m_foundNames.end())
            known.back().name = name->second;
    }
    m_window->setModels(known);
    if (m_session.model()) m_window->setModel(m_session.model());
}

void MainView::showModel() {
    const engine::ModelInfo& info = *m_session.model();
    log("model open: " + info.name);
    if (!info.device_note.empty()) log("computing on the CPU: " + info.device_note);
    if (!info.block_by_block.empty()) log(blockByBlock(info).toStdString());
    if (std::find(m_paths.begin(), m_paths.end(), info.path) == m_paths.end())
        m_paths.push_back(info.path);
    m_infos[info.path] = info;
    remember(info.path);
    lookBeside(info.path);
    m_window->setModel(info);
    showMemory();
    m_grid->setModel(info);
    m_page->headBar().setModel(info);
    m_finder->setModel(info);
    m_page->pinnedHeads().setModel(info);
    m_comparePage->setModel(info);
    m_pins.setModel(info);
    m_window->logitsPanel().setTarget({});
    m_window->logitsPanel().setDistractor({});
    showPins();
    showNoRun();
    showWarnings();
}

// Of the model, which hold for every prompt.
void MainView::showWarnings() {
    for (const std::string& warning : m_session.model()->warnings) {
        log("warning: " + warning);
        m_window->showMessage({ui::Message::Severity::Warn, QString::fromStdString(warning), {}});
    }
}

void MainView::showNoRun() {
    m_window->promptPanel().setRunPrompt({});
    m_window->setPages(0, m_session.model()->pages);
    m_window->setRateText({});
    m_grid->clearThumbnails();
    m_page->headBar().clearMetrics();
    m_page->pinnedHeads().setRun({});
    m_page->heatmap().setTokens({}, 0, 0);
    m_page->heatmap().clearSelection();
    m_window->setTokens({}, 0);
    m_page->textView().setTokens({}, 0);
    m_window->stepBar().clear(
        QStringLiteral("Run a prompt: its rows stand here, then a column a "
                       "generated token."));
    m_window->logitsPanel().clear(
        QStringLiteral("Run a prompt to see what the model would say next."));
    m_window->contributionBars().clear(
        QStringLiteral("Run a prompt to see what each head writes at a position."));
    showChecksPending();
    m_bytes.clear();
    m_metrics.reset();
    m_locked.reset();
    m_finder->setMetrics({});
    m_finder->setContributions({}, {}, {});
    showRanking();
}

void MainView::showMemory() {
    const engine::ModelInfo& info = *m_session.model();
    QString device =
        QString::fromStdString(info.device) + QStringLiteral(" · ") + shortDType(info.dtype);
    if (info.threads > 0) device += QStringLiteral(" · %1 threads").arg(info.threads);
    m_window->promptPanel().setDeviceText(
        device,
        QStringLiteral("weights %1 · trace %2")
            .arg(megabytes(info.weight_bytes),
                 megabytes(m_session.run().rows * info.bytes_per_token)),
        info.device_note.empty()
            ? blockByBlock(info)
            : QStringLiteral("On the CPU: ") + QString::fromStdString(info.device_note));
}

void MainView::showFailure(const engine::Failure& failure) {
    log("failed: " + failure.line());
    using Kind = engine::Failure::Kind;
    QList<ui::Remedy> remedies;
    if (failure.kind == Kind::BadFile || failure.kind == Kind::Unsupported)
        remedies << ui::Remedy{QStringLiteral("open"), QStringLiteral("Open another model…")};
    if (failure.kind == Kind::BadRequest || failure.kind == Kind::OutOfMemory)
        remedies << ui::Remedy{QStringLiteral("prompt"), QStringLiteral("Edit the prompt")};
    m_window->showMessage(ui::messageOf(failure, remedies));
}

// What stands there stays; what was promised is taken back.
void MainView::showViewFailure(const engine::Failure& failure) {
    showFailure(failure);
    tellComposer(failure);
    if (ui::isBusy(m_session.state())) return;
    const QString note = QStringLiteral("Could not be computed: the message says why.");
    if (!m_window->logitsPanel().position()) m_window->logitsPanel().clear(note);
    if (!m_window->contributionBars().hasTable()) m_window->contributionBars().clear(note);
    if (m_window->checksBadge().reports().empty())
        m_window->checksBadge().setPending(QStringLiteral("checks: could not be computed"));
}

}  // namespace app
