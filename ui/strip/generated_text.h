// SPDX-License-Identifier: GPL-3.0-or-later
// What a run has generated, as text: spaces, tabs and line ends are marked, other controls are
// written by their code, nothing is markup.
#pragma once
#include <QPlainTextEdit>
#include <QString>
#include <QTimer>
#include <string>

namespace ui {

class GeneratedText : public QPlainTextEdit {
    Q_OBJECT
  public:
    explicit GeneratedText(QWidget* parent = nullptr);

    void clearText();
    void append(const std::string& utf8);  // whole characters
    // What half a character reads as while no token completes it; shown when nothing runs.
    void setUnfinished(const std::string& utf8);
    // While tokens stream only the end is laid out, a few times a second.
    void setRunning(bool);
    const std::string& text() const { return m_text; }  // as generated, for the clipboard
    QString shown() const { return toPlainText(); }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  protected:
    void changeEvent(QEvent*) override;

  private:
    void refresh();
    void applyTheme();

    std::string m_text, m_unfinished;
    QString m_readable;
    bool m_running = false;
    QTimer m_soon;
};

}  // namespace ui
