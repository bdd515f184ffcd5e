// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/message_bar.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

#include "ui/contributions/sign_button.h"
#include "ui/painting/theme.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int signWidth = 36;
constexpr int mostRemedies = 3;

QLabel* wrapped(QWidget* parent) {
    QLabel* label = plainLabel({}, parent);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

}  // namespace

Message messageOf(const engine::Failure& failure, QList<Remedy> remedies) {
    Message message;
    message.what = QString::fromStdString(failure.what);
    message.why = QString::fromStdString(failure.hint);
    message.details = QString::fromStdString(failure.line());
    message.remedies = std::move(remedies);
    if (!failure.where.empty())
        message.what = QString::fromStdString(failure.where) + QStringLiteral(": ") + message.what;
    return message;
}

MessageBar::MessageBar(QWidget* parent) : QFrame(parent) {
    setAccessibleName(QStringLiteral("Message"));
    m_what = wrapped(this);
    m_why = wrapped(this);
    m_buttons = new QHBoxLayout;
    m_buttons->setSpacing(4);
    m_close = new SignButton(Sign::Close, QStringLiteral("Close message"), this);
    auto* column = new QVBoxLayout;
    column->setSpacing(2);
    column->addWidget(m_what);
    column->addWidget(m_why);
    column->addSpacing(4);
    column->addLayout(m_buttons);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(signWidth, 8, 8, 8);
    row->addLayout(column, 1);
    row->addWidget(m_close, 0, Qt::AlignTop);
    connect(m_close, &QToolButton::clicked, this, &MessageBar::dismiss);
    applyTheme();
    hide();
}

void MessageBar::setMessage(const Message& message) {
    m_message = message;
    m_what->setText(message.what);
    m_why->setText(message.why);
    m_why->setVisible(!message.why.isEmpty());
    while (QLayoutItem* item = m_buttons->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
    for (const Remedy& remedy : message.remedies.mid(0, mostRemedies)) {
        auto* button = new QPushButton(withoutMnemonics(remedy.text));
        connect(button, &QPushButton::clicked, this,
                [this, id = remedy.id] { Q_EMIT remedyChosen(id); });
        button->setFixedHeight(24);
        button->setMinimumWidth(60);  // may be cut on a narrow page, never widens it
        m_buttons->addWidget(button);
    }
    auto* copy = new QPushButton(QStringLiteral("Copy details"));
    copy->setFlat(true);
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(detailsText()); });
    m_buttons->addWidget(copy);
    m_buttons->addStretch(1);
    setAccessibleDescription(message.what);
    applyTheme();
    show();
}

void MessageBar::dismiss() {
    if (isHidden()) return;
    hide();
    Q_EMIT dismissed();
}

QString MessageBar::detailsText() const {
    if (!m_message.details.isEmpty()) return m_message.details;
    return m_message.why.isEmpty() ? m_message.what : m_message.what + u'\n' + m_message.why;
}

void MessageBar::paintEvent(QPaintEvent*) {
    const bool isError = m_message.severity == Message::Severity::Error;
    QPainter painter(this);
    painter.fillRect(rect(), isError ? theme().errorGround : theme().warnGround);
    const QColor frame = isError ? theme().error : theme().warn;
    painter.setPen(frame);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(frame, 1.4));
    painter.drawPolygon(QPolygonF({QPointF(19, 11), QPointF(26, 24), QPointF(12, 24)}));
    painter.drawLine(QPointF(19, 15.5), QPointF(19, 19.5));
    painter.drawLine(QPointF(19, 21), QPointF(19, 22.3));
}

void MessageBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) applyTheme();
    QFrame::changeEvent(event);
}

void MessageBar::applyTheme() {
    m_what->setFont(wordFont(12, true));
    m_why->setFont(wordFont(12));
    update();
}

}  // namespace ui
