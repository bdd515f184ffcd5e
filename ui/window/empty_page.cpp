// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/empty_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/models/model_table.h"
#include "ui/painting/theme.h"
#include "ui/prompt/prompt_row.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int rowHeight = 25;
constexpr int mostRows = 8;

QLabel* heading(const QString& text, double px) {
    QLabel* label = plainLabel(text);
    label->setFont(wordFont(px, true));
    return label;
}

QLabel* aside(const QString& text) {
    QLabel* label = plainLabel(text);
    label->setFont(wordFont(11));
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setWordWrap(true);
    return label;
}

QFrame* rule() {
    auto* line = new QFrame;
    line->setFrameShape(QFrame::HLine);
    line->setFrameShadow(QFrame::Plain);
    line->setForegroundRole(QPalette::Midlight);
    return line;
}

}  // namespace

EmptyPage::EmptyPage(QWidget* parent) : QScrollArea(parent) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    auto* page = new QWidget;
    page->setBackgroundRole(QPalette::Base);
    page->setAutoFillBackground(true);

    m_models = new ModelTable(this);
    m_view = new QTableView;
    m_view->setModel(m_models);
    m_view->setAccessibleName(QStringLiteral("Models"));
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setShowGrid(false);
    m_view->setWordWrap(false);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setDefaultSectionSize(rowHeight);
    m_view->horizontalHeader()->setHighlightSections(false);
    m_view->horizontalHeader()->setFont(wordFont(11));
    m_view->horizontalHeader()->setFixedHeight(21);
    m_view->setTabKeyNavigation(false);

    m_open = new QPushButton;
    m_open->setDefault(true);
    m_other = new QPushButton(QStringLiteral("Other folder or GGUF file…"));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addWidget(m_open);
    buttons->addWidget(m_other);
    buttons->addStretch(1);

    m_promptBox = new QWidget;
    m_prompts = new QVBoxLayout(m_promptBox);
    m_prompts->setContentsMargins(0, 0, 0, 0);
    m_prompts->setSpacing(4);
    m_promptBox->hide();

    m_title = heading({}, 17);
    m_title->setWordWrap(true);
    m_about = aside({});
    m_modelsTitle = heading(QStringLiteral("Open another model"), 12);
    m_modelsTitle->setContentsMargins(0, 12, 0, 0);
    m_modelBox = new QWidget;
    auto* models = new QVBoxLayout(m_modelBox);
    models->setContentsMargins(0, 0, 0, 0);
    models->setSpacing(8);
    models->addWidget(m_modelsTitle);
    models->addWidget(m_view);
    models->addSpacing(8);
    models->addLayout(buttons);
    models->addWidget(
        aside(QStringLiteral("or drop a model folder, a .gguf or a text file anywhere "
                             "in this window. Nothing is downloaded.")));
    m_column = new QVBoxLayout(page);
    m_column->setContentsMargins(28, 24, 28, 24);
    m_column->setSpacing(8);
    m_column->addWidget(m_title);
    m_column->addWidget(m_about);
    m_column->addWidget(m_modelBox);
    m_column->addWidget(m_promptBox);
    m_column->addStretch(1);
    setWidget(page);

    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &EmptyPage::refreshOpenButton);
    connect(m_view, &QTableView::activated, this, [this](const QModelIndex& index) {
        const engine::ModelInfo* info = m_models->at(index.row());
        if (info && info->supported && !m_busy)
            Q_EMIT modelChosen(QString::fromStdString(info->path));
    });
    connect(m_open, &QPushButton::clicked, this, [this] {
        const engine::ModelInfo* info = m_models->at(m_view->currentIndex().row());
        if (info && info->supported) Q_EMIT modelChosen(QString::fromStdString(info->path));
    });
    connect(m_other, &QPushButton::clicked, this, &EmptyPage::openModelRequested);
    setModels({});
    setOpenModel({});
}

void EmptyPage::setOpenModel(const std::optional<engine::ModelInfo>& model) {
    m_openPath = model ? QString::fromStdString(model->path) : QString();
    m_title->setText(model ? onOneLine(QString::fromStdString(model->name))
                           : QStringLiteral("Open a model"));
    setAccessibleName(m_title->text());
    m_about->setVisible(model.has_value());
    m_modelsTitle->setVisible(model.has_value());
    if (model)
        m_about->setText(
            QStringLiteral("%1 layers of %2 heads, a context of %3 tokens. Run a prompt to see "
                           "what they look at.")
                .arg(model->layers)
                .arg(model->query_heads)
                .arg(thousands(model->context)));
    // What is next comes first: a prompt for the open model, else a model.
    m_column->removeWidget(m_promptBox);
    m_column->insertWidget(m_column->indexOf(m_modelBox) + (model ? 0 : 1), m_promptBox);
    refreshOpenButton();
}

QString EmptyPage::title() const {
    return m_title->text();
}

void EmptyPage::setModels(const std::vector<engine::ModelInfo>& models) {
    m_models->setModels(models);
    const auto supported = std::find_if(models.begin(), models.end(),
                                        [](const engine::ModelInfo& i) { return i.supported; });
    if (supported != models.end())
        m_view->setCurrentIndex(
            m_models->index(static_cast<int>(supported - models.begin()), ModelTable::Name));
    m_view->setVisible(!models.empty());
    const int rows = std::min(static_cast<int>(models.size()), mostRows);
    m_view->setFixedHeight(21 + rows * rowHeight + 2 * m_view->frameWidth());
    QHeaderView* header = m_view->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::Fixed);
    m_view->resizeColumnsToContents();
    for (int column = ModelTable::File; column < ModelTable::Columns; ++column)
        header->resizeSection(column, header->sectionSize(column) + 14);
    header->setSectionResizeMode(ModelTable::Name, QHeaderView::Stretch);
    refreshOpenButton();
}

void EmptyPage::setPrompts(const std::vector<ExamplePrompt>& prompts) {
    while (QLayoutItem* item = m_prompts->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_prompts->addSpacing(12);
    m_prompts->addWidget(rule());
    m_prompts->addSpacing(8);
    m_prompts->addWidget(heading(QStringLiteral("Start with a prompt"), 12));
    for (const ExamplePrompt& prompt : prompts) {
        auto* row = new PromptRow(prompt.name, prompt.text, prompt.note);
        connect(row, &PromptRow::clicked, this,
                [this, text = prompt.text] { Q_EMIT promptChosen(text); });
        m_prompts->addWidget(row);
    }
    m_promptBox->setVisible(!prompts.empty());
}

void EmptyPage::setBusy(bool busy) {
    m_busy = busy;
    refreshOpenButton();
}

void EmptyPage::refreshOpenButton() {
    const engine::ModelInfo* info = m_models->at(m_view->currentIndex().row());
    const bool usable = info && info->supported && QString::fromStdString(info->path) != m_openPath;
    m_open->setVisible(usable);
    m_open->setEnabled(usable && !m_busy);
    m_other->setEnabled(!m_busy);
    if (usable)
        m_open->setText(QStringLiteral("Open ") +
                        withoutMnemonics(onOneLine(QString::fromStdString(info->name))));
    for (QPushButton* button : {m_open, m_other}) {
        button->setMinimumWidth(0);
        button->setMinimumSize(button->sizeHint().width() + 12, 25);
    }
}

}  // namespace ui
