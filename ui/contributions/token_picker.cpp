// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/contributions/token_picker.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QFocusEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QStyle>
#include <QStyleOptionFrame>
#include <algorithm>
#include <utility>

#include "ui/painting/theme.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int offeredWidth = 220;  // of the list below
constexpr int leastPicker = 50;    // in a dock of a small window a token is cut sooner than the map

std::optional<engine::Candidate> candidateIn(const QVariant& held) {
    return held.isValid() ? std::optional(held.value<engine::Candidate>()) : std::nullopt;
}

// Shows what fits of its text and …, unless it is typed in.
class ElidingLine : public QLineEdit {
  protected:
    void paintEvent(QPaintEvent* event) override {
        constexpr int besideText = 2;  // as QLineEdit's own
        const QRect inside = rect().adjusted(besideText + 1, 0, -besideText, 0);
        if (hasFocus() || fontMetrics().horizontalAdvance(text()) <= inside.width())
            return QLineEdit::paintEvent(event);
        QStyleOptionFrame option;
        initStyleOption(&option);
        QPainter painter(this);
        style()->drawPrimitive(QStyle::PE_PanelLineEdit, &option, &painter, this);
        style()->drawItemText(
            &painter, inside, Qt::AlignVCenter | Qt::AlignLeft, palette(), isEnabled(),
            fontMetrics().elidedText(text(), Qt::ElideRight, inside.width()), QPalette::Text);
    }
};

QString withId(const engine::Candidate& token) {
    return QStringLiteral("%1  #%2").arg(visibleToken(token.bytes)).arg(to_int(token.token));
}

}  // namespace

