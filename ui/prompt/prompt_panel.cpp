// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/prompt/prompt_panel.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QTimer>
#include <QToolButton>
#include <algorithm>

#include "ui/painting/theme.h"
#include "ui/prompt/model_entry.h"
#include "ui/prompt/model_picker.h"
#include "ui/prompt/prompt_field.h"
#include "ui/prompt/prompt_line.h"
#include "ui/prompt/prompt_preview.h"
#include "ui/steps/sampler_box.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int isOtherRole = Qt::UserRole + 1;
// Below these widths the bar gives up, in turn, long notes, half of the model's name, the device
// text and the buttons' words, so that the prompt has room to be read.
constexpr int widthForNotes = 1600, widthForNames = 1400, widthForDevice = 1180,
              widthForWords = 1040;
constexpr int widthForOneRow = 900;
constexpr int widestEntries = 560;                 // of the open picker
constexpr int previewAfter = 150;                  // ms without a key
constexpr qsizetype longestPreviewed = 1'000'000;  // characters, some 0.2 s

QFrame* separator(QWidget* parent) {
    auto* line = new QFrame(parent);
    line->setFrameShape(QFrame::VLine);
    line->setFrameShadow(QFrame::Plain);
    line->setForegroundRole(QPalette::Midlight);
    line->setFixedHeight(24);
    return line;
}

}  // namespace

PromptPanel::PromptPanel(QWidget* parent) : QWidget(parent) {
    setAccessibleName(QStringLiteral("Run bar"));
    build();
    applyTheme();
    refreshModels();
    refreshButtons();
}

void PromptPanel::build() {
    m_model = new ModelPicker(this);
    m_model->setAccessibleName(QStringLiteral("Model"));
    m_model->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_model->view()->setTextElideMode(Qt::ElideMiddle);  // what follows a long name stays
    m_prompt = new PromptField(this);
    m_prompt->setMinimumWidth(160);
    m_expand = new QToolButton(this);
    m_expand->setAutoRaise(true);
    m_expand->setCheckable(true);
    m_expand->setFocusPolicy(Qt::TabFocus);
    m_expand->setToolTip(QStringLiteral("Edit the prompt (Ctrl+L)"));
    m_expand->setAccessibleName(QStringLiteral("Edit the prompt"));
    m_chat = new QCheckBox(this);
    m_chat->setAccessibleName(QStringLiteral("Chat template"));
    m_special = new QToolButton(this);
    m_special->setText(QStringLiteral("<|…|>"));
    m_special->setCheckable(true);
    m_special->setFocusPolicy(Qt::TabFocus);
    m_special->setAccessibleName(QStringLiteral("Parse control strings"));
    m_special->setToolTip(literalToolTip(QStringLiteral(
        "Parse control strings\nOn: <|im_end|> and the like, typed in the prompt, become control "
        "tokens.\nOff: they are ordinary text.")));

    m_edited = plainLabel({}, this);
    m_edited->setObjectName(QStringLiteral("editedSinceRun"));
    m_edited->hide();

    m_rows = new QBoxLayout(QBoxLayout::LeftToRight, this);
    m_rows->setContentsMargins(8, 4, 8, 4);
    m_rows->setSpacing(6);
    auto* what = new QHBoxLayout;  // to run; then how
    for (QWidget* widget : {static_cast<QWidget*>(m_model), static_cast<QWidget*>(m_prompt),
                            static_cast<QWidget*>(m_expand), static_cast<QWidget*>(m_chat),
                            static_cast<QWidget*>(m_special)})
        what->addWidget(widget, widget == m_prompt ? 1 : 0);
    m_betweenRows = separator(this);
    what->addWidget(m_betweenRows);
    auto* row = new QHBoxLayout;
    m_rows->addLayout(what, 1);
    m_rows->addLayout(row);
    for (QHBoxLayout* half : {what, row}) half->setSpacing(6);
    row->addWidget(m_edited);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(0);
    m_run = addButton(QStringLiteral("Run"), &PromptPanel::runRequested);
    m_step = addButton(QStringLiteral("Step"), &PromptPanel::stepRequested);
    m_pause = addButton(QStringLiteral("Pause"), &PromptPanel::pauseRequested);
    m_stop = addButton(QStringLiteral("Stop"), &PromptPanel::stopRequested);
    for (QToolButton* button : {m_run, m_step, m_pause, m_stop}) buttons->addWidget(button);
    row->addLayout(buttons);
    m_tokens = new QSpinBox(this);
    m_tokens->setRange(1, 1'000'000);
    m_tokens->setValue(24);
    m_tokens->setSuffix(QStringLiteral(" tokens"));
    m_tokens->setAccessibleName(QStringLiteral("Tokens to generate"));
    m_tokens->setToolTip(QStringLiteral("How many tokens Run generates"));
    m_tokens->setFixedWidth(96);
    m_sampler = new SamplerBox(this);
    m_sampler->setMaximumWidth(150);
    row->addWidget(m_tokens);
    row->addWidget(m_sampler);
    row->addWidget(separator(this));
    m_device = plainLabel({}, this);
    m_memory = plainLabel({}, this);
    auto* device = new QVBoxLayout;
    device->setSpacing(0);
    device->addWidget(m_device);
    device->addWidget(m_memory);
    row->addLayout(device);
    row->addStretch();

    m_preview = new QTimer(this);
    m_preview->setSingleShot(true);
    m_preview->setInterval(previewAfter);
    connect(m_preview, &QTimer::timeout, this, &PromptPanel::previewWanted);
    connect(m_chat, &QCheckBox::toggled, this, &PromptPanel::previewSoon);
    connect(m_special, &QToolButton::toggled, this, &PromptPanel::previewSoon);
    connect(m_model, &QComboBox::activated, this, &PromptPanel::chooseModel);
    connect(m_prompt, &PromptField::textEdited, this, [this] {
        refreshButtons();
        previewSoon();
        Q_EMIT promptChanged();
    });
    connect(m_prompt, &PromptField::runRequested, this, [this] {
        if (canRun()) Q_EMIT runRequested();
    });
    connect(m_prompt, &PromptField::left, this, &PromptPanel::promptLeft);
    connect(m_prompt->line(), &PromptLine::earlierWanted, this,
            &PromptPanel::earlierPromptRequested);
    connect(m_prompt, &PromptField::editorToggled, m_expand, &QToolButton::setChecked);
    connect(m_expand, &QToolButton::clicked, this,
            [this](bool open) { open ? m_prompt->openEditor() : m_prompt->closeEditor(); });
    connect(m_chat, &QCheckBox::toggled, this, &PromptPanel::refreshEdited);
    connect(m_special, &QToolButton::toggled, this, &PromptPanel::refreshEdited);
    connect(m_chat, &QCheckBox::clicked, this, &PromptPanel::promptChanged);
    connect(m_special, &QToolButton::clicked, this, &PromptPanel::promptChanged);
    connect(m_tokens, &QSpinBox::valueChanged, this, &PromptPanel::tokensToGenerateChanged);
    connect(m_tokens, &QSpinBox::valueChanged, this, &PromptPanel::previewSoon);  // they need room
    connect(m_sampler, &SamplerBox::samplingChanged, this, &PromptPanel::samplingChanged);
}

