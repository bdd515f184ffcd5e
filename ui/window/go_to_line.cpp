// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/go_to_line.h"

#include <QApplication>
#include <QFocusEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <algorithm>

#include "ui/painting/theme.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int widestGoTo = 520, goToTop = 34;

}  // namespace

GoToLine::GoToLine(QWidget* page, const Words& words) : QFrame(page) {
    setFrameShape(QFrame::Box);
    setFrameShadow(QFrame::Plain);
    setBackgroundRole(QPalette::Window);
    setAutoFillBackground(true);
    setObjectName(words.name + QStringLiteral("Line"));
    setAccessibleName(words.title);
    auto* title = plainLabel(words.title);
    title->setFont(wordFont(12, true));
    m_edit = new QLineEdit;
    m_edit->setObjectName(words.name);
    m_edit->setAccessibleName(words.asks);
    m_edit->setPlaceholderText(words.example);
    m_edit->setFont(monoFont(12));
    m_edit->setMaxLength(80);
    m_edit->setFixedWidth(150);
    m_said = plainLabel({});
    m_said->setFont(wordFont(11));
    m_said->setWordWrap(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 8, 10, 8);
    row->setSpacing(8);
    row->addWidget(title);
    row->addWidget(m_edit);
    row->addWidget(m_said, 1);
    connect(m_edit, &QLineEdit::textChanged, this, &GoToLine::refresh);
    connect(m_edit, &QLineEdit::returnPressed, this, [this] {
        refresh();  // the run may have grown since the last key
        if (!m_understood) return;
        const QString text = m_edit->text();
        leave();
        Q_EMIT chosen(text);
    });
    m_edit->installEventFilter(this);
    page->installEventFilter(this);
    hide();
}

void GoToLine::open(std::function<Answer(const QString&)> answer) {
    m_answer = std::move(answer);
    if (!isVisible()) m_before = QApplication::focusWidget();
    m_edit->clear();
    refresh();
    place();
    show();
    raise();
    m_edit->setFocus(Qt::ShortcutFocusReason);
}

QString GoToLine::answerText() const {
    return m_said->text();
}

void GoToLine::refresh() {
    const Answer answer = m_answer(m_edit->text());
    m_understood = answer.understood;
    m_said->setText(answer.text);
    m_said->setForegroundRole(m_understood || m_edit->text().isEmpty() ? QPalette::WindowText
                                                                       : QPalette::PlaceholderText);
    m_edit->setAccessibleDescription(answer.text);
}

void GoToLine::place() {
    const int wide = std::min(widestGoTo, parentWidget()->width() - 8);
    resize(wide, std::max(sizeHint().height(), heightForWidth(wide)));
    move((parentWidget()->width() - wide) / 2, goToTop);
}

void GoToLine::leave() {
    hide();
    if (m_before && m_before->isVisible())
        m_before->setFocus();
    else
        parentWidget()->setFocus();
}

bool GoToLine::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parent() && event->type() == QEvent::Resize && isVisible()) place();
    if (watched == m_edit && event->type() == QEvent::FocusOut && isVisible()) {
        const auto reason = static_cast<QFocusEvent*>(event)->reason();
        if (reason != Qt::ActiveWindowFocusReason && reason != Qt::PopupFocusReason) hide();
    }
    return false;
}

void GoToLine::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) return leave();
    QFrame::keyPressEvent(event);
}

}  // namespace ui