TokenPicker::TokenPicker(const QString& name, QWidget* parent) : QComboBox(parent) {
    setAccessibleName(name);
    setLineEdit(new ElidingLine);  // and so it is editable
    setInsertPolicy(NoInsert);
    QComboBox::setCompleter(nullptr);
    setFont(monoFont(11));
    lineEdit()->setFont(monoFont(11));
    lineEdit()->setAccessibleName(name);
    setSizeAdjustPolicy(AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(4);
    setMinimumWidth(leastPicker);
    setFixedHeight(21);
    m_offered = new QStandardItemModel(this);
    m_completer = new QCompleter(m_offered, this);
    m_completer->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    m_completer->setMaxVisibleItems(12);
    m_completer->setWidget(lineEdit());
    m_completer->popup()->setFont(monoFont(11));
    m_completer->popup()->setAccessibleName(QStringLiteral("Tokens that begin so"));
    lineEdit()->installEventFilter(this);
    m_completer->popup()->installEventFilter(this);

    connect(this, &QComboBox::activated, this,
            [this](int index) { choose(candidateIn(itemData(index))); });
    connect(m_completer, qOverload<const QModelIndex&>(&QCompleter::activated), this,
            [this](const QModelIndex& index) { choose(candidateIn(index.data(Qt::UserRole))); });
    connect(lineEdit(), &QLineEdit::textEdited, this, [this](const QString& typed) {
        m_answer.reset();
        m_entered = false;
        Q_EMIT refused({});
        if (typed.isEmpty())
            m_completer->popup()->hide();
        else
            Q_EMIT lookUpWanted(typed);
    });
}

bool TokenPicker::isTyping() const {
    return lineEdit()->isModified();
}

void TokenPicker::setEntries(const QString& none, const std::vector<engine::Candidate>& all,
                             const std::optional<engine::Candidate>& chosen) {
    const QSignalBlocker blocker(this);
    const QString typed = lineEdit()->text();
    const bool typing = isTyping();
    const int cursor = lineEdit()->cursorPosition();
    const QSignalBlocker lineBlocker(lineEdit());
    clear();
    addItem(none);
    int at = 0;
    for (const engine::Candidate& candidate : all) {
        if (chosen && candidate.token == chosen->token) at = count();
        addItem(visibleToken(candidate.bytes), QVariant::fromValue(candidate));
    }
    if (chosen && at == 0) {
        at = count();
        addItem(visibleToken(chosen->bytes), QVariant::fromValue(*chosen));
    }
    setCurrentIndex(at);
    if (!typing) return showChoice();
    lineEdit()->setText(typed);
    lineEdit()->setModified(true);
    lineEdit()->setCursorPosition(cursor);
}

// What was chosen stands there again.
void TokenPicker::showChoice() {
    m_answer.reset();
    m_entered = false;
    m_completer->popup()->hide();
    lineEdit()->setText(itemText(currentIndex()));
    lineEdit()->setCursorPosition(0);
    if (hasFocus()) lineEdit()->selectAll();
    const auto token = candidateIn(currentData());
    setToolTip(literalToolTip(
        (token ? withId(*token) + u'\n' : QString()) +
        QStringLiteral("Choose a token, or type its text (· is a space) or # and its id, and press "
                       "Enter")));
}

void TokenPicker::setAnswer(const TypedAnswer& answer) {
    if (!isTyping() || answer.typed != lineEdit()->text()) return;
    m_answer = answer;
    if (m_entered)
        take();
    else
        offer(answer.completions);
}

void TokenPicker::offer(const std::vector<engine::Candidate>& tokens) {
    m_offered->clear();
    for (const engine::Candidate& token : tokens) {
        auto* item = new QStandardItem(withId(token));
        item->setData(QVariant::fromValue(token), Qt::UserRole);
        m_offered->appendRow(item);
    }
    if (tokens.empty() || !hasFocus()) return m_completer->popup()->hide();
    QRect below = rect();
    below.setWidth(std::max(below.width(), offeredWidth));
    m_completer->complete(below);
    m_completer->popup()->setCurrentIndex({});
}

void TokenPicker::enter() {
    const QModelIndex offered = m_completer->popup()->currentIndex();
    if (m_completer->popup()->isVisible() && offered.isValid())
        return choose(candidateIn(offered.data(Qt::UserRole)));
    if (!isTyping()) return;
    if (lineEdit()->text().isEmpty()) return choose({});
    m_entered = true;
    if (m_answer)
        take();
    else
        Q_EMIT lookUpWanted(lineEdit()->text());
}

void TokenPicker::take() {
    m_entered = false;
    m_completer->popup()->hide();
    if (m_answer->token)
        choose(m_answer->token);
    else
        Q_EMIT refused(m_answer->why);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a copy by intent, as the header says
void TokenPicker::choose(std::optional<engine::Candidate> token) {
    lineEdit()->setModified(false);
    Q_EMIT refused({});
    Q_EMIT chosen(token);
    showChoice();
}

bool TokenPicker::lineKey(int key) {
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
        enter();
        return true;
    }
    if (key != Qt::Key_Escape || !isTyping()) return false;
    Q_EMIT refused({});
    showChoice();
    return true;
}

// A combo box takes what was typed for an entry; here only Enter takes it.
void TokenPicker::keyPressEvent(QKeyEvent* event) {
    if (!lineKey(event->key())) QComboBox::keyPressEvent(event);
}

void TokenPicker::focusInEvent(QFocusEvent* event) {
    m_selectAll = event->reason() == Qt::MouseFocusReason;
    QComboBox::focusInEvent(event);
}

// What was typed and not entered is not what is attributed.
void TokenPicker::focusOutEvent(QFocusEvent* event) {
    const bool left =
        event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason;
    if (left && !m_entered) {  // else its answer is on its way
        if (isTyping()) Q_EMIT refused({});
        showChoice();
    }
    QComboBox::focusOutEvent(event);
}

bool TokenPicker::eventFilter(QObject* object, QEvent* event) {
    if (object == m_completer->popup() && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter) return lineKey(key);
    }
    if (object == lineEdit() && event->type() == QEvent::MouseButtonRelease &&
        std::exchange(m_selectAll, false) && !lineEdit()->hasSelectedText())
        lineEdit()->selectAll();
    return QComboBox::eventFilter(object, event);
}

}  // namespace ui
