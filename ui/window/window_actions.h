// SPDX-License-Identifier: GPL-3.0-or-later
// The window's menus: every action that exists, each with its key. Actions announce themselves by
// the window's signals.
#pragma once
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>
#include <array>
#include <functional>
#include <vector>

#include "engine/values/model_info.h"
#include "ui/painting/palette_choice.h"
#include "ui/painting/theme.h"
#include "ui/window/main_window.h"

class QAction;
class QActionGroup;
class QMenu;

namespace ui {

class RememberedMenus;

// Light, dark, or what the desktop asks for.
enum class SchemeChoice { Light, Dark, System };

class WindowActions : public QObject {
    Q_OBJECT
  public:
    explicit WindowActions(MainWindow& window);

    QMenu* menu(Menu) const;
    RememberedMenus& remembered() const { return *m_remembered; }
    QAction* add(Menu, const QString& text, const QList<QKeySequence>&, std::function<void()> does);
    QList<QAction*> all() const { return m_all; }  // with their keys, for the overlay
    void setModels(const std::vector<engine::ModelInfo>&, const QString& current);
    void setSchemeChoice(SchemeChoice);
    void setPaletteChoice(Palette);
    void setGranularity(Granularity);
    void setTurnsOffered(bool);
    void setTransposed(bool);
    void setHasModel(bool);  // there is a session to save
    void setHasRun(bool);    // there are rows to look at
    void setHasLast(bool);   // session, to come back to
    void setKeptRuns(const QStringList&);
    void setCan(bool run, bool step, bool pause, bool stop);

  Q_SIGNALS:
    void schemeChosen(ui::SchemeChoice);
    void paletteChosen(ui::Palette);
    void editPromptRequested();
    void earlierPromptRequested(int step);
    void controlStringsToggled();
    void directionToggled();
    void spanBegun();  // in the strip, whose keys go on with it
    void soloToggled();
    void escapePressed();
    void regionRequested(int step);  // F6: +1, Shift+F6: −1
    void layoutResetRequested();
    void keysRequested();
    void messagesRequested();
    void aboutRequested();

  private:
    void buildFileAndModel();
    void buildEdit();
    void buildSettings();
    void buildView();
    void buildSpans();
    void buildPalettes();
    void buildRun();
    void buildHeads();
    void buildExportAndHelp();
    QAction* addForRun(Menu, const QString& text, const QList<QKeySequence>&,
                       std::function<void()> does);

    MainWindow& m_window;
    std::array<QMenu*, 8> m_menus{};
    QList<QAction*> m_all, m_forRun, m_forModel;
    QList<QAction*> m_cellMoves;  // left, right, up, down, each by 1 and by 10
    QAction *m_open = nullptr, *m_run = nullptr, *m_step = nullptr, *m_pause = nullptr,
            *m_stop = nullptr, *m_toggleRun = nullptr, *m_reopen = nullptr, *m_back = nullptr;
    QMenu *m_recent = nullptr, *m_earlier = nullptr, *m_keptRuns = nullptr;
    RememberedMenus* m_remembered = nullptr;
    QActionGroup *m_models = nullptr, *m_schemes = nullptr, *m_palettes = nullptr,
                 *m_spans = nullptr;
    bool m_hasRun = false, m_hasTurns = false;
    bool m_canRun = false, m_canPause = false;
};

}  // namespace ui
