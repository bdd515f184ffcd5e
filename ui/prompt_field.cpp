// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/prompt_field.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSignalBlocker>
#include <algorithm>

#include "ui/painting/theme.h"
#include "ui/plain_text.h"
#include "ui/prompt_editor.h"
#include "ui/prompt_line.h"

namespace ui {

namespace {

constexpr int editorHeight = 240;
constexpr int editorWidth = 480;

}  // namespace

PromptField::PromptField(QWidget* parent) : QWidget(parent) {
    m_line = new PromptLine(this);
    m_line->setFont(wordFont(12));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_line);
    setFocusProxy(m_line);

    m_frame = new QFrame(this);
    m_frame->setObjectName(QStringLiteral("promptEditor"));
    m_frame->setFrameShape(QFrame::Box);
    m_frame->setAutoFillBackground(true);
    m_editor = new PromptEditor(m_frame);
    m_editor->installEventFilter(this);
    m_count = plainLabel({}, m_frame);
    m_count->setFont(wordFont(10));
    auto* column = new QVBoxLayout(m_frame);
    column->setContentsMargins(4, 4, 4, 4);
    column->setSpacing(4);
    column->addWidget(m_editor);
    column->addWidget(m_count);
    m_frame->hide();

    connect(m_line, &PromptLine::plainEdited, this, &PromptField::textEdited);
    connect(m_line, &PromptLine::editorWanted, this, &PromptField::openEditor);
    connect(m_line, &QLineEdit::returnPressed, this, &PromptField::runRequested);
    connect(m_editor, &QPlainTextEdit::textChanged, this, &PromptField::takeEditorText);
    connect(m_editor, &PromptEditor::longTextPasted, this,
            [this](const QString& pasted, int at, int replaced) {
                const QString before = m_replacing ? QString() : this->text();
                setText(QString(before).replace(at, replaced, pasted));
                m_line->setReadOnly(true);
                Q_EMIT textEdited();
            });
}

QString PromptField::text() const {
    return m_line->plain();
}

void PromptField::setText(const QString& text) {
    m_line->setPlain(text);
    if (isEditorOpen()) {
        showInEditor();
    }
}

void PromptField::openEditor() {
    if (!isEditorOpen()) {
        m_frame->setParent(window());
        showInEditor();
        placeEditor();
        m_frame->show();
        m_line->setReadOnly(true);  // one place to type at a time
        Q_EMIT editorToggled(true);
    }
    m_frame->raise();
    m_editor->setFocus();
}

void PromptField::closeEditor() {
    if (!isEditorOpen()) return;
    m_frame->hide();
    m_frame->setParent(this);
    m_line->setPlain(text());  // also unlocks it
    m_line->setFocus();
    Q_EMIT editorToggled(false);
}

bool PromptField::isEditorOpen() const {
    return !m_frame->isHidden();
}

bool PromptField::eventFilter(QObject* object, QEvent* event) {
    if (object == m_editor && event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (key->key() == Qt::Key_Escape) {
            closeEditor();
            return true;
        }
        if (enter && key->modifiers() == Qt::ShiftModifier) {
            m_editor->insertPlainText(QStringLiteral("\n"));  // not U+2028
            return true;
        }
    }
    return QWidget::eventFilter(object, event);
}

void PromptField::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    placeEditor();
}

void PromptField::moveEvent(QMoveEvent* event) {
    QWidget::moveEvent(event);
    placeEditor();
}

void PromptField::placeEditor() {
    const QWidget* top = window();
    if (m_frame->parentWidget() != top) return;
    const QPoint at = mapTo(top, QPoint(0, height() + 2));
    const int wide = std::min(std::max(width(), editorWidth), top->width() - 16);
    const int x = std::clamp(at.x(), 8, std::max(8, top->width() - wide - 8));
    m_frame->setGeometry(x, at.y(), wide, std::min(editorHeight, top->height() - at.y() - 32));
}

void PromptField::showInEditor() {
    const QSignalBlocker blocker(m_editor);
    m_replacing = !m_editor->showText(text());
    refreshCount();
}

void PromptField::takeEditorText() {
    const QString shown = m_editor->shownText();
    const QString before = m_replacing ? QString() : PromptEditor::formOf(text());
    if (shown == before) return;
    m_line->setPlain(applyEdit(m_replacing ? QString() : text(), before, shown));
    m_line->setReadOnly(true);  // typing goes on in the editor
    m_replacing = false;
    refreshCount();
    Q_EMIT textEdited();
}

void PromptField::refreshCount() {
    const qsizetype size = text().size();
    m_count->setText(QStringLiteral("%1 %2 · Ctrl+Enter runs · Esc closes")
                         .arg(thousands(size), size == 1 ? QStringLiteral("character")
                                                         : QStringLiteral("characters")));
}

}  // namespace ui