QToolButton* PromptPanel::addButton(const QString& text, void (PromptPanel::*signal)()) {
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setObjectName(text);
    button->setAccessibleName(text);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setFocusPolicy(Qt::TabFocus);  // a click leaves the keys with what had them
    button->setMinimumHeight(25);
    connect(button, &QToolButton::clicked, this, signal);
    return button;
}

void PromptPanel::setModels(const std::vector<engine::ModelInfo>& infos) {
    m_infos = infos;
    refreshModels();
}

bool PromptPanel::isChoosingModel() const {
    return m_model->view()->isVisible();
}

void PromptPanel::setCurrentModel(const QString& path) {
    m_current = path;
    refreshModels();
    previewSoon();
}

void PromptPanel::refreshModels() {
    const QSignalBlocker blocker(m_model);
    m_model->clear();
    bool listed = false, chat = false, unknown = false;
    if (m_current.isEmpty()) m_model->addItem(QStringLiteral("No model"), QString());
    for (const engine::ModelInfo& info : m_infos) {
        const QString path = QString::fromStdString(info.path);
        m_model->addItem(modelEntry(info), path);
        m_model->setItemData(m_model->count() - 1, modelName(info), ModelPicker::ClosedTextRole);
        m_model->setItemData(m_model->count() - 1, literalToolTip(modelEntryTip(info)),
                             Qt::ToolTipRole);
        if (!info.supported)
            static_cast<QStandardItemModel*>(m_model->model())
                ->item(m_model->count() - 1)
                ->setEnabled(false);
        if (path != m_current) continue;
        listed = true;
        chat = info.has_chat_template;
        unknown = info.has_unknown_template;
    }
    if (!m_current.isEmpty() && !listed)
        m_model->addItem(onOneLine(QFileInfo(m_current).fileName()), m_current);
    int widest = 0;
    for (int i = 0; i < m_model->count(); ++i)
        widest = std::max(widest, m_model->fontMetrics().horizontalAdvance(m_model->itemText(i)));
    m_model->view()->setMinimumWidth(std::min(widest + 40, widestEntries));
    m_model->setCurrentIndex(m_model->findData(m_current));
    m_model->insertSeparator(m_model->count());
    m_model->addItem(QStringLiteral("Other folder or GGUF file…"));
    m_model->setItemData(m_model->count() - 1, true, isOtherRole);
    m_model->setToolTip(literalToolTip(m_current));
    m_chat->setEnabled(chat);
    m_chat->setToolTip(
        chat      ? QStringLiteral("Wrap the prompt in the model's own chat template")
        : unknown ? QStringLiteral("This model's chat template is not understood here: the prompt "
                                   "is read as it is")
                  : QStringLiteral("This model has no chat template"));
    refreshButtons();
}

