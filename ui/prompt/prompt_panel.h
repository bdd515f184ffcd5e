// SPDX-License-Identifier: GPL-3.0-or-later
// The run bar: which model, what prompt, how to run it.
#pragma once
#include <QString>
#include <QWidget>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/model_info.h"
#include "engine/values/run.h"
#include "ui/run_state.h"

class QBoxLayout;
class QCheckBox;
class QComboBox;
class QFrame;
class QLabel;
class QSpinBox;
class QTimer;
class QToolButton;

namespace ui {

class PromptField;
class SamplerBox;
struct PromptPreview;

class PromptPanel : public QWidget {
    Q_OBJECT
  public:
    explicit PromptPanel(QWidget* parent = nullptr);

    void setModels(const std::vector<engine::ModelInfo>&);
    bool isChoosingModel() const;  // the list is open: none of its lines may move
    void setCurrentModel(
        const QString& path);        // empty: "No model"; a path not in the list is added
    void setPrompt(const QString&);  // exactly as given; no signal
    void setTokenOptions(const engine::TokenizeOptions&);
    // What previewWanted asked for; one of another text or options is not taken.
    void setPreview(const PromptPreview&);
    void setSampling(const engine::Sampling&);
    void setTokensToGenerate(int);
    // What the panels show was computed from: where the field differs, the bar says so.
    void setRunPrompt(const std::optional<std::string>&, const engine::TokenizeOptions& = {});
    // note: why it is this device, a tooltip; may be empty.
    void setDeviceText(const QString& device, const QString& memory, const QString& note);
    // cannotRun, cannotStep: why not, beyond what the state says; each is the tooltip of its
    // disabled button.
    void setRunState(RunState, const QString& cannotRun = {}, const QString& cannotStep = {});

    QString prompt() const;
    engine::TokenizeOptions tokenOptions() const;  // chat only where the model has a template
    engine::Sampling sampling() const;
    int tokensToGenerate() const;
    bool canRun() const;
    bool canStep() const;
    bool canPause() const;
    bool canStop() const;
    bool isEditedSinceRun() const;
    void editPrompt();  // opens the editor and gives it the focus (Ctrl+L)
    bool isEditorOpen() const;
    void closeEditor();
    void leavePrompt();  // its line or its editor, whichever has the focus
    void toggleControlStrings();

    // Words go first, then the bar takes two rows.
    QSize minimumSizeHint() const override;

  Q_SIGNALS:
    void modelChosen(const QString& path);
    void openModelRequested();
    void runRequested();
    void promptLeft();  // the keys are the window's again
    void stepRequested();
    void pauseRequested();
    void stopRequested();
    void
    promptChanged();  // the text or how it is tokenized; the run shown is then of an older text
    void previewWanted();  // nothing was typed for a moment: what would the prompt be read as?
    void earlierPromptRequested(int step);  // 1: an older one than is shown, −1: a newer one
    void samplingChanged();
    void tokensToGenerateChanged(int tokens);
    void availabilityChanged();  // one of the can…() may have changed

  protected:
    void resizeEvent(QResizeEvent*) override;
    void changeEvent(QEvent*) override;

  private:
    void build();
    void applyTheme();
    void refreshButtons();
    void refreshEdited();
    void refreshModels();
    void chooseModel(int index);
    void previewSoon();
    QToolButton* addButton(const QString& text, void (PromptPanel::*signal)());

    std::vector<engine::ModelInfo> m_infos;
    QString m_current;
    RunState m_state = RunState::NoModel;
    QString m_cannotRun, m_cannotStep;
    std::optional<std::string> m_runPrompt;
    engine::TokenizeOptions m_runOptions;
    QBoxLayout* m_rows = nullptr;
    QFrame* m_betweenRows = nullptr;
    QComboBox* m_model = nullptr;
    PromptField* m_prompt = nullptr;
    QTimer* m_preview = nullptr;
    QToolButton* m_expand = nullptr;
    QCheckBox* m_chat = nullptr;
    QToolButton* m_special = nullptr;
    QToolButton *m_run = nullptr, *m_step = nullptr, *m_pause = nullptr, *m_stop = nullptr;
    QSpinBox* m_tokens = nullptr;
    SamplerBox* m_sampler = nullptr;
    QLabel *m_edited = nullptr, *m_device = nullptr, *m_memory = nullptr;
};

}  // namespace ui
