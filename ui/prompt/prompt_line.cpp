// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/prompt/prompt_line.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLinearGradient>
#include <QPainter>
#include <QSignalBlocker>
#include <QTextLayout>
#include <algorithm>

#include "ui/painting/theme.h"
#include "ui/strip/hidden_characters.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int captionEdge = 8, captionGap = 14;
constexpr int lineEdge = 4;  // of the field, around its text
constexpr int fadeWidth = 18, fadeInset = 3;

// The text is laid out as QLineEdit does it; where it has scrolled to is known by its cursor.
QTextLine laidOut(QTextLayout& layout) {
    layout.beginLayout();
    const QTextLine line = layout.createLine();
    layout.endLayout();
    return line;
}

}  // namespace

QString applyEdit(const QString& text, const QString& before, const QString& after) {
    const qsizetype common = std::min(before.size(), after.size());
    qsizetype head = 0, tail = 0;
    while (head < common && before[head] == after[head]) ++head;
    while (tail < common - head &&
           before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
        ++tail;
    QString middle = after.mid(head, after.size() - head - tail);
    middle.replace(u'⏎', u'\n').replace(u'⇥', u'\t').replace(u'␍', u'\r');
    return text.left(head) + middle + text.right(tail);
}

PromptLine::PromptLine(QWidget* parent) : QLineEdit(parent) {
    setMaxLength(1 << 28);  // the default cuts a pasted text at 32,767
    setPlaceholderText(QStringLiteral("Prompt"));
    setAccessibleName(QStringLiteral("Prompt"));
    connect(this, &QLineEdit::textEdited, this, &PromptLine::takeEdit);
}

void PromptLine::setPlain(const QString& text) {
    m_plain = text;
    showPlain(0);
}

void PromptLine::takeEdit(const QString& shown) {
    if (isReadOnly()) return;
    m_plain = applyEdit(m_plain, onOneLine(m_plain), shown);
    if (m_plain.size() > longest || onOneLine(m_plain) != shown)
        showPlain(cursorPosition());
    else
        refreshNotes();
    Q_EMIT plainEdited();
}

void PromptLine::paste() {
    const QString clip = QGuiApplication::clipboard()->text();
    const auto from = hasSelectedText() ? selectionStart() : cursorPosition();
    const auto length = hasSelectedText() ? selectionLength() : 0;
    m_plain.replace(from, length, clip);
    if (m_plain.size() > longest) {
        showPlain(0);
    } else {
        const QSignalBlocker blocker(this);  // it is taken as it is, marks and all
        insert(onOneLine(clip));             // and so can be undone
        refreshNotes();
    }
    Q_EMIT plainEdited();
}

void PromptLine::showPlain(int cursor) {
    const bool tooLong = m_plain.size() > longest;
    setReadOnly(tooLong);
    setText(tooLong ? onOneLine(m_plain.left(longest)) + u'…' : onOneLine(m_plain));
    setCursorPosition(tooLong ? 0 : cursor);
    refreshNotes();
}

void PromptLine::refreshNotes() {
    refreshCaption();
    QStringList notes;
    if (m_plain.size() > longest)
        notes << QStringLiteral(
                     "%1 characters, of which these are the first; click to edit them "
                     "(Ctrl+L).")
                     .arg(thousands(charactersOf(m_plain)));
    if (const QString hidden = hiddenNote(m_plain); !hidden.isEmpty()) notes << hidden;
    if (m_preview.isOf(m_plain)) {
        notes << m_preview.caption();
        if (const QString note = m_preview.note(); !note.isEmpty()) notes << note;
    }
    setToolTip(literalToolTip(notes.join(u'\n')));
    setAccessibleDescription(notes.join(u' '));
}

void PromptLine::setPreview(const PromptPreview& preview) {
    m_preview = preview;
    refreshNotes();
}

QString PromptLine::shownCaption() const {
    if (!m_preview.isOf(m_plain)) return {};
    // The text comes first: the longest that leaves it its room, which is no more than most of the
    // line; where none does, the shortest that leaves it any.
    constexpr int leastForText = 90, frameAndCursor = 14;
    constexpr int measured = 500;  // characters, more than a screen is wide
    const QFontMetrics words(wordFont(11));
    const int text = fontMetrics().horizontalAdvance(this->text(), measured) + frameAndCursor;
    const int wanted = std::min(text, std::max(leastForText, width() * 3 / 5));
    const auto left = [&](const QString& caption) {
        return width() - words.horizontalAdvance(caption) - captionGap;
    };
    const QStringList captions = m_preview.captions();
    for (const QString& caption : captions)
        if (left(caption) >= wanted) return caption;
    return left(captions.back()) >= leastForText ? captions.back() : QString();
}

void PromptLine::refreshCaption() {
    const bool waits = !m_plain.isEmpty() && !m_preview.isOf(m_plain);
    if (waits) return update();  // the text keeps its place until the next answer
    const QString caption = shownCaption();
    const int room =
        caption.isEmpty() ? 0 : QFontMetrics(wordFont(11)).horizontalAdvance(caption) + captionGap;
    if (textMargins().right() != room) setTextMargins(0, 0, room, 0);
    update();
}

QRect PromptLine::seenRect() const {
    return rect().adjusted(lineEdge, 0, -lineEdge - textMargins().right(), 0);
}

int PromptLine::originOf(const QTextLine& line) const {
    constexpr int besideCursor = 5;  // cursorRect() is as much wider at the left
    return cursorRect().left() + besideCursor - qRound(line.cursorToX(cursorPosition()));
}

// Where the text goes on it fades: a letter cut in two reads as another.
void PromptLine::paintFades(QPainter& painter) const {
    const QRect seen = seenRect();
    if (fontMetrics().horizontalAdvance(text()) + fadeWidth < seen.width()) return;
    QTextLayout layout(text(), font());
    const QTextLine line = laidOut(layout);
    const QRectF all = line.naturalTextRect().translated(originOf(line), 0);
    const QColor ground = palette().color(QPalette::Base);
    QColor clear = ground;
    clear.setAlpha(0);
    const auto fade = [&](int from, int to) {  // opaque at the first
        QLinearGradient gradient(from, 0, to, 0);
        gradient.setColorAt(0, ground);
        gradient.setColorAt(1, clear);
        painter.fillRect(QRect(QPoint(std::min(from, to), fadeInset),
                               QPoint(std::max(from, to), height() - 1 - fadeInset)),
                         gradient);
    };
    if (all.right() > seen.right() + 2) fade(seen.right() + 2, seen.right() - fadeWidth);
    if (all.left() < seen.left() - 2) fade(seen.left() - 2, seen.left() + fadeWidth);
}

std::vector<QRect> PromptLine::markRects() const {
    std::vector<QRect> rects;
    const std::vector<PromptMark> marks = m_preview.marksIn(m_plain);
    if (marks.empty()) return rects;
    QTextLayout layout(text(), font());
    const QTextLine line = laidOut(layout);
    const int origin = originOf(line);
    const QRect seen = seenRect();
    const int height = QFontMetrics(font()).height();
    for (const PromptMark& mark : marks) {
        if (mark.start + mark.length > text().size()) break;
        const int from = origin + qRound(line.cursorToX(static_cast<int>(mark.start))),
                  to = origin + qRound(line.cursorToX(static_cast<int>(mark.start + mark.length)));
        const QRect at = QRect(QPoint(std::min(from, to), (rect().height() - height) / 2),
                               QSize(std::abs(to - from), height)) &
                         seen;
        if (!at.isEmpty()) rects.push_back(at);
    }
    return rects;
}

void PromptLine::resizeEvent(QResizeEvent* event) {
    QLineEdit::resizeEvent(event);
    refreshCaption();
}

// Control tokens are framed and shaded; what only looks like one has a dotted line below.
void PromptLine::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    QPainter painter(this);
    const bool parsed = m_preview.options.parse_special;
    QColor shade = theme().accent;
    shade.setAlpha(36);
    for (const QRect& at : markRects()) {
        if (parsed) {
            painter.fillRect(at, shade);
            painter.setPen(theme().accent);
            painter.drawRect(at.adjusted(0, 0, -1, -1));
        } else {
            painter.setPen(QPen(theme().text2, 1, Qt::DotLine));
            painter.drawLine(at.bottomLeft(), at.bottomRight());
        }
    }
    paintFades(painter);
    const QString caption = shownCaption();
    if (caption.isEmpty()) return;
    painter.setFont(wordFont(11));
    painter.setPen(!m_preview.problem.isEmpty() ? theme().error : theme().text3);
    painter.drawText(rect().adjusted(0, 0, -captionEdge, 0), Qt::AlignVCenter | Qt::AlignRight,
                     caption);
}

