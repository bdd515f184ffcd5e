// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/threads/engine_thread.h"
#include "ui/run_state.h"
#include "ui/selection.h"

namespace app {

// The run on screen, as far as the GUI thread has heard of it.
struct RunView {
    engine::RunId id{};
    std::string prompt;
    engine::TokenizeOptions options;
    std::vector<engine::Token> tokens;  // the prompt's and the generated ones
    std::int64_t promptTokens = 0;
    std::int64_t rows = 0;     // published
    std::int64_t planned = 0;  // positions that the axes reserve; tokens.size() when idle
    bool promptRead = false;
    double readSeconds = 0;
    std::vector<engine::Step> steps;
    std::string text;                // that the steps generated, whole characters
    std::vector<std::string> notes;  // what the tokenizer decided
    std::string name = "A";          // of the runs of one prompt, by their age
    std::string parent;              // of a fork, and the step where it leaves it
    std::int64_t forkedAt = 0;
    engine::Edits edits;     // that it was computed with
    bool edited = false;     // it leaves its parent for them, not for another token
    std::int64_t given = 0;  // tokens that it did not choose: the prompt's, up to a forced one
    std::vector<engine::Candidate> candidates;  // after the prompt's last row; of a restored run
    // As SavedPrompt's isAsWritten: of a session whose file was edited it is false for good.
    std::optional<bool> promptAsWritten = true;
};

// A to Z, then A1, B1, …
std::string nameOfRun(std::size_t index);

// What the run bar says when a button is pressed.
struct RunSettings {
    std::string prompt;
    engine::TokenizeOptions options;
    engine::Sampling sampling;
    std::int64_t generate = 0;
};

// The state of the window behind the widgets: which model, which run, what is selected, in the
// user's words. Lives on the GUI thread and never waits; everything that takes time is a job of the
// engine thread.
class Session : public QObject {
    Q_OBJECT
  public:
    explicit Session(EngineSource source, QObject* parent = nullptr);

    ui::RunState state() const { return m_state; }
    const std::optional<engine::ModelInfo>& model() const { return m_model; }
    std::shared_ptr<const engine::TraceReader> reader() const { return m_reader; }
    bool hasRun() const { return m_run.id != engine::RunId{}; }
    const RunView& run() const { return m_run; }
    // The other runs of this prompt, forks and what they were forked from; by name.
    const std::vector<RunView>& otherRuns() const { return m_others; }
    // Runs of earlier prompts of this model, still open: one a prompt, that which was on screen;
    // the longest unseen first.
    std::vector<const RunView*> keptRuns() const;
    // Each with its forks, likewise; the last is that which may come back, while a prompt is begun.
    std::vector<std::vector<const RunView*>> keptPrompts() const;
    // Of the pool, by all open runs: at most so many, as the first rows of another prompt or of an
    // edited run may be shared, too; just so many where there is none of either.
    std::int64_t pagesUsed() const;
    bool pagesAreExact() const;
    const ui::Selection& selection() const { return m_selection; }
    bool followsNewest() const { return m_follow; }
    bool headWasPicked() const { return m_headPicked; }  // by hand, since the model was opened
    const std::string& loadingPath() const { return m_loading; }
    // Characters (UTF-8 bytes) of the prompt whose tokens are still being made; 0: none is.
    std::int64_t tokenizing() const { return m_tokenizing; }

    void openModel(const std::string& path);
    void inspectModels(const std::vector<std::string>& paths);  // modelInspected each
    void findModels(const std::string& folder, int levels);     // modelsFound
    void listDevices();                                         // devicesListed
    // tokenLookedUp, of the newest that was asked: a target, or a distractor, named by hand.
    void lookUpToken(const std::string& typed, bool distractor);
    // promptPreviewed, of the newest that was asked, once no job has work.
    void previewPrompt(const std::string& text, const engine::TokenizeOptions&);
    // How models are opened from now on: device, threads and memory; the path is left out.
    void setOpenOptions(const engine::OpenRequest& options) { m_openOptions = options; }

    // Computes a session of `file` again and shows it: all of it, or nothing changes.
    void restore(const SavedSession&, const std::string& file);
    // Model, prompt, runs and selection as they are now, for a file; and the earlier prompts of the
    // runs compared. Returns the runs in the order that they are written in.
    std::vector<engine::RunId> saveTo(SavedSession&,
                                      const std::vector<engine::RunId>& compared = {}) const;

    // Reads the prompt if it is not the run on screen, then generates; goes on when paused.
    void run(const RunSettings&);
    // Reads the prompt, no token after it.
    void read(const RunSettings&);
    // One token more; the first step of a new prompt reads it.
    void step(const RunSettings&);
    // Another token in the place `at`, a generated one or the next: a run beside this one, shown
    // from here on, that generates as many tokens as this one has after it.
    // `others` are the candidates for a place that has no step yet.
    void fork(engine::Position at, const engine::Candidate&, const engine::Sampling&,
              std::vector<engine::Candidate> others = {});
    // What the run on screen was given, computed with these edits and no others: the run that has
    // them already, else a new one beside it that generates as many tokens. False where nothing can
    // be begun now.
    bool edit(engine::Edits, const engine::Sampling&);
    void showRun(engine::RunId);   // one of otherRuns(); not while something runs
    void showKept(engine::RunId);  // one of keptRuns(), with its forks; likewise
    void pause();
    void stop();  // and cancel: what has been computed stays

