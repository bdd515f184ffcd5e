// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/contributions/logits_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMouseEvent>
#include <QSpacerItem>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/contributions/token_picker.h"
#include "ui/models/candidate_delegates.h"
#include "ui/models/logits_model.h"
#include "ui/models/tokens_beside.h"
#include "ui/painting/theme.h"
#include "ui/widgets/focus_ring.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int markWidth = 38, logitWidth = 52;
constexpr int widthForOneLine = 280;  // of both pickers

bool isSameToken(const std::optional<engine::Candidate>& a,
                 const std::optional<engine::Candidate>& b) {
    return a.has_value() == b.has_value() && (!a || a->token == b->token);
}

}  // namespace

LogitsPanel::LogitsPanel(QWidget* parent) : QWidget(parent) {
    setAccessibleName(QStringLiteral("Next token"));
    m_model = new LogitsModel(this);
    m_view = new QTableView;
    m_view->setModel(m_model);
    m_view->setAccessibleName(QStringLiteral("Candidates for the next token"));
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setShowGrid(false);
    m_view->setAlternatingRowColors(true);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setTextElideMode(Qt::ElideRight);
    m_view->setWordWrap(false);
    m_view->setTabKeyNavigation(false);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setMinimumSectionSize(19);
    m_view->verticalHeader()->setDefaultSectionSize(19);
    QHeaderView* header = m_view->horizontalHeader();
    header->setMinimumSectionSize(20);
    header->setFixedHeight(21);
    header->setFont(wordFont(11));
    header->setHighlightSections(false);
    header->setSectionResizeMode(LogitsModel::Mark, QHeaderView::Fixed);
    header->setSectionResizeMode(LogitsModel::Token, QHeaderView::Interactive);
    header->setSectionResizeMode(LogitsModel::Probability, QHeaderView::Stretch);
    header->setSectionResizeMode(LogitsModel::Other, QHeaderView::Stretch);
    header->setSectionResizeMode(LogitsModel::Logit, QHeaderView::Fixed);
    header->resizeSection(LogitsModel::Mark, markWidth);
    header->resizeSection(LogitsModel::Logit, logitWidth);
    auto* marks = new MarkDelegate(m_view);
    m_view->setItemDelegateForColumn(LogitsModel::Mark, marks);
    for (const int column : {LogitsModel::Probability, LogitsModel::Other})
        m_view->setItemDelegateForColumn(column, new ProbabilityDelegate(m_view));
    m_view->setColumnHidden(LogitsModel::Other, true);
    m_view->setMouseTracking(true);
    new FocusRing(m_view, m_view);
    const auto hover = [this, marks](int row) {
        marks->setHoveredRow(row);
        m_view->viewport()->update();
    };
    connect(m_view, &QTableView::entered, this, [hover](const QModelIndex& i) { hover(i.row()); });
    connect(m_view, &QTableView::viewportEntered, this, [hover] { hover(-1); });
    m_view->viewport()->installEventFilter(this);

    auto* foot = new QWidget;
    m_target = new TokenPicker(QStringLiteral("Target"), foot);
    m_distractor = new TokenPicker(QStringLiteral("Distractor"), foot);
    m_logitLabel = plainLabel({}, foot);
    m_logitLabel->setFont(monoFont(11));
    m_logitLabel->setToolTip(QStringLiteral("The target's logit, minus the distractor's"));
    m_foot = new QBoxLayout(QBoxLayout::LeftToRight, foot);
    m_foot->setContentsMargins(8, 2, 8, 2);
    auto* target = new QHBoxLayout;
    auto* minus = new QHBoxLayout;
    QLabel* targetName = plainLabel(QStringLiteral("Target"), foot);
    m_minusName = plainLabel(QStringLiteral("minus"), foot);
    for (QLabel* name : {targetName, m_minusName}) name->setFont(wordFont(11));
    m_besideTarget = targetName->sizeHint().width();
    target->addWidget(targetName);
    target->addWidget(m_target, 1);
    minus->addWidget(m_minusName);
    minus->addWidget(m_distractor, 1);
    minus->addWidget(m_logitLabel);
    m_foot->addLayout(target, 1);
    m_foot->addLayout(minus, 1);
    for (QBoxLayout* each :
         {static_cast<QBoxLayout*>(target), static_cast<QBoxLayout*>(minus), m_foot})
        each->setSpacing(4);
    m_refusal = plainLabel({}, this);
    m_refusal->setObjectName(QStringLiteral("tokenRefusal"));
    m_refusal->setFont(wordFont(11));
    m_refusal->setWordWrap(true);
    m_refusal->setContentsMargins(8, 0, 8, 4);
    m_refusal->hide();
    for (TokenPicker* box : {m_target, m_distractor}) {
        const bool distractor = box == m_distractor;
        connect(box, &TokenPicker::chosen, this,
                [this, distractor](const auto& token) { pick(distractor, token); });
        connect(box, &TokenPicker::lookUpWanted, this, [this, distractor](const QString& typed) {
            Q_EMIT lookUpWanted(typed, distractor);
        });
        connect(box, &TokenPicker::refused, this, &LogitsPanel::refuse);
    }

    auto* full = new QWidget;
    auto* column = new QVBoxLayout(full);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_view, 1);
    m_underRows = new QSpacerItem(0, 0, QSizePolicy::Minimum, QSizePolicy::Fixed);
    column->addItem(m_underRows);
    column->addWidget(foot);
    column->addWidget(m_refusal);
    m_besideLabel = plainLabel({});
    m_besideLabel->setFont(monoFont(11));
    m_besideLabel->setContentsMargins(8, 0, 8, 3);
    m_besideLabel->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_besideLabel->setToolTip(
        QStringLiteral("The same logit, or difference of two, in the run it is compared with"));
    m_besideLabel->hide();
    column->addWidget(m_besideLabel);
    m_sentence = emptyPanelLabel();
    m_pages = new QStackedLayout(this);
    m_pages->addWidget(m_sentence);
    m_pages->addWidget(full);
    clear(
        QStringLiteral("The model's candidates after the selected position, with probability and "
                       "logit. Choose a target and a distractor here."));
    refreshPickers();
}