void PromptPanel::chooseModel(int index) {
    const bool other = m_model->itemData(index, isOtherRole).toBool();
    const QString path = m_model->itemData(index).toString();
    // The open model stays named until another one is open.
    m_model->setCurrentIndex(m_model->findData(m_current));
    if (other) {
        Q_EMIT openModelRequested();
    } else if (!path.isEmpty() && path != m_current) {
        Q_EMIT modelChosen(path);
    }
}

void PromptPanel::setPrompt(const QString& text) {
    m_prompt->setText(text);
    refreshButtons();
    previewSoon();
}

// Of a text that would keep the engine for more than a moment nothing is said before it is read.
void PromptPanel::previewSoon() {
    if (!m_current.isEmpty() && !prompt().isEmpty() && prompt().size() <= longestPreviewed)
        m_preview->start();
    else
        m_preview->stop();
}

void PromptPanel::setPreview(const PromptPreview& preview) {
    const engine::TokenizeOptions now = tokenOptions();
    if (preview.text != prompt() || preview.options.chat != now.chat ||
        preview.options.parse_special != now.parse_special)
        return;
    m_prompt->setPreview(preview);
    refreshButtons();
}

void PromptPanel::setTokenOptions(const engine::TokenizeOptions& options) {
    m_chat->setChecked(options.chat);
    m_special->setChecked(options.parse_special);
}

void PromptPanel::setSampling(const engine::Sampling& sampling) {
    m_sampler->setSampling(sampling);
}

void PromptPanel::setTokensToGenerate(int tokens) {
    const QSignalBlocker blocker(m_tokens);
    m_tokens->setValue(tokens);
    previewSoon();
}

void PromptPanel::setRunPrompt(const std::optional<std::string>& prompt,
                               const engine::TokenizeOptions& options) {
    m_runPrompt = prompt;
    m_runOptions = options;
    refreshEdited();
}

bool PromptPanel::isEditedSinceRun() const {
    if (!m_runPrompt) return false;
    const engine::TokenizeOptions now = tokenOptions();
    return now.chat != m_runOptions.chat || now.parse_special != m_runOptions.parse_special ||
           prompt().toStdString() != *m_runPrompt;
}

void PromptPanel::refreshEdited() {
    const bool wide = width() >= widthForNotes || width() < widthForOneRow;
    m_edited->setText(wide ? QStringLiteral("edited since this run") : QStringLiteral("edited"));
    const bool edited = isEditedSinceRun();
    m_edited->setVisible(edited);
    m_edited->setToolTip(edited ? QStringLiteral("The prompt, or how it is tokenized, is no longer "
                                                 "what the panels show. Run reads it as it is now.")
                                : QString());
}

void PromptPanel::setDeviceText(const QString& device, const QString& memory, const QString& note) {
    m_device->setText(device);
    m_memory->setText(memory);
    for (QLabel* label : {m_device, m_memory}) {
        label->setToolTip(literalToolTip(note));
        label->setAccessibleDescription(note);
    }
}

void PromptPanel::setRunState(RunState state, const QString& cannotRun, const QString& cannotStep) {
    // The editor lies over the map, which is what a run is for.
    if (state == RunState::Prefilling && state != m_state) m_prompt->closeEditor();
    m_state = state;
    m_cannotRun = cannotRun;
    m_cannotStep = cannotStep;
    refreshButtons();
}

QString PromptPanel::prompt() const {
    return m_prompt->text();
}

engine::TokenizeOptions PromptPanel::tokenOptions() const {
    engine::TokenizeOptions options;
    options.chat = m_chat->isEnabled() && m_chat->isChecked();
    options.parse_special = m_special->isChecked();
    return options;
}

engine::Sampling PromptPanel::sampling() const {
    return m_sampler->sampling();
}

int PromptPanel::tokensToGenerate() const {
    return m_tokens->value();
}

