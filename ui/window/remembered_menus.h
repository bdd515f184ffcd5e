// SPDX-License-Identifier: GPL-3.0-or-later
// The menus of what was there before: files that were opened, prompts that were run, and those of
// them whose runs are still open. What
// is chosen is announced by the window's signals.
#pragma once
#include <QObject>
#include <QStringList>

class QMenu;

namespace ui {

class MainWindow;

class RememberedMenus : public QObject {
    Q_OBJECT
  public:
    RememberedMenus(MainWindow& window, QMenu* files, QMenu* prompts, QMenu* runs);

    void setFiles(const QStringList& paths);      // models and sessions, the newest first
    void setPrompts(const QStringList& prompts);  // of the open model, the newest first
    void setRuns(const QStringList& runs);        // likewise

  private:
    MainWindow& m_window;
    QMenu *m_files, *m_prompts, *m_runs;
};

}  // namespace ui