void PromptLine::refreshLook() {
    QPalette look;  // all else as the application's
    if (isReadOnly()) {
        look.setColor(QPalette::Base, theme().window);
        look.setColor(QPalette::Text, theme().text2);
    }
    setPalette(look);
    setCursor(isReadOnly() ? Qt::PointingHandCursor : Qt::IBeamCursor);
}

void PromptLine::changeEvent(QEvent* event) {
    QLineEdit::changeEvent(event);
    if (event->type() == QEvent::ReadOnlyChange) {
        refreshLook();
        Q_EMIT readOnlyChanged();
    } else if (event->type() == QEvent::ApplicationPaletteChange) {
        refreshLook();
    }
}

// A drag selects, to copy.
void PromptLine::mouseReleaseEvent(QMouseEvent* event) {
    QLineEdit::mouseReleaseEvent(event);
    if (isReadOnly() && event->button() == Qt::LeftButton && !hasSelectedText())
        Q_EMIT editorWanted();
}

void PromptLine::keyPressEvent(QKeyEvent* event) {
    const bool cut = event->matches(QKeySequence::Cut) && !isReadOnly();
    if ((cut || event->matches(QKeySequence::Copy)) && hasSelectedText()) {
        // The text itself, not its marks.
        QGuiApplication::clipboard()->setText(m_plain.mid(
            selectionStart(),
            isReadOnly() && selectionLength() >= longest ? m_plain.size() : selectionLength()));
        if (cut) del();
        return;
    }
    if (event->matches(QKeySequence::Paste) && !isReadOnly()) return paste();
    const bool typed = !event->text().isEmpty() && event->text().at(0).isPrint();
    if (isReadOnly() && typed && !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier))) {
        Q_EMIT editorWanted();
        return;
    }
    const bool up = event->key() == Qt::Key_Up, down = event->key() == Qt::Key_Down;
    if ((up || down) && !(event->modifiers() & ~Qt::KeypadModifier))
        return Q_EMIT earlierWanted(up ? 1 : -1);
    QLineEdit::keyPressEvent(event);
}

void PromptLine::mouseDoubleClickEvent(QMouseEvent* event) {
    if (isReadOnly()) {
        Q_EMIT editorWanted();
        return;
    }
    QLineEdit::mouseDoubleClickEvent(event);
}

}  // namespace ui
