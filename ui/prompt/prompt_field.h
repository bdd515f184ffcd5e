// SPDX-License-Identifier: GPL-3.0-or-later
// The prompt: one line in the run bar, an editor below it for more.
#pragma once
#include <QFrame>
#include <QString>
#include <QWidget>

#include "ui/prompt/prompt_preview.h"

class QLabel;
class QToolButton;

namespace ui {

class PromptEditor;
class PromptLine;

class PromptField : public QWidget {
    Q_OBJECT
  public:
    explicit PromptField(QWidget* parent = nullptr);

    QString text() const;
    void setText(const QString&);           // exactly as given; no signal
    void setPreview(const PromptPreview&);  // shown where it is of this text
    void openEditor();                      // a child of the window, below the line
    void closeEditor();
    bool isEditorOpen() const;
    PromptLine* line() const { return m_line; }
    PromptEditor* editor() const { return m_editor; }

  Q_SIGNALS:
    void textEdited();
    void runRequested();  // Return in the line
    void editorToggled(bool open);

  protected:
    bool eventFilter(QObject*, QEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void moveEvent(QMoveEvent*) override;

  private:
    void placeEditor();
    void showInEditor();
    void takeEditorText();
    void refreshCount();
    void refreshEdit();

    PromptLine* m_line = nullptr;
    QToolButton* m_edit = nullptr;  // beside a line that cannot be edited itself
    QFrame* m_frame = nullptr;
    PromptEditor* m_editor = nullptr;
    QLabel* m_count = nullptr;
    bool m_replacing = false;  // the text is too long for the editor, which is empty
};

}  // namespace ui
