// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAction>
#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/files/cache_job.h"
#include "app/files/data_file.h"
#include "app/files/export_job.h"
#include "app/files/head_figure.h"
#include "app/session/compare_views.h"
#include "app/session/kept_file.h"
#include "app/session/pins.h"
#include "app/session/prompt_history.h"
#include "app/session/range_views.h"
#include "app/session/session.h"
#include "app/session/trace_views.h"
#include "ui/grid/head_peek.h"
#include "ui/heatmap/top_ends.h"
#include "ui/window/main_window.h"
#include "ui/window/place.h"

class QCheckBox;
class QSettings;

namespace ui {
struct Drawing;
struct FigureWish;
class ComparePage;
class EditChips;
class FigureComposer;
class GoToLine;
class HeadFinder;
class HeadGrid;
class HeadPage;
class HeadHeatmap;
class HeadsPanel;
class SettingsDialog;
struct SettingsValues;
}  // namespace ui

namespace app {

// The real window: every widget wired to the session and its views. GUI thread; no call waits, but
// for the destructor, which joins the engine and reader threads.
class MainView : public QObject {
    Q_OBJECT
  public:
    struct Start {
        std::optional<std::string>
            model;  // opened first; none: the default model of the folder, if there
        std::optional<std::string> prompt;  // read once a model is open; none: an example
        std::string modelFolder;            // what the picker lists
        bool verbose = false;               // log to stderr
        // In place of the settings' until others are chosen there; the type has no setting.
        std::optional<std::string> device = {};
        std::optional<engine::DType> dtype = {};
        std::optional<int> threads = {};
    };

    MainView(EngineSource source, QSettings& settings, Start start);
    ~MainView() override;

    ui::MainWindow& window() { return *m_window; }
    ui::HeadGrid& grid() { return *m_grid; }
    ui::HeadsPanel& headsPanel() { return *m_heads; }
    ui::HeadPage& headPage() { return *m_page; }
    ui::HeadFinder& finder() { return *m_finder; }
    ui::ComparePage& comparePage() { return *m_comparePage; }
    Session& session() { return m_session; }
    Pins& pins() { return m_pins; }
    CompareViews& compare() { return m_compare; }
    TraceViews& views() { return m_views; }

    void begin();  // once the window is on screen: lists the models and opens one

  private:
    void build();

    // Models and messages (main_view.cpp).
    void wireModels();
    void openModel(const std::string& typed);
    void chooseModelFile();
    void listModels();
    void lookBeside(const std::string& model);
    void listFound(const ModelsFound&);
    void showModels();
    void showModel();
    void showWarnings();
    void showNoRun();
    void showMemory();
    void showFailure(const engine::Failure&);
    void showViewFailure(const engine::Failure&);
    void showExportFailure(const engine::Failure&);
    void remember(const std::string& path);
    std::vector<std::string> recentModels() const;

    // What was typed comes back after a crash (main_view_saved.cpp).
    void wireSaved();
    void restoreTyped();
    void saveTyped();

    // Runs of earlier prompts, and the session before this one (main_view_kept.cpp).
    void wireKept();
    void showKept();
    bool isWorthKeeping() const;
    void leaveSession();  // another model or session is wanted
    void keepLast();      // it is there
    void reopenLast();

    // Sessions (main_view_session.cpp).
    void wireSessions();
    void chooseSession();
    void openSession(const std::string& path);
    void chooseSessionPath();
    void saveSession(const std::string& path);
    SavedSession sessionNow() const;
    SavedHeads headsNow() const;  // how they are folded, ordered, filtered and plotted
    void showHeads(const SavedHeads&);
    void showRestored(const SessionRestored&);
    void warnOfDifferences(const SessionRestored&);

    // Recent files and earlier prompts (main_view_remembered.cpp).
    void wireRemembered();
    void rememberFile(const std::string& path);
    void openRecent(const QString& path);
    EarlierPrompt promptInBar() const;
    void showEarlier(const EarlierPrompt&);
    void showEarlierPrompts();

    // Settings (main_view_settings.cpp).
    void wireSettings();
    ui::SettingsValues openSettings() const;  // the file's, with what this start asked instead
    void applySettings();
    void showSettings();
    void lookIntoCache(bool empty);
    void showCache(const std::vector<CacheEntry>&);

    // Copies of the view (main_view_copy.cpp).
    void wireCopy();
    void copyMap();
    void copyPicture(const ui::Drawing&);
    void copyCode(bool nnsight);

    // Running (main_view_run.cpp).
    void wireRun();
    RunSettings settingsFromBar() const;
    void showState(ui::RunState);
    void showReading();
    void showStateText();
    void showChecksPending();
    void showRun();
    void showOtherRuns();
    void showPlan();
    void showRows(std::int64_t published);
    void showStep(const engine::Step&);
    void showProgress(const engine::Progress&);