    void selectHead(engine::LayerHead);  // by hand
    void focusHead(engine::LayerHead);   // by the program: the one worth looking at first
    void moveHead(int layers, int heads);
    void selectCell(engine::Position dest, engine::Position src);  // locks it
    void moveCell(int dests, int srcs);
    void selectDest(engine::Position);
    void selectSrc(engine::Position);
    void suggestSrc(engine::Position dest, engine::Position src);  // taken while none was chosen
    void moveRow(int rows);
    void selectFirstRow() { selectDest(engine::Position(0)); }
    void selectNewestRow();
    void setFollowNewest(bool);
    void unlock();

  Q_SIGNALS:
    void promptPreviewed(const PromptPreview&);
    void tokenLookedUp(const TypedToken&);
    void stateChanged(ui::RunState);
    void modelInspected(const app::ModelInspected&);
    void modelsFound(const app::ModelsFound&);
    void devicesListed(const engine::DeviceList&);
    void modelOpened();  // model(), reader()
    void runOpened();    // run(): its tokens are known, no row is; or another run is shown
    void runClosed();    // it had to make room, in vain: hasRun() is false
    void keptChanged();  // keptRuns()
    void keptClosed(const std::string& prompt);  // and its runs are gone: their room was wanted
    void runsRestoring();  // a session's model is open, and its runs are computed now
    void restored(const app::SessionRestored&);  // model(), run() and the others are the session's
    void promptRead();
    void stepsGiven();  // run().steps of tokens that an edited run was given
    void stepped(const engine::Step&);
    void rowsChanged(std::int64_t published);
    void planChanged();  // run().planned
    void selectionChanged(const ui::Selection&);
    void followChanged(bool);
    void progressed(const engine::Progress&);
    void failed(const engine::Failure&);
    void ended(app::JobEnded::How);

  private:
    void handle(const JobProgress&);
    void handle(const ModelOpened&);
    void handle(const RunOpened&);
    void handle(const RunReturned&);
    void handle(const RunsKept&);
    void handle(const KeptClosed&);
    void handle(const RunForked&);
    void handle(const RunEdited&);
    void handle(const StepsGiven&);
    void handle(const RunClosed&);
    void handle(const PromptRead&);
    void handle(const Stepped&);
    void handle(const RunsRestoring&);
    void handle(const SessionRestored&);
    void handle(const JobEnded&);
    void handle(const ModelInspected&);
    void handle(const DevicesListed&);
    void handle(const ModelsFound&);
    void handle(const PromptPreview&);
    void handle(const TypedToken&);
    template <typename Event>
    bool isCurrent(const Event& event) const {
        return event.job == m_job;
    }

    bool isOnScreen(const RunSettings&) const;
    void begin(const RunSettings&, std::int64_t generate);
    void goOn(const engine::Sampling&, std::int64_t generate);
    RunView* find(engine::RunId);
    const RunView* findEdited(const engine::Edits&) const;
    void park();       // the run on screen joins the others
    void keepShown();  // it joins the earlier prompts, with its forks
    void clearKept();
    void show(RunView);
    void setState(ui::RunState);
    void setRows(std::int64_t published);
    void setPlanned(std::int64_t positions);
    void apply(ui::Selection);
    std::int64_t lastRow() const { return m_run.rows - 1; }

    EngineThread m_engine;
    ui::RunState m_state = ui::RunState::NoModel;
    JobId m_job{};
    bool m_jobRuns = false;
    std::string m_loading;
    engine::OpenRequest m_openOptions;
    std::optional<engine::ModelInfo> m_model;
    std::shared_ptr<const engine::TraceReader> m_reader;
    RunView m_run;
    std::vector<RunView> m_others;
    struct Before {  // what was on screen of a prompt
        RunView run;
        std::vector<RunView> others;
        ui::Selection selection;
        bool follow = true;
    };
    std::optional<Before> m_before;  // what comes back where not a row of m_run can be read
    std::vector<Before> m_kept;
    engine::Candidate m_forced;  // of the fork that is asked for
    std::vector<engine::Candidate> m_forcedOthers;
    std::optional<ui::Selection> m_returnTo;  // once an edited run has that row
    RunSettings m_asked;                      // of the job in work
    std::int64_t m_tokenizing = 0;
    std::int64_t m_owed = 0;  // tokens still to come after a step taken while paused
    ui::Selection m_selection;
    bool m_follow = true;
    bool m_headPicked = false;
};

}  // namespace app