void LogitsPanel::clear(const QString& sentence) {
    m_sentence->setText(sentence);
    m_pages->setCurrentIndex(0);
    m_model->setCandidates({});
    showColumns();
    setBesideText({});
    m_position.reset();
    refreshPickers();
    Q_EMIT positionChanged();
}

void LogitsPanel::setTopTokens(const engine::TopTokens& top) {
    m_logit.reset();
    m_top = top.candidates;
    m_model->setCandidates(m_top);
    showColumns();
    m_position = top.position;
    refreshPickers();
    m_pages->setCurrentIndex(1);
    Q_EMIT positionChanged();
}

void LogitsPanel::setBeside(const TokensBeside& tokens, const QString& ownName,
                            const QString& otherName) {
    if (m_position != tokens.position) return;
    m_model->setBeside(tokens.own, tokens.others, ownName, otherName);
    showColumns();
    refreshPickers();
}

void LogitsPanel::clearBeside() {
    setBesideText({});
    if (!m_model->isBeside()) return;
    m_model->setCandidates(m_top);
    showColumns();
    refreshPickers();
}

void LogitsPanel::setBesideText(const QString& text) {
    m_besideLabel->setText(text);
    m_besideLabel->setVisible(!text.isEmpty());
}

QString LogitsPanel::besideText() const {
    return m_besideLabel->text();
}

// Two runs' probabilities take the room of the logits, which are in the tooltips then.
void LogitsPanel::showColumns() {
    m_view->setColumnHidden(LogitsModel::Other, !m_model->isBeside());
    m_view->setColumnHidden(LogitsModel::Logit, m_model->isBeside());
    sizeTokens();
    fitRows();
}

void LogitsPanel::sizeTokens() {
    const int others = m_model->isBeside() ? 0 : logitWidth;
    m_view->horizontalHeader()->resizeSection(
        LogitsModel::Token, (m_view->viewport()->width() - markWidth - others) *
                                (m_model->isBeside() ? 1 : 2) / (m_model->isBeside() ? 3 : 5));
}

// A row that has no room is scrolled to, not cut.
void LogitsPanel::fitRows() {
    const int rowHeight = m_view->verticalHeader()->defaultSectionSize();
    const int room = m_view->viewport()->height() + m_underRows->sizeHint().height();
    const bool fits = m_model->rowCount() * rowHeight <= room;
    const int left = fits || room < rowHeight ? 0 : room % rowHeight;
    if (left == m_underRows->sizeHint().height()) return;
    m_underRows->changeSize(0, left, QSizePolicy::Minimum, QSizePolicy::Fixed);
    m_view->parentWidget()->layout()->invalidate();
}

