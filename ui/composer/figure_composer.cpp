// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/composer/figure_composer.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScopedValueRollback>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/values/failure.h"
#include "ui/composer/figure_preview.h"
#include "ui/painting/names.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int mostComposedColumns = 24;

[[noreturn]] void noSuchHead(const QString& why) {
    throw engine::Error(engine::Failure::Kind::BadRequest, why.toStdString(), "heads",
                        "name them as in L12.H7, L3.H1");
}

QComboBox* choiceOf(const QString& name,
                    std::initializer_list<std::pair<const char*, const char*>> choices) {
    auto* combo = new QComboBox;
    combo->setAccessibleName(name);
    for (const auto& [text, data] : choices)
        combo->addItem(QString::fromUtf8(text), QString::fromLatin1(data));
    return combo;
}

void chooseData(QComboBox* combo, const QString& data) {
    combo->setCurrentIndex(std::max(0, combo->findData(data)));
}

}  // namespace

std::vector<engine::LayerHead> headsTyped(const QString& text, const engine::ModelInfo& model) {
    static const QRegularExpression cut(QStringLiteral("[,\\s]+"));
    static const QRegularExpression form(QStringLiteral("^L(\\d{1,6})\\.H(\\d{1,6})$"),
                                         QRegularExpression::CaseInsensitiveOption);
    std::vector<engine::LayerHead> heads;
    for (const QString& word : text.split(cut, Qt::SkipEmptyParts)) {
        const QRegularExpressionMatch match = form.match(word);
        if (!match.hasMatch()) noSuchHead(QStringLiteral("“%1” is no head").arg(word.left(40)));
        const int layer = match.captured(1).toInt(), head = match.captured(2).toInt();
        if (layer >= model.layers || head >= model.query_heads)
            noSuchHead(QStringLiteral("there is no %1: the model has L0.H0 to L%2.H%3")
                           .arg(word)
                           .arg(model.layers - 1)
                           .arg(model.query_heads - 1));
        const engine::LayerHead at{engine::Layer{layer}, engine::QueryHead{head}};
        if (std::find(heads.begin(), heads.end(), at) != heads.end())
            noSuchHead(headName(at) + QStringLiteral(" is there twice"));
        heads.push_back(at);
    }
    if (heads.empty()) noSuchHead(QStringLiteral("no head is named"));
    return heads;
}

FigureComposer::FigureComposer(const engine::ModelInfo& model, const FigureWish& wish,
                               QWidget* parent)
    : QDialog(parent),
      m_model(model),
      m_defaultTitle(onOneLine(QString::fromStdString(model.name))) {
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(QStringLiteral("figureComposer"));
    setWindowTitle(QStringLiteral("Compose a figure"));
    resize(1040, 660);
    m_preview = new FigurePreview;
    auto* all = new QHBoxLayout(this);
    all->setContentsMargins(12, 12, 12, 12);
    all->setSpacing(12);
    all->addWidget(m_preview, 1);
    all->addWidget(buildChoices());
    fill(wish);
    connect(m_preview, &FigurePreview::resized, this, &FigureComposer::changed);
}

