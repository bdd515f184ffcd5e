// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/prompt/prompt_editor.h"

#include <QMimeData>
#include <algorithm>

#include "ui/painting/theme.h"
#include "ui/strip/hidden_characters.h"

namespace ui {

namespace {

// Wrapping at words is quadratic in a line without any.
constexpr int longestWordWrapped = 2000;
constexpr int mostMarked = 2000;  // each is looked at with every paint

}  // namespace

PromptEditor::PromptEditor(QWidget* parent) : QPlainTextEdit(parent) {
    setAccessibleName(QStringLiteral("Prompt editor"));
    setFont(wordFont(12));
    wrapFor(0);
}

void PromptEditor::wrapFor(int lineLength) {
    setWordWrapMode(lineLength > longestWordWrapped ? QTextOption::WrapAnywhere
                                                    : QTextOption::WrapAtWordBoundaryOrAnywhere);
}

QString PromptEditor::formOf(const QString& text) {
    return withMarks(QString(text).replace(QChar::ParagraphSeparator, u'\n'));
}

int PromptEditor::longestLineOf(const QString& text) {
    qsizetype longest = 0, from = 0;
    while (from <= text.size()) {
        const qsizetype end = text.indexOf(u'\n', from);
        const qsizetype to = end < 0 ? text.size() : end;
        longest = std::max(longest, to - from);
        from = to + 1;
    }
    return static_cast<int>(longest);
}

bool PromptEditor::showText(const QString& text) {
    const QString form = formOf(text);
    const int line = longestLineOf(form);
    const bool fits = line <= longestLine;
    setPlaceholderText(fits ? QString()
                            : QStringLiteral("The prompt has a line of %1 characters, too long to "
                                             "edit here. Run reads it as it is; keys change "
                                             "nothing.")
                                  .arg(thousands(line)));
    wrapFor(fits ? line : 0);
    setReadOnly(!fits);
    setPlainText(fits ? form : QString());
    moveCursor(QTextCursor::End);
    return fits;
}

void PromptEditor::markPieces(const PromptPreview& preview, const QString& text) {
    QList<QTextEdit::ExtraSelection> all;
    QTextCharFormat format;
    if (preview.options.parse_special) {
        format.setBackground(theme().accentGround);
        format.setUnderlineStyle(QTextCharFormat::SingleUnderline);
        format.setUnderlineColor(theme().accent);
    } else {
        format.setUnderlineStyle(QTextCharFormat::DotLine);
        format.setUnderlineColor(theme().text2);
    }
    const int end = document()->characterCount() - 1;
    for (const PromptMark& mark : preview.marksIn(text)) {
        if (mark.start + mark.length > end) break;  // the text is too long to be shown
        QTextCursor cursor(document());
        cursor.setPosition(static_cast<int>(mark.start));
        cursor.setPosition(static_cast<int>(mark.start + mark.length), QTextCursor::KeepAnchor);
        all.append({cursor, format});
        if (all.size() == mostMarked) break;
    }
    setExtraSelections(all);
}

QString PromptEditor::shownText() const {
    QString text = document()->toRawText();  // toPlainText turns U+00A0 into a space
    return text.replace(QChar::ParagraphSeparator, u'\n');
}

void PromptEditor::insertFromMimeData(const QMimeData* source) {
    if (!source->hasText()) return;
    // The document would take a carriage return for a line's end; all else is taken as it is.
    const QString form =
        source->text().replace(u'\r', u'␍').replace(QChar::ParagraphSeparator, u'\n');
    const int line = longestLineOf(form);
    const QTextCursor cursor = textCursor();
    if (line > longestLine) {
        Q_EMIT longTextPasted(source->text(), cursor.selectionStart(),
                              cursor.selectionEnd() - cursor.selectionStart());
        return;
    }
    if (line > longestWordWrapped) wrapFor(line);
    insertPlainText(form);
}

}  // namespace ui
