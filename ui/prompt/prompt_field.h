// SPDX-License-Identifier: GPL-3.0-or-later
// The prompt: one line in the run bar, an editor below it for more.
#pragma once
#include <QFrame>
#include <QString>
#include <QWidget>
#include <optional>

#include "ui/prompt/prompt_preview.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
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
    void left();  // the editor had the focus and closes: where the keys go now is the window's

  protected:
    bool eventFilter(QObject*, QEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void moveEvent(QMoveEvent*) override;

  private:
    void placeEditor();
    QHBoxLayout* buildFoot();
    void showInEditor();
    void takeEditorText();
    void takeLongPaste(const QString& pasted, int at, int replaced);
    void putAway();  // a text that the editor cannot hold, for what can be typed
    void refreshCount();
    void refreshEdit();

    PromptLine* m_line = nullptr;
    QToolButton* m_edit = nullptr;  // beside a line that cannot be edited itself
    QFrame* m_frame = nullptr;
    PromptEditor* m_editor = nullptr;
    QLabel* m_count = nullptr;
    QPushButton* m_putAway = nullptr;
    std::optional<QString> m_beforePaste;  // which made it too long to edit, and so to undo
};

}  // namespace ui
