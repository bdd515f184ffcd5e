// SPDX-License-Identifier: GPL-3.0-or-later
// The two menus of what was there before: files that were opened, and prompts that were run. What
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
    RememberedMenus(MainWindow& window, QMenu* files, QMenu* prompts);

    void setFiles(const QStringList& paths);      // models and sessions, the newest first
    void setPrompts(const QStringList& prompts);  // of the open model, the newest first

  private:
    MainWindow& m_window;
    QMenu *m_files, *m_prompts;
};

}  // namespace ui