QWidget* FigureComposer::buildChoices() {
    auto* panel = new QWidget;
    panel->setFixedWidth(330);
    auto* column = new QVBoxLayout(panel);
    column->setContentsMargins({});
    m_form = new QFormLayout;
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_headsEdit = new QLineEdit;
    m_headsEdit->setObjectName(QStringLiteral("composedHeads"));
    m_headsEdit->setFont(monoFont(11));
    m_headsEdit->setPlaceholderText(QStringLiteral("L12.H7, L3.H1"));
    m_headsEdit->setToolTip(QStringLiteral("The panels, in this order"));
    m_takePinned = new QPushButton(QStringLiteral("Take &pinned"));
    m_addFocused = new QPushButton;
    for (QPushButton* button : {m_takePinned, m_addFocused}) button->setAutoDefault(false);
    auto* takes = new QHBoxLayout;
    takes->addWidget(m_takePinned);
    takes->addWidget(m_addFocused);
    m_columns = new QSpinBox;
    m_columns->setRange(0, mostComposedColumns);
    m_columns->setSpecialValueText(QStringLiteral("As there is room"));
    m_size = choiceOf(QStringLiteral("Page"), {{"Single column, 89 mm", "single"},
                                               {"Double column, 183 mm", "double"},
                                               {"Slide, 16:9", "slide"},
                                               {"Another width", "width"},
                                               {"As the maps need", "natural"}});
    m_width = new QDoubleSpinBox;
    m_width->setRange(leastPageMm, mostPageMm);
    m_width->setDecimals(0);
    m_width->setSuffix(QStringLiteral(" mm"));
    m_width->setAccessibleName(QStringLiteral("Width of the page"));
    m_labels = choiceOf(
        QStringLiteral("Token labels"),
        {{"At the left and at the bottom", "edge"}, {"At every map", "every"}, {"None", "none"}});
    m_scheme = choiceOf(QStringLiteral("Colours"), {{"Light", "light"}, {"Dark", "dark"}});
    m_dpi =
        choiceOf(QStringLiteral("Resolution of a PNG"),
                 {{"96 dpi", "96"}, {"192 dpi", "192"}, {"300 dpi", "300"}, {"600 dpi", "600"}});
    m_letters = new QCheckBox(QStringLiteral("Panel &letters: a, b, c"));
    m_transparent = new QCheckBox(QStringLiteral("&Transparent ground"));
    m_title = new QLineEdit;
    m_title->setToolTip(QStringLiteral("Above the maps; empty: none"));
    m_caption = new QLineEdit;
    m_caption->setToolTip(QStringLiteral("Below the colour bar"));
    m_shows = plainLabel({});
    m_shows->setObjectName(QStringLiteral("composedShows"));
    m_shows->setWordWrap(true);
    m_shows->setForegroundRole(QPalette::PlaceholderText);
    m_shows->setToolTip(QStringLiteral("Quantity, scale, sink and pooling are the map's"));
    m_form->addRow(QStringLiteral("&Heads"), m_headsEdit);
    m_form->addRow(QString(), takes);
    m_form->addRow(QStringLiteral("Pa&ge"), m_size);
    m_form->addRow(QString(), m_width);
    m_form->addRow(QStringLiteral("&Columns"), m_columns);
    m_form->addRow(QStringLiteral("Token la&bels"), m_labels);
    m_form->addRow(QString(), m_letters);
    m_form->addRow(QStringLiteral("T&itle"), m_title);
    m_form->addRow(QStringLiteral("C&aption"), m_caption);
    m_form->addRow(QStringLiteral("C&olours"), m_scheme);
    m_form->addRow(QString(), m_transparent);
    m_form->addRow(QStringLiteral("P&NG"), m_dpi);
    m_form->addRow(QStringLiteral("Shows"), m_shows);
    m_measures = plainLabel({});
    m_measures->setObjectName(QStringLiteral("composedMeasures"));
    m_measures->setForegroundRole(QPalette::PlaceholderText);
    m_measures->setWordWrap(true);
    m_status = plainLabel({});
    m_status->setObjectName(QStringLiteral("composedStatus"));
    m_status->setWordWrap(true);
    m_status->hide();
    m_command = new QPushButton(QStringLiteral("Copy co&mmand"));
    m_command->setObjectName(QStringLiteral("copyFigureCommand"));
    m_command->setAutoDefault(false);
    m_command->setToolTip(QStringLiteral("The command line that draws this very file"));
    m_export = new QPushButton(QStringLiteral("&Export…"));
    m_export->setObjectName(QStringLiteral("exportComposed"));
    auto* close = new QPushButton(QStringLiteral("Close"));
    close->setAutoDefault(false);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_command);
    buttons->addStretch();
    buttons->addWidget(m_export);
    buttons->addWidget(close);
    column->addLayout(m_form);
    column->addStretch();
    column->addWidget(m_measures);
    column->addWidget(m_status);
    column->addLayout(buttons);

    connect(m_headsEdit, &QLineEdit::textChanged, this, &FigureComposer::readHeads);
    connect(m_takePinned, &QPushButton::clicked, this, [this] { take(m_pinned); });
    connect(m_addFocused, &QPushButton::clicked, this, [this] {
        std::vector<engine::LayerHead> heads = m_heads;
        heads.push_back(m_focused);
        take(heads);
    });
    connect(m_size, &QComboBox::currentIndexChanged, this, &FigureComposer::sizeChosen);
    connect(m_width, &QDoubleSpinBox::valueChanged, this, &FigureComposer::wishChanged);
    connect(m_columns, &QSpinBox::valueChanged, this, &FigureComposer::wishChanged);
    for (QComboBox* combo : {m_labels, m_scheme, m_dpi})
        connect(combo, &QComboBox::currentIndexChanged, this, &FigureComposer::wishChanged);
    for (QCheckBox* box : {m_letters, m_transparent})
        connect(box, &QCheckBox::toggled, this, &FigureComposer::wishChanged);
    for (QLineEdit* line : {m_title, m_caption})
        connect(line, &QLineEdit::textChanged, this, &FigureComposer::wishChanged);
    connect(m_export, &QPushButton::clicked, this, &FigureComposer::exportRequested);
    connect(m_command, &QPushButton::clicked, this, &FigureComposer::commandRequested);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    return panel;
}

