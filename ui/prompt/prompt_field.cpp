// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/prompt/prompt_field.h"

#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>

#include "ui/painting/theme.h"
#include "ui/prompt/prompt_editor.h"
#include "ui/prompt/prompt_line.h"
#include "ui/strip/hidden_characters.h"
#include "ui/widgets/plain_text.h"

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
    row->setSpacing(2);
    row->addWidget(m_line);
    m_edit = new QToolButton(this);
    m_edit->setText(QStringLiteral("Edit…"));
    m_edit->setAccessibleName(QStringLiteral("Edit the long prompt"));
    m_edit->setToolTip(QStringLiteral("Edit the whole prompt (Ctrl+L)"));
    m_edit->setFont(wordFont(11));
    m_edit->setFocusPolicy(Qt::TabFocus);
    m_edit->hide();
    row->addWidget(m_edit);

    m_frame = new QFrame(this);
    m_frame->setObjectName(QStringLiteral("promptEditor"));
    m_frame->setFrameShape(QFrame::Box);
    m_frame->setAutoFillBackground(true);
    m_editor = new PromptEditor(m_frame);
    m_editor->installEventFilter(this);
    auto* column = new QVBoxLayout(m_frame);
    column->setContentsMargins(4, 4, 4, 4);
    column->setSpacing(4);
    column->addWidget(m_editor);
    column->addLayout(buildFoot());
    m_frame->hide();

    connect(m_line, &PromptLine::plainEdited, this, &PromptField::textEdited);
    connect(m_line, &PromptLine::editorWanted, this, &PromptField::openEditor);
    connect(m_line, &PromptLine::readOnlyChanged, this, &PromptField::refreshEdit);
    connect(m_edit, &QToolButton::clicked, this, &PromptField::openEditor);
    connect(m_line, &QLineEdit::returnPressed, this, &PromptField::runRequested);
    connect(m_editor, &QPlainTextEdit::textChanged, this, &PromptField::takeEditorText);
    connect(m_editor, &PromptEditor::longTextPasted, this, &PromptField::takeLongPaste);
}

QHBoxLayout* PromptField::buildFoot() {
    m_count = plainLabel({}, m_frame);
    m_count->setFont(wordFont(10));
    m_count->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_putAway = new QPushButton(m_frame);
    m_putAway->setFont(wordFont(11));
    m_putAway->setAutoDefault(false);
    m_putAway->hide();
    connect(m_putAway, &QPushButton::clicked, this, &PromptField::putAway);
    auto* foot = new QHBoxLayout;
    foot->setSpacing(8);
    foot->addWidget(m_count, 1);
    foot->addWidget(m_putAway);
    return foot;
}

QString PromptField::text() const {
    return m_line->plain();
}

void PromptField::setText(const QString& text) {
    m_beforePaste.reset();
    m_line->setPlain(text);
    if (!isEditorOpen()) return;
    m_line->setReadOnly(true);  // one place to type at a time
    showInEditor();
}

void PromptField::setPreview(const PromptPreview& preview) {
    m_line->setPreview(preview);
    if (!isEditorOpen()) return;
    m_editor->markPieces(preview, text());
    refreshCount();
}

void PromptField::openEditor() {
    if (!isEditorOpen()) {
        m_frame->setParent(window());
        showInEditor();
        placeEditor();
        m_frame->show();
        m_line->setReadOnly(true);
        refreshEdit();
        Q_EMIT editorToggled(true);
    }
    m_frame->raise();
    m_editor->setFocus();
}

void PromptField::closeEditor() {
    if (!isEditorOpen()) return;
    const bool hadFocus = m_frame->isAncestorOf(QApplication::focusWidget());
    m_line->setPlain(text());  // also unlocks it
    if (hadFocus) m_line->setFocus();
    m_frame->hide();
    m_frame->setParent(this);
    refreshEdit();
    Q_EMIT editorToggled(false);
    if (hadFocus) Q_EMIT left();
}