bool PromptPanel::canRun() const {
    return m_run->isEnabled();
}
bool PromptPanel::canStep() const {
    return m_step->isEnabled();
}
bool PromptPanel::canPause() const {
    return m_pause->isEnabled();
}
bool PromptPanel::canStop() const {
    return m_stop->isEnabled();
}

void PromptPanel::editPrompt() {
    m_prompt->openEditor();
}

bool PromptPanel::isEditorOpen() const {
    return m_prompt->isEditorOpen();
}

void PromptPanel::closeEditor() {
    m_prompt->closeEditor();
}

void PromptPanel::leavePrompt() {
    closeEditor();
    if (m_prompt->line()->hasFocus()) Q_EMIT promptLeft();
}

void PromptPanel::toggleControlStrings() {
    m_special->click();
}

void PromptPanel::refreshButtons() {
    if (!m_stop) return;
    QString why;  // neither Run nor Step
    switch (m_state) {
        case RunState::NoModel: why = QStringLiteral("Open a model first."); break;
        case RunState::Loading: why = QStringLiteral("The model is still being opened."); break;
        case RunState::Prefilling: why = QStringLiteral("The prompt is being read."); break;
        case RunState::Decoding: why = QStringLiteral("Tokens are being generated."); break;
        case RunState::Cancelling: why = QStringLiteral("The run is being stopped."); break;
        default:
            if (prompt().isEmpty()) why = QStringLiteral("Type a prompt first.");
    }
    const auto set = [](QToolButton* button, const QString& refusal, const QString& help) {
        button->setEnabled(refusal.isEmpty());
        button->setToolTip(literalToolTip(refusal.isEmpty() ? help : refusal));
    };
    const PromptPreview& preview = m_prompt->line()->preview();
    QString doomed;  // it may be tried: what is free changes
    if (preview.isOf(prompt()) && !preview.problem.isEmpty())
        doomed = QStringLiteral("\nWould be refused: ") + preview.problem + QStringLiteral(". ") +
                 preview.remedy;
    set(m_run, why.isEmpty() ? m_cannotRun : why,
        m_state == RunState::Paused
            ? QStringLiteral("Go on generating (Space)")
            : QStringLiteral("Read the prompt and generate (Ctrl+Enter)") + doomed);
    set(m_step, why.isEmpty() ? m_cannotStep : why,
        QStringLiteral("Generate one token; a prompt that is new is only read"));
    const bool running = m_state == RunState::Prefilling || m_state == RunState::Decoding;
    const QString idle = m_state == RunState::Cancelling
                             ? QStringLiteral("The run is being stopped.")
                             : QStringLiteral("Nothing is running.");
    set(m_pause, running ? QString() : idle, QStringLiteral("Pause after this step (Space)"));
    set(m_stop,
        running || m_state == RunState::Loading || m_state == RunState::Paused ? QString() : idle,
        QStringLiteral("Stop; what is computed stays (Ctrl+.)"));
    refreshEdited();
    Q_EMIT availabilityChanged();
}

void PromptPanel::applyTheme() {
    m_run->setIcon(icon(Sign::Run));
    m_step->setIcon(icon(Sign::Step));
    m_pause->setIcon(icon(Sign::Pause));
    m_stop->setIcon(icon(Sign::Stop));
    m_expand->setIcon(icon(Sign::Expand));
    m_edited->setFont(wordFont(11));
    m_edited->setForegroundRole(QPalette::PlaceholderText);
    m_device->setFont(wordFont(11));
    m_memory->setFont(wordFont(11));
    m_special->setFont(monoFont(10));
    m_memory->setForegroundRole(QPalette::PlaceholderText);
}

void PromptPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    for (QLabel* label : {m_device, m_memory}) label->setVisible(width() >= widthForDevice);
    for (QToolButton* button : {m_run, m_step, m_pause, m_stop})
        button->setToolButtonStyle(width() >= widthForWords ? Qt::ToolButtonTextBesideIcon
                                                            : Qt::ToolButtonIconOnly);
    m_model->setFixedWidth(width() >= widthForNames ? 222 : 150);
    m_chat->setText(width() >= widthForNames ? m_chat->accessibleName() : QStringLiteral("Chat"));
    const bool oneRow = width() >= widthForOneRow;
    m_rows->setDirection(oneRow ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_betweenRows->setVisible(oneRow);
    refreshEdited();
    updateGeometry();
}

QSize PromptPanel::minimumSizeHint() const {
    return {520, width() >= widthForOneRow ? 36 : 66};
}

void PromptPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) applyTheme();
    QWidget::changeEvent(event);
}

}  // namespace ui