    // Selection and what is on screen (main_view_map.cpp).
    void wireSelection();
    void wireGrid();
    void wireMap();
    void wirePanels();
    void showSelection(const ui::Selection&);
    void setQuantity(engine::Quantity);
    std::vector<ui::TopEnds::End> endsOf(const std::vector<float>& p) const;  // the largest of p
    void showLockedText();
    void showContributions();
    void know(const std::vector<engine::Candidate>&);
    QString textOf(std::optional<engine::TokenId>) const;  // visible; "token 42" where unknown

    // The Finder page (main_view_finder.cpp).
    void wireFinder();
    void showRanking();

    // Ways about by keys (main_view_keys.cpp).
    void wireKeys();
    void filterHeads();
    void leaveFilter();
    ui::PlaceAnswer placeOf(const QString& typed) const;
    void askPlace();
    void goTo(const QString& typed);
    void moveRun(int by);

    // Rows and columns of the grid that are folded, and the grid as a file (main_view_fold.cpp).
    void wireFold();
    void exportGrid(const QString& path);
    void drawGrid(const std::vector<engine::Tile>&);

    // Edits of the run (main_view_edits.cpp).
    void wireEdits();
    void applyEdits(engine::Edits);
    void ablate(engine::LayerHead);              // or give it back
    void forbid(const engine::EdgeEdit& cells);  // or allow them
    void showHeadMenu(engine::LayerHead, QPoint where);
    void showCellMenu(engine::Rows dest, engine::Rows src, QPoint where);
    void showEdits();
    void showGivenSteps();
    void keepCandidates(const std::vector<engine::Candidate>&);
    std::vector<engine::Candidate> keptCandidates() const;

    // Pinned heads (main_view_pins.cpp).
    void wirePins();
    void showPins();
    void toldAbout(bool allPinned);

    // Two runs (main_view_compare.cpp).
    void wireCompare();
    void showPair();
    void showChanges();
    void wireBeside();  // main_view_beside.cpp
    void showBeside(const engine::ContributionTable&);
    void exportDifference(const QString& path);
    // Of the focused head, as the pair is compared; without rows where it is gone.
    MapData differenceOfPair() const;
    void takePlaces(bool byToken);           // m_figurePlaces
    void namePlaces(ui::HeadFigure&) const;  // by them

    // What the map's axes count, and the whole of it beside a part (main_view_spans.cpp).
    void wireSpans();
    void setGranularity(ui::Granularity);
    void showTurns();
    ui::MapUnits unitsOf(std::int64_t rows) const;  // as the map's, of the first rows
    void wireMiniMap();
    void wireTransposed();
    void wireThreshold();  // main_view_threshold.cpp
    void askThreshold();
    bool isTransposed() const { return m_transposed->isChecked(); }
    void wireText();     // main_view_text.cpp
    void wirePreview();  // main_view_preview.cpp
    void wirePeek();     // main_view_peek.cpp
    std::vector<ui::HeadPeek::Number> numbersOf(engine::LayerHead) const;

    // Export (main_view_export.cpp).
    void wireExport();
    // `offer`: of a check box that m_inView is then; empty: none.
    void choosePath(const QString& title, const QString& name, std::function<void(QString)> then,
                    const QString& offer = {});
    void drawHeads(const std::vector<engine::Tile>&);
    void drawBars(const QString& path);
    void writePicture(const ui::Drawing&, const std::string& path, const std::string& subject,
                      double zoom = FigureLook().zoom, const std::string& prompts = {});
    void exportHeads(const QString& path, const std::vector<engine::LayerHead>&,
                     const FigureLook& = {});
    // What a file system takes as a name.
    static QString fileNameOf(QString text, const char* ending = ".png");
    void exportMaps(const QString& path, MapData, const FigureLook& = {});
    void dress(ui::HeadFigure&, const engine::TileRequest&, const FigureLook&) const;
    QString figureTitle() const;
    QString runTitle(const RunView&) const;  // to go after it
    void write(const std::string& path, ExportJob::Work work);

    // All heads' numbers, and how far they moved, as files (main_view_numbers.cpp).
    void wireNumbers();
    void exportNumbers();  // asks where
    void writeNumbers(const QString& path);
    void drawScatter(const std::string& path);
    void writeMoved(const QString& path);

    // Several heads composed to a figure (main_view_compose.cpp).
    void wireComposer();
    void composeFigure();
    void followComposer();  // what it may show is another
    ui::FigureWish composedWish() const;
    void tellComposer(const QString&);  // where the window's own words are covered by it
    void tellComposer(const engine::Failure&);
    void showComposed();
    void drawComposed(const std::vector<engine::Tile>&);
    void exportComposed();
    void copyCommand();