// Both are as wide, whatever stands beside them.
void LogitsPanel::placePickers() {
    const bool oneLine = width() >= widthForOneLine;
    m_foot->setDirection(oneLine ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_minusName->setMinimumWidth(oneLine ? 0 : m_besideTarget);
    const int besideMinus =
        m_minusName->sizeHint().width() + m_logitLabel->sizeHint().width() + m_foot->spacing();
    const QMargins margins = m_foot->contentsMargins();
    const int room = width() - margins.left() - margins.right() - 3 * m_foot->spacing();
    const int each = std::max(1, (room - m_besideTarget - besideMinus) / 2);
    m_foot->setStretch(0, oneLine ? m_besideTarget + each : 1);
    m_foot->setStretch(1, oneLine ? besideMinus + each : 1);
}

void LogitsPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    placePickers();
}

void LogitsPanel::setTarget(const std::optional<engine::Candidate>& target) {
    if (!isSameToken(m_model->target(), target)) m_logit.reset();
    m_model->setTarget(target);
    refreshPickers();
}

void LogitsPanel::setDistractor(const std::optional<engine::Candidate>& distractor) {
    if (!isSameToken(m_model->distractor(), distractor)) m_logit.reset();
    m_model->setDistractor(distractor);
    refreshPickers();
}

void LogitsPanel::setLogit(std::optional<double> logit) {
    m_logit = logit;
    refreshLogit();
}

void LogitsPanel::setAnswer(bool distractor, const TypedAnswer& answer) {
    (distractor ? m_distractor : m_target)->setAnswer(answer);
}

void LogitsPanel::refuse(const QString& why) {
    QPalette palette = m_refusal->palette();
    palette.setColor(QPalette::WindowText, theme().error);
    m_refusal->setPalette(palette);
    m_refusal->setText(why);
    m_refusal->setVisible(!why.isEmpty());
}

void LogitsPanel::refreshPickers() {
    const auto& all = m_model->candidates();
    m_target->setEntries(all.empty() ? QStringLiteral("top") : visibleToken(all.front().bytes), all,
                         m_model->target());
    m_target->setItemData(0, QStringLiteral("each position's own top token"), Qt::ToolTipRole);
    m_distractor->setEntries(QStringLiteral("none"), all, m_model->distractor());
    refreshLogit();
}

void LogitsPanel::refreshLogit() {
    std::optional<double> value = m_logit;
    if (!value && !m_model->candidates().empty()) {
        const auto& target = m_model->target();
        const auto& distractor = m_model->distractor();
        const engine::Candidate* t =
            target ? m_model->find(target->token) : &m_model->candidates().front();
        const engine::Candidate* d = distractor ? m_model->find(distractor->token) : nullptr;
        if (t && (d || !distractor))
            value = static_cast<double>(t->logit) - (d ? static_cast<double>(d->logit) : 0);
    }
    m_logitLabel->setText(value ? signedNumber(*value, 3) : QStringLiteral("–"));
    placePickers();
}

bool LogitsPanel::eventFilter(QObject* object, QEvent* event) {
    if (object == m_view->viewport() && event->type() == QEvent::Resize) {
        sizeTokens();
        fitRows();
    }
    // The view's clicked() does not say where in the cell.
    if (object == m_view->viewport() && event->type() == QEvent::MouseButtonRelease) {
        const QPoint at = static_cast<QMouseEvent*>(event)->position().toPoint();
        const QModelIndex index = m_view->indexAt(at);
        if (index.isValid() && index.column() == LogitsModel::Mark)
            clickMark(index.row(),
                      at.x() >= MarkDelegate::distractorBox(m_view->visualRect(index)).left() - 1);
    }
    return QWidget::eventFilter(object, event);
}

void LogitsPanel::clickMark(int row, bool distractor) {
    const engine::Candidate candidate = m_model->candidates()[static_cast<std::size_t>(row)];
    // A second click takes the mark off again.
    if (distractor) {
        const bool off = m_model->isDistractor(row);
        setDistractor(off ? std::nullopt : std::optional(candidate));
        Q_EMIT distractorChanged(m_model->distractor());
    } else {
        const bool off = m_model->isTarget(row) && m_model->target();
        setTarget(off ? std::nullopt : std::optional(candidate));
        Q_EMIT targetChanged(m_model->target());
    }
}

void LogitsPanel::pick(bool distractor, const std::optional<engine::Candidate>& choice) {
    if (distractor) {
        setDistractor(choice);
        Q_EMIT distractorChanged(choice);
    } else {
        setTarget(choice);
        Q_EMIT targetChanged(choice);
    }
}

}  // namespace ui
