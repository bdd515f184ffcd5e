// SPDX-License-Identifier: GPL-3.0-or-later
// What was opened and run before: the menu of recent files and the prompts of a model.
#include <QFile>
#include <QFileInfo>
#include <QSettings>

#include "app/session/session_file.h"
#include "app/view/main_view.h"
#include "ui/prompt/prompt_panel.h"

namespace app {

namespace {

constexpr int kRecentFiles = 12;

QString filesKey() {
    return QStringLiteral("recent/files");
}

}  // namespace

void MainView::wireRemembered() {
    ui::MainWindow* window = m_window.get();
    ui::PromptPanel* bar = &window->promptPanel();
    connect(window, &ui::MainWindow::recentFileChosen, this, &MainView::openRecent);
    connect(window, &ui::MainWindow::recentFilesCleared, this, [this] {
        m_settings.remove(filesKey());
        m_window->setRecentFiles({});
    });
    connect(window, &ui::MainWindow::earlierPromptChosen, this, [this](int index) {
        const auto at = static_cast<std::size_t>(index);
        if (at >= m_history.prompts().size()) return;
        m_history.endWalk();
        showEarlier(m_history.prompts()[at]);
    });
    connect(window, &ui::MainWindow::earlierPromptsCleared, this, [this] {
        m_history.clear();
        showEarlierPrompts();
    });
    connect(bar, &ui::PromptPanel::earlierPromptRequested, this, [this](int step) {
        if (const EarlierPrompt* prompt = m_history.walk(step, promptInBar())) showEarlier(*prompt);
    });
    connect(bar, &ui::PromptPanel::promptChanged, this, [this] { m_history.endWalk(); });
    connect(&m_session, &Session::modelOpened, this, [this] {
        rememberFile(m_session.model()->path);
        m_history.setModel(QString::fromStdString(m_session.model()->path));
        showEarlierPrompts();
    });
    connect(&m_session, &Session::runOpened, this, [this] {
        const RunView& run = m_session.run();
        if (run.rows > 0 || !run.parent.empty()) return;  // it was run before
        EarlierPrompt prompt = promptInBar();
        prompt.text = QString::fromStdString(run.prompt);
        prompt.options = run.options;
        m_history.add(prompt);
        showEarlierPrompts();
    });
    m_window->setRecentFiles(m_settings.value(filesKey()).toStringList().mid(0, kRecentFiles));
}

EarlierPrompt MainView::promptInBar() const {
    const ui::PromptPanel& bar = m_window->promptPanel();
    return {bar.prompt(), bar.tokenOptions(), bar.sampling(), bar.tokensToGenerate()};
}

void MainView::showEarlier(const EarlierPrompt& prompt) {
    ui::PromptPanel& bar = m_window->promptPanel();
    bar.setPrompt(prompt.text);
    bar.setTokenOptions(prompt.options);
    bar.setSampling(prompt.sampling);
    bar.setTokensToGenerate(prompt.generate);
    m_save.start();
}

void MainView::showEarlierPrompts() {
    QStringList texts;
    for (const EarlierPrompt& prompt : m_history.prompts()) texts << prompt.text;
    m_window->setEarlierPrompts(texts);
}

void MainView::rememberFile(const std::string& path) {
    QStringList files = m_settings.value(filesKey()).toStringList();
    const QString file = QFileInfo(QFile::decodeName(path.c_str())).absoluteFilePath();
    files.removeAll(file);
    files.prepend(file);
    m_settings.setValue(filesKey(), QStringList(files.mid(0, kRecentFiles)));
    m_window->setRecentFiles(files.mid(0, kRecentFiles));
}

// Whether a file is still there is asked of the one that is wanted only: a drive that is gone
// must not hold the menu.
void MainView::openRecent(const QString& path) {
    if (!QFileInfo::exists(path)) {
        QStringList files = m_settings.value(filesKey()).toStringList();
        files.removeAll(path);
        m_settings.setValue(filesKey(), files);
        m_window->setRecentFiles(files);
        m_window->showMessage({ui::Message::Severity::Warn,
                               QStringLiteral("%1 is not there any more.").arg(path),
                               QStringLiteral("It was taken off the list of recent files."),
                               {},
                               {}});
        return;
    }
    const std::string file = QFile::encodeName(path).toStdString();
    if (isSessionPath(file))
        openSession(file);
    else
        openModel(file);
}

}  // namespace app