    // Exports in work (main_view_export_job.cpp).
    void wireExportJob();
    bool isExporting() const;
    void beginExport(const QString& path);
    void showExportProgress(std::int64_t done, std::int64_t total);
    void endExport();
    void cancelExport();
    void sayCancelled(const QString& path);

    void log(const std::string& what);  // with the seconds since the start, when verbose

    QSettings& m_settings;
    Start m_start;
    QElapsedTimer m_clock;
    std::unique_ptr<ui::MainWindow> m_window;
    ui::HeadsPanel* m_heads = nullptr;
    QAction* m_asText = nullptr;      // the prompt as text; the window's
    QAction* m_transposed = nullptr;  // destinations along x; the window's
    ui::HeadGrid* m_grid = nullptr;   // owned by the window, as the page
    ui::HeadPage* m_page = nullptr;
    ui::HeadFinder* m_finder = nullptr;
    ui::ComparePage* m_comparePage = nullptr;
    ui::EditChips* m_editChips = nullptr;
    ui::HeadPeek* m_peek = nullptr;

    Session m_session;
    TraceViews m_views{m_session};
    CompareViews m_compare{m_session, m_views};
    RangeViews m_ranges{m_session, m_views};
    Pins m_pins;
    std::vector<engine::LayerHead> m_unpinned;  // all at once, and not pinned again since
    bool m_exportFailed = false;  // and the message is there: an export that succeeds takes it away
    ExportJob m_export;

    std::vector<std::string> m_paths;  // of the picker, in its order
    std::map<std::string, engine::ModelInfo> m_infos;
    std::map<std::string, std::string> m_foundNames;  // by path
    std::set<std::string> m_searched;                 // folders
    bool m_readWhenOpen = true;  // the prompt in the field, once the model is open
    std::map<engine::TokenId, std::string> m_bytes;
    std::optional<engine::HeadTable> m_metrics;
    std::optional<engine::Cell> m_locked;
    std::vector<engine::Candidate> m_candidates;  // after the prompt's last row
    // The same for each model that edits make of this one, of the prompt on screen.
    std::vector<std::pair<engine::Edits, std::vector<engine::Candidate>>> m_candidatesOf;
    std::string m_endNote;                    // "the model ended its text"
    double m_stepSeconds = 0;                 // smoothed
    QString m_figurePath;                     // where the picture asked for goes
    QString m_exportName;                     // of the file that is written
    bool m_progressIsExport = false;          // the panel, or what it last showed
    bool m_figureToClipboard = false;         // instead, or as well
    std::optional<ui::MapView> m_copiedPart;  // of the map, by the clipboard's figure
    bool m_figureIsGrid = false;
    bool m_loggedMap = false;
    QPointer<QCheckBox> m_inView;  // of the export's dialog: the part in view alone
    FigureLook m_figureLook;       // of the picture asked for
    ui::MapUnits m_figureUnits;
    struct FigurePlaces {  // of two runs aligned by token; empty: its axes are positions
        std::vector<engine::Token> tokens;
        std::vector<QString> numbers;
    };
    FigurePlaces m_figurePlaces;
    ui::Granularity m_granularity = ui::Granularity::Tokens;
    bool m_hasTurns = false;
    ui::GoToLine* m_goTo = nullptr;
    ui::GoToLine* m_askThreshold = nullptr;
    QPointer<QWidget> m_beforeFilter;  // had the focus when the filter was asked for
    bool m_compareBeforeFilter = false, m_leavesFinder = false;
    CacheJob m_cache;
    QPointer<ui::SettingsDialog> m_settingsDialog;
    QPointer<ui::FigureComposer> m_composer;
    std::optional<ui::HeadFigure> m_composed;  // whose tiles are on their way
    double m_composedScale = 1;                // device pixels a logical one
    QTimer m_composing;                        // single shot: typing gathers
    PromptHistory m_history{m_settings};
    std::string m_sessionPath;  // where Save goes; empty: it asks
    QTimer m_save;              // a moment after the last key
    // What was on screen before another model or session, or when the program last ended; and what
    // is there now, which is that at the next start.
    KeptFile m_lastSession{m_settings, QStringLiteral("-last.headscope")};
    KeptFile m_thisSession{m_settings, QStringLiteral("-this.headscope")};
    std::optional<SavedSession> m_leaving;  // until the one that is opened is there
    QTimer m_keepThis;                      // a moment after a run
    KeptFile m_typed{m_settings, QStringLiteral("-prompt.txt")};  // one too long for the settings
    QTimer m_listing;  // until the models found so far are listed
};

}  // namespace app
