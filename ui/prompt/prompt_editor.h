// SPDX-License-Identifier: GPL-3.0-or-later
// The prompt's editor: plain text, what prints nothing shown as a mark, and never a line so long
// that laying it out would stop the window.
#pragma once
#include <QPlainTextEdit>
#include <QString>

#include "ui/prompt/prompt_preview.h"

namespace ui {

class PromptEditor : public QPlainTextEdit {
    Q_OBJECT
  public:
    // Layout takes some 4 µs a character of a line, at every key: this many is half a second.
    static constexpr int longestLine = 100'000;

    explicit PromptEditor(QWidget* parent = nullptr);
    // False when a line is too long to be shown: then the editor is empty and takes no key, so that
    // none of them replaces a text that is not seen.
    bool showText(const QString&);
    void markPieces(const PromptPreview&,
                    const QString& text);  // text: what is shown stands for it
    QString shownText() const;  // one character for each of the text's; U+00A0 stays what it is

    static QString formOf(const QString& text);  // what the editor shows for a text
    static int longestLineOf(const QString& text);

  Q_SIGNALS:
    void longTextPasted(const QString& text, int at, int replaced);

  protected:
    void insertFromMimeData(const QMimeData*) override;

  private:
    void wrapFor(int lineLength);
};

}  // namespace ui
