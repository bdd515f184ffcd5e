// SPDX-License-Identifier: GPL-3.0-or-later
// A one-line field over a text of many lines: each line break shows as ⏎ and stays a line break.
// What is shown has one character for each of the text's, so that an edit changes only what was
// edited.
#pragma once
#include <QLineEdit>
#include <QRect>
#include <QString>
#include <vector>

#include "ui/prompt/prompt_preview.h"

class QTextLine;

namespace ui {

class PromptLine : public QLineEdit {
    Q_OBJECT
  public:
    // Longer texts are shown by their beginning and edited in the editor: a line edit lays out all
    // of its text.
    static constexpr int longest = 4000;

    explicit PromptLine(QWidget* parent = nullptr);
    const QString& plain() const { return m_plain; }
    void setPlain(const QString&);  // no signal
    // Its pieces are marked where the text still has them; how many tokens, and what they need,
    // stands at the right as far as there is room.
    void setPreview(const PromptPreview&);
    const PromptPreview& preview() const { return m_preview; }
    // Of what is shown, in this widget's coordinates.
    std::vector<QRect> markRects() const;
    QString shownCaption() const;  // empty where there is no room, or no answer yet

  Q_SIGNALS:
    void plainEdited();
    void earlierWanted(int step);  // Up: 1, Down: −1
    void editorWanted();           // something was typed or clicked that this field cannot take
    void readOnlyChanged();

  protected:
    void changeEvent(QEvent*) override;
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void mouseReleaseEvent(QMouseEvent*) override;
    void keyPressEvent(QKeyEvent*) override;
    void mouseDoubleClickEvent(QMouseEvent*) override;

  private:
    void takeEdit(const QString& shown);
    void paste();
    void showPlain(int cursor);
    void refreshNotes();
    void refreshCaption();
    QRect seenRect() const;                // where its text is seen, in this widget's coordinates
    int originOf(const QTextLine&) const;  // x of the text's beginning, which may be out of sight
    void paintFades(QPainter&) const;
    void refreshLook();  // as what it is: a field, or a button that opens the editor

    QString m_plain;
    PromptPreview m_preview;
};

// The text after the shown form of `before` was edited to `after`: only the edited middle is taken
// from `after`, with the marks ⏎ ⇥ ␍ in it turned back into what they stand for.
QString applyEdit(const QString& text, const QString& before, const QString& after);

}  // namespace ui
