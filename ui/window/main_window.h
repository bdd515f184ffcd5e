// SPDX-License-Identifier: GPL-3.0-or-later
// The frame: menus and keys, run bar, docks, page, status bar. Its parts are reached through the
// accessors and are wired by the app; what the window itself knows is the run state, the selection
// and the layout. GUI thread only.
#pragma once
#include <QList>
#include <QMainWindow>
#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/values/model_info.h"
#include "engine/values/run.h"
#include "engine/values/tile.h"
#include "ui/painting/map_units.h"
#include "ui/run_state.h"
#include "ui/selection.h"
#include "ui/window/message_bar.h"
#include "ui/window/progress_panel.h"

class QSettings;

namespace ui {

class ChecksBadge;
class ContributionBars;
class EmptyPage;
class LogitsPanel;
class PromptPanel;
class StepBar;
class TokenStrip;

enum class Menu { File, Edit, View, Model, Run, Heads, Export, Help };

enum class Palette;

class MainWindow : public QMainWindow {
    Q_OBJECT
  public:
    // Layout, geometry and colour scheme come from settings and go back there on close; not owned.
    explicit MainWindow(QSettings& settings, QWidget* parent = nullptr);
    ~MainWindow() override;

    PromptPanel& promptPanel() const;
    TokenStrip& tokenStrip() const;
    StepBar& stepBar() const;
    LogitsPanel& logitsPanel() const;
    ContributionBars& contributionBars() const;
    ProgressPanel& progressPanel() const;
    EmptyPage& emptyPage() const;
    ChecksBadge& checksBadge() const;
    MessageBar& messageBar() const;

    void setHeadsWidget(QWidget*);  // content of the Heads dock (the grid); owned from here
    void setFinderPage(QWidget*);   // the page beside Head; owned from here
    bool isFinderShown() const;
    void setComparePage(QWidget*);  // after the finder's; owned from here
    bool isCompareShown() const;
    void setHeadPage(
        QWidget*);  // below the token strip: head bar, map, scale column; owned from here
    void setEditsBar(QWidget*);  // above every page, below the message; owned from here
    // An action of a view that the app composes, in menu and key overlay like the window's own.
    // Letter keys yield to text.
    QAction* addViewAction(Menu, const QString& text, const QKeySequence&,
                           const QString& statusTip = {});

    void setModels(const std::vector<engine::ModelInfo>&);   // run bar, Model menu, empty page
    void setModel(const std::optional<engine::ModelInfo>&);  // the open one, or none
    void setRunState(RunState, const QString& cannotRun = {}, const QString& cannotStep = {});
    RunState runState() const;
    // Strip and titles; the page shows the run, or with no tokens the empty page.
    void setTokens(std::vector<engine::Token>, std::int64_t promptTokens);
    void appendToken(const engine::Token&);
    void setRows(std::int64_t published);
    void setSelection(const Selection&);  // strip, steps, bars, titles, tab; Esc follows its lock
    void clearSelection();                // no run: nothing is marked
    // What the map's axes count, in page bar and menu; and whether the run has chat turns.
    void setGranularity(Granularity);
    void setTurnsOffered(bool);
    void setTransposed(bool);  // the map: its cells' ways in the menu are called as they are seen
    void setHeadsNote(const QString&);  // right of the Heads dock's title: "270 of 270"

    void setStateText(const QString&);  // "Generating, token 9 of 16"
    void setHoverText(const QString&);  // "L23.H3 · dest 13 ← src 9 · p 0.7404"
    void setRateText(const QString&);   // "38.6 tok/s"
    // total 0: "pages –"; not exact: runs share some of what is counted, "pages ≤ 12 of 1,024".
    void setPages(std::int64_t used, std::int64_t total, bool exact = true);
    void beginProgress(const QString& title, ProgressPanel::Unit, const QString& note = {});
    void setProgress(std::int64_t done, std::int64_t total, const QString& detail = {},
                     double inWork = 0);  // as ProgressPanel's
    // Where the panel may stand, in the head page's own coordinates (the map's uncomputed part);
    // empty: anywhere.
    void setProgressArea(const QRect&);
    void endProgress();                           // both the panel over the page and the thin bar
    void setBusyFraction(std::optional<double>);  // the thin bar; none: hidden
    void showMessage(const Message&);             // message bar, and kept in Help, Messages
    const QList<Message>& messages() const;

