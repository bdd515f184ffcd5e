// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/remembered_menus.h"

#include <QDir>
#include <QFontMetrics>
#include <QMenu>

#include "ui/widgets/plain_text.h"
#include "ui/window/main_window.h"

namespace ui {

namespace {

constexpr int widest = 420;         // pixels
constexpr int longestPrompt = 200;  // characters laid out to be elided

QString entry(const QMenu* menu, const QString& text, Qt::TextElideMode where) {
    return withoutMnemonics(menu->fontMetrics().elidedText(onOneLine(text), where, widest));
}

QString shortPath(const QString& path) {
    const QString home = QDir::homePath() + u'/';
    return path.startsWith(home) ? QStringLiteral("~/") + path.mid(home.size()) : path;
}

void finish(QMenu* menu, bool empty, const QString& clear, const std::function<void()>& cleared) {
    menu->menuAction()->setEnabled(!empty);
    menu->setToolTipsVisible(true);
    if (empty) return;
    menu->addSeparator();
    QObject::connect(menu->addAction(clear), &QAction::triggered, menu, cleared);
}

}  // namespace

RememberedMenus::RememberedMenus(MainWindow& window, QMenu* files, QMenu* prompts, QMenu* runs)
    : QObject(&window), m_window(window), m_files(files), m_prompts(prompts), m_runs(runs) {
    m_files->setObjectName(QStringLiteral("recentFiles"));
    m_prompts->setObjectName(QStringLiteral("earlierPrompts"));
    m_runs->setObjectName(QStringLiteral("keptRuns"));
    setFiles({});
    setPrompts({});
}

void RememberedMenus::setFiles(const QStringList& paths) {
    m_files->clear();
    for (const QString& path : paths) {
        QAction* action = m_files->addAction(entry(m_files, shortPath(path), Qt::ElideMiddle));
        action->setToolTip(literalToolTip(path));
        connect(action, &QAction::triggered, &m_window,
                [this, path] { Q_EMIT m_window.recentFileChosen(path); });
    }
    finish(m_files, paths.isEmpty(), QStringLiteral("&Clear this list"),
           [this] { Q_EMIT m_window.recentFilesCleared(); });
}

void RememberedMenus::setPrompts(const QStringList& prompts) {
    m_prompts->clear();
    for (qsizetype i = 0; i < prompts.size(); ++i) {
        const QString text = prompts[i].left(longestPrompt);
        QAction* action = m_prompts->addAction(entry(m_prompts, text, Qt::ElideRight));
        action->setToolTip(literalToolTip(text));
        connect(action, &QAction::triggered, &m_window,
                [this, i] { Q_EMIT m_window.earlierPromptChosen(static_cast<int>(i)); });
    }
    finish(m_prompts, prompts.isEmpty(), QStringLiteral("&Forget them"),
           [this] { Q_EMIT m_window.earlierPromptsCleared(); });
}

void RememberedMenus::setRuns(const QStringList& runs) {
    m_runs->clear();
    m_runs->menuAction()->setEnabled(!runs.isEmpty());
    m_runs->setToolTipsVisible(true);
    for (qsizetype i = 0; i < runs.size(); ++i) {
        QAction* action = m_runs->addAction(entry(m_runs, runs[i], Qt::ElideMiddle));
        action->setToolTip(literalToolTip(runs[i]));
        connect(action, &QAction::triggered, &m_window,
                [this, i] { Q_EMIT m_window.keptRunChosen(static_cast<int>(i)); });
    }
}

}  // namespace ui
