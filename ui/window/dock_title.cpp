// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/dock_title.h"

#include <QDockWidget>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

#include "ui/contributions/sign_button.h"
#include "ui/painting/theme.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/plain_text.h"

namespace ui {

DockTitle::DockTitle(QDockWidget* dock) : QWidget(dock), m_dock(dock) {
    m_words = new ElidedLabel(wordFont(12));
    m_token = new ElidedLabel(monoFont(12));
    m_after = new ElidedLabel(wordFont(12));
    m_note = plainLabel({});
    m_tools = new QHBoxLayout;
    m_tools->setSpacing(2);
    m_float = new SignButton(Sign::Float, QStringLiteral("Float or dock"), this);
    m_close = new SignButton(Sign::Close, QStringLiteral("Close"), this);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 1, 4, 1);
    row->setSpacing(4);
    for (QLabel* label : {m_words, m_token, m_after}) {
        // A long token must not widen the dock: it ends in … instead.
        label->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
        label->setMargin(0);
        row->addWidget(label);
    }
    row->addStretch(1);
    row->addWidget(m_note);
    row->addLayout(m_tools);
    row->addSpacing(4);
    row->addWidget(m_float);
    row->addWidget(m_close);
    connect(m_float, &QToolButton::clicked, dock,
            [dock] { dock->setFloating(!dock->isFloating()); });
    connect(m_close, &QToolButton::clicked, dock, &QDockWidget::close);
    applyTheme();
    setText(dock->windowTitle());
    dock->setTitleBarWidget(this);
}

void DockTitle::setText(const QString& words, const QString& token, const QString& after) {
    m_words->setText(words);
    m_token->setText(token);
    m_after->setText(after);
    m_token->setVisible(!token.isEmpty());
    m_after->setVisible(!after.isEmpty());
    setAccessibleName(text());
}

void DockTitle::setNote(const QString& note) {
    m_note->setText(note);
}

void DockTitle::addTool(QWidget* tool) {
    m_tools->addWidget(tool);
}

QString DockTitle::text() const {
    QString all = m_words->text();
    for (const QLabel* label : {m_token, m_after})
        if (!label->text().isEmpty()) all += u' ' + label->text();
    return all;
}

QSize DockTitle::minimumSizeHint() const {
    return {120, 24};
}

void DockTitle::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().title);
    painter.setPen(theme().border);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void DockTitle::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) applyTheme();
    QWidget::changeEvent(event);
}

void DockTitle::applyTheme() {
    m_words->setFont(wordFont(12));
    m_token->setFont(monoFont(12));
    m_after->setFont(wordFont(12));
    m_note->setFont(wordFont(11));
    m_note->setForegroundRole(QPalette::PlaceholderText);
}

}  // namespace ui