    void setRecentFiles(const QStringList& paths);       // File, Open recent; the newest first
    void setEarlierPrompts(const QStringList& prompts);  // Edit, Earlier prompts
    void setKeptRuns(const QStringList& runs);  // Run, Runs of earlier prompts; the newest first
    void setHasLastSession(bool);               // File, Reopen last session
    void showHeadPage();
    void showFinderPage();
    void showComparePage();
    void setSolo(
        bool);  // the map alone, docks and strip hidden; Enter, or a double click in the map
    bool isSolo() const;
    void resetLayout();
    void choosePalette(Palette);  // and keep it in the settings
    void saveLayout();            // also on close

  Q_SIGNALS:
    void modelChosen(const QString& path);
    void openModelRequested();
    void promptChosen(
        const QString& text);  // an example, or a dropped text file; already in the prompt field
    void recentFileChosen(const QString& path);
    void recentFilesCleared();
    void earlierPromptChosen(int index);  // of setEarlierPrompts
    void earlierPromptsCleared();
    void keptRunChosen(int index);  // of setKeptRuns
    void reopenLastRequested();
    void settingsRequested();
    void openSessionRequested();
    void sessionChosen(const QString& path);  // a dropped one
    void saveSessionRequested();
    void saveSessionAsRequested();
    void runRequested();
    void stepRequested();
    void pauseRequested();
    void stopRequested();      // Stop, Ctrl+.
    void progressCancelled();  // the progress panel's own Cancel
    void exportHeatmapRequested();
    void exportBarsRequested();
    void exportPinsRequested();
    void composeRequested();
    void exportDifferenceRequested();
    void copyLocationRequested();
    void copyHeatmapRequested();
    void copyCodeRequested(bool nnsight);  // else TransformerLens
    void quitRequested();  // File, Quit: the app ends its work and closes the window
    void closed();         // the window was closed; its layout is saved
    void remedyChosen(const QString& id);

    void headMoveRequested(int layers, int heads);  // arrows
    void cellMoveRequested(int down, int right);    // Shift + arrows, by 10 with Ctrl
    void rowMoveRequested(int rows);                // [ ] and ‹ ›
    void firstRowRequested();                       // Home, «
    void newestRowRequested();                      // End, »
    void quantityRequested(engine::Quantity);       // 1 2 3 4
    void pinRequested();                            // P: the focused head, or not any more
    void unpinAllRequested();
    void scaleRequested();                       // S: the next one
    void rangeRequested();                       // R
    void sinkRequested();                        // B
    void poolingRequested();                     // M
    void granularityRequested(ui::Granularity);  // page bar; View, Map by
    void nextGranularityRequested();             // G
    void zoomRequested(int direction);           // + 1, − −1, 0 whole
    void unlockRequested();                      // Esc while a cell is locked
    void pageChanged();                          // Head, Finder or Compare is in front
    void schemeChanged();                        // light or dark was applied

  protected:
    bool eventFilter(QObject*, QEvent*) override;
    void closeEvent(QCloseEvent*) override;
    void keyPressEvent(QKeyEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void showEvent(QShowEvent*) override;
    void dragEnterEvent(QDragEnterEvent*) override;
    void dropEvent(QDropEvent*) override;

  private:
    struct Parts;
    void buildRunBar();
    void buildPage();
    void buildDocks();
    void buildStatusBar();
    void connectParts();
    void connectActions();
    void arrangeDocks();  // default places and sizes
    void sizeDocks();
    void noticeDrag();
    void shareWidth();
    void shareRightHeight();
    void adaptToSize();  // narrow: right docks in one, or all in one; low: Steps is its title
    void gatherSides(bool together);  // Heads and the right docks in one column
    bool standRight() const;          // both docks of the right side are there
    void standRightAnew();
    void restoreLayout();
    void placeProgress();
    void refreshTitles();
    void refreshActions();
    void showPage();  // the empty page, or the run's
    QList<QWidget*> regions() const;
    void orderFocus();
    void focusRegion(int step);
    void stepOut();    // Esc
    void focusPage();  // out of a field, back to the keys of the window
    void openDropped(const QString& path);
    void applyScheme(int choice);
    std::unique_ptr<Parts> m;
};

}  // namespace ui