bool PromptField::isEditorOpen() const {
    return !m_frame->isHidden();
}

bool PromptField::eventFilter(QObject* object, QEvent* event) {
    const bool press = event->type() == QEvent::KeyPress;
    if (object == m_editor && (press || event->type() == QEvent::ShortcutOverride)) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) && m_editor->isReadOnly() && m_beforePaste) {
            event->accept();
            if (press) putAway();
            return true;
        }
        if (!press) return QWidget::eventFilter(object, event);
        const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (key->key() == Qt::Key_Escape) {
            closeEditor();
            return true;
        }
        if (enter && key->modifiers() == Qt::ShiftModifier) {
            if (!m_editor->isReadOnly())
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
    const bool tooLong = !m_editor->showText(text());
    m_editor->markPieces(m_line->preview(), text());
    m_putAway->setVisible(tooLong);
    m_putAway->setText(m_beforePaste ? QStringLiteral("Undo the paste")
                                     : QStringLiteral("Clear the prompt"));
    refreshCount();
}

void PromptField::takeEditorText() {
    const QString shown = m_editor->shownText(), before = PromptEditor::formOf(text());
    if (shown == before) return;
    m_line->setPlain(applyEdit(text(), before, shown));
    m_line->setReadOnly(true);  // typing goes on in the editor
    // What was pasted may need marks: one for each character, so that the cursor keeps its place.
    if (PromptEditor::formOf(text()) != shown) {
        const int at = m_editor->textCursor().position();
        showInEditor();
        QTextCursor cursor = m_editor->textCursor();
        cursor.setPosition(m_editor->isReadOnly() ? 0 : at);
        m_editor->setTextCursor(cursor);
    }
    refreshCount();
    Q_EMIT textEdited();
}

void PromptField::takeLongPaste(const QString& pasted, int at, int replaced) {
    const QString before = text();
    setText(QString(before).replace(at, replaced, pasted));
    m_beforePaste = before;
    showInEditor();
    Q_EMIT textEdited();
}

void PromptField::putAway() {
    setText(QString(m_beforePaste.value_or(QString())));  // a copy: it is reset there
    m_editor->setFocus();
    Q_EMIT textEdited();
}

void PromptField::refreshEdit() {
    m_edit->setVisible(m_line->isReadOnly() && !isEditorOpen());
}

void PromptField::refreshCount() {
    const QString whole = text();
    const qsizetype count = charactersOf(whole);
    const bool read = whole.size() <= mostRead;
    QString unit = read ? QStringLiteral("character") : QStringLiteral("code point");
    if (count != 1) unit += u's';
    if (const int marks = marksIn(whole); marks > 0)
        unit += QStringLiteral(", %1 shown as %2")
                    .arg(thousands(marks),
                         marks == 1 ? QStringLiteral("a mark") : QStringLiteral("marks"));
    const PromptPreview& preview = m_line->preview();
    const QStringList captions = preview.isOf(whole) ? preview.captions() : QStringList(QString());
    for (const QString& caption : captions) {
        m_count->setText(QStringLiteral("%1 %2%3 · Ctrl+Enter runs · Esc closes")
                             .arg(thousands(count), unit,
                                  caption.isEmpty() ? caption : QStringLiteral(" · ") + caption));
        if (m_count->sizeHint().width() <= m_count->width()) break;
    }
    const QString means =
        read ? QStringLiteral(
                   "Characters as they are read: a letter with its accents is one, and "
                   "so is an emoji of several parts.")
             : QStringLiteral("Unicode code points: a letter and its accent may be two.");
    QStringList notes{means, hiddenNote(whole)};
    if (preview.isOf(whole)) notes << preview.problem << preview.note();
    notes.removeAll(QString());
    m_count->setToolTip(literalToolTip(notes.join(u'\n')));
}

}  // namespace ui