void FigureComposer::fill(const FigureWish& wish) {
    const QScopedValueRollback filling(m_filling, true);
    const bool named = pageSizeOf(wish.size.toStdString()).has_value();
    chooseData(m_size, named ? wish.size : QStringLiteral("width"));
    m_width->setValue(named ? 120 : wish.size.toDouble());
    m_columns->setValue(wish.page.columns);
    m_labels->setCurrentIndex(wish.page.labels == FigureLabels::Every  ? 1
                              : wish.page.labels == FigureLabels::None ? 2
                                                                       : 0);
    m_letters->setChecked(wish.page.letters);
    m_transparent->setChecked(wish.page.transparent);
    m_title->setText(wish.title.value_or(m_defaultTitle));
    m_caption->setText(wish.page.caption);
    m_scheme->setCurrentIndex(wish.scheme == Scheme::Dark ? 1 : 0);
    chooseData(m_dpi, QString::number(wish.dpi));
    take(wish.heads);
    sizeChosen();
    refreshButtons();
}

FigureWish FigureComposer::wish() const {
    FigureWish wish;
    wish.heads = m_heads;
    wish.size = m_size->currentData().toString();
    if (wish.size == QLatin1String("width")) wish.size = QString::number(m_width->value());
    wish.page.size = pageSizeOf(wish.size.toStdString()).value_or(pageOfWidth(m_width->value()));
    wish.page.columns = m_columns->value();
    const int labels = m_labels->currentIndex();
    wish.page.labels = labels == 1   ? FigureLabels::Every
                       : labels == 2 ? FigureLabels::None
                                     : FigureLabels::Edge;
    wish.page.letters = m_letters->isChecked();
    wish.page.transparent = m_transparent->isChecked();
    wish.page.caption = onOneLine(m_caption->text());
    wish.scheme = m_scheme->currentIndex() == 1 ? Scheme::Dark : Scheme::Light;
    const QString title = onOneLine(m_title->text());
    if (title != m_defaultTitle) wish.title = title;
    wish.dpi = m_dpi->currentData().toInt();
    return wish;
}

void FigureComposer::setModel(const engine::ModelInfo& model) {
    m_model = model;
    readHeads();
}

void FigureComposer::setDefaultTitle(const QString& text) {
    const bool ownTitle = wish().title.has_value();
    m_defaultTitle = onOneLine(text);
    if (!ownTitle) m_title->setText(m_defaultTitle);
}

void FigureComposer::setPinned(const std::vector<engine::LayerHead>& heads) {
    m_pinned = heads;
    refreshButtons();
}

void FigureComposer::setFocused(engine::LayerHead at) {
    m_focused = at;
    refreshButtons();
}

void FigureComposer::setShows(const QString& text) {
    m_shows->setText(text);
}

void FigureComposer::setPicture(const QImage& picture, QSizeF logical) {
    m_preview->setPicture(picture, wish().scheme);
    m_hasPicture = true;
    const double zoom = m_dpi->currentData().toDouble() / 96;
    const auto mm = [](double pixels) { return QString::number(pixels / 96 * 25.4, 'f', 1); };
    m_measures->setText(QStringLiteral("%1 × %2 mm; as a PNG %3 × %4 pixels")
                            .arg(mm(logical.width()), mm(logical.height()),
                                 thousands(qRound64(logical.width() * zoom)),
                                 thousands(qRound64(logical.height() * zoom))));
    refreshButtons();
}

void FigureComposer::setProblem(const QString& text) {
    m_preview->setProblem(text);
    m_hasPicture = false;
    m_measures->clear();
    refreshButtons();
}

void FigureComposer::setStatus(const QString& text) {
    m_status->setText(text);
    m_status->setVisible(!text.isEmpty());
}

void FigureComposer::take(const std::vector<engine::LayerHead>& heads) {
    QStringList names;
    for (const engine::LayerHead at : heads) names << headName(at);
    m_headsEdit->setText(names.join(QStringLiteral(", ")));
}

void FigureComposer::readHeads() {
    try {
        m_heads = headsTyped(m_headsEdit->text(), m_model);
    } catch (const engine::Error& error) {
        m_heads.clear();
        const engine::Failure& failure = error.failure();
        setProblem(QString::fromStdString(failure.what + ": " + failure.hint));
    }
    wishChanged();
}

void FigureComposer::refreshButtons() {
    m_takePinned->setEnabled(!m_pinned.empty() && m_pinned != m_heads);
    m_addFocused->setText(QStringLiteral("A&dd ") + headName(m_focused));
    m_addFocused->setEnabled(std::find(m_heads.begin(), m_heads.end(), m_focused) == m_heads.end());
    m_letters->setEnabled(m_heads.size() > 1);  // one panel needs no letter, and gets none
    m_export->setEnabled(m_hasPicture);
    m_command->setEnabled(m_hasPicture);
}

void FigureComposer::sizeChosen() {
    m_form->setRowVisible(m_width, m_size->currentData().toString() == QLatin1String("width"));
    wishChanged();
}

void FigureComposer::wishChanged() {
    if (m_filling) return;
    setStatus({});
    refreshButtons();
    Q_EMIT changed();
}

}  // namespace ui
