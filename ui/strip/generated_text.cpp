// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/strip/generated_text.h"

#include <QEvent>
#include <QScrollBar>

#include "ui/painting/readable_text.h"
#include "ui/painting/theme.h"

namespace ui {

namespace {

// A line's layout takes some 4 µs a character, each time it changes.
constexpr int tail = 1500, refreshMs = 100;
// Far beyond any context; a view that is asked for more shows the end.
constexpr int most = 200'000;

}  // namespace

GeneratedText::GeneratedText(QWidget* parent) : QPlainTextEdit(parent) {
    setAccessibleName(QStringLiteral("Generated text"));
    setReadOnly(true);
    setTabChangesFocus(true);
    setFrameShape(QFrame::NoFrame);
    setUndoRedoEnabled(false);
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    setPlaceholderText(QStringLiteral("The generated text stands here."));
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setFocusPolicy(Qt::StrongFocus);
    QTextOption option = document()->defaultTextOption();
    option.setFlags(option.flags() | QTextOption::ShowTabsAndSpaces |
                    QTextOption::ShowLineAndParagraphSeparators);
    document()->setDefaultTextOption(option);
    document()->setDocumentMargin(2);
    m_soon.setSingleShot(true);
    m_soon.setInterval(refreshMs);
    connect(&m_soon, &QTimer::timeout, this, &GeneratedText::refresh);
    applyTheme();
}

void GeneratedText::clearText() {
    m_text.clear();
    m_unfinished.clear();
    m_readable.clear();
    refresh();
}

void GeneratedText::append(const std::string& utf8) {
    m_text += utf8;
    m_readable += readableText(utf8);
    if (!m_soon.isActive()) m_soon.start();
}

void GeneratedText::setUnfinished(const std::string& utf8) {
    if (utf8 == m_unfinished) return;
    m_unfinished = utf8;
    if (!m_soon.isActive()) m_soon.start();
}

void GeneratedText::setRunning(bool running) {
    if (running == m_running) return;
    m_running = running;
    refresh();
}

void GeneratedText::refresh() {
    m_soon.stop();
    const int room = m_running ? tail : most;
    QString text = m_readable;
    if (!m_running) text += readableText(m_unfinished);
    if (text.size() > room) {
        text = text.right(room);
        if (text.front().isLowSurrogate()) text.remove(0, 1);
        text.prepend(u'…');
    }
    setPlainText(text);
    verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

void GeneratedText::applyTheme() {
    setFont(wordFont(12));
}

void GeneratedText::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) applyTheme();
    QPlainTextEdit::changeEvent(event);
}

QSize GeneratedText::sizeHint() const {
    return {400, 2 * fontMetrics().lineSpacing() + 6};
}

QSize GeneratedText::minimumSizeHint() const {
    return {120, fontMetrics().lineSpacing() + 6};
}

}  // namespace ui
