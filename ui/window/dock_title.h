// SPDX-License-Identifier: GPL-3.0-or-later
// A dock's title: words, then a token in the token font, a note and tools at the right, float and
// close.
#pragma once
#include <QString>
#include <QWidget>

class QDockWidget;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace ui {

class DockTitle : public QWidget {
    Q_OBJECT
  public:
    explicit DockTitle(QDockWidget* dock);  // installs itself
    // token and after are shown literally: "Next token after", "13 ·to", "(step 8)".
    void setText(const QString& words, const QString& token = {}, const QString& after = {});
    void setNote(const QString&);
    void addTool(QWidget*);  // left of float and close
    QString text() const;    // all of it, for tests and accessibility

    QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent*) override;
    void changeEvent(QEvent*) override;

  private:
    void applyTheme();

    QDockWidget* m_dock = nullptr;
    QLabel *m_words = nullptr, *m_token = nullptr, *m_after = nullptr, *m_note = nullptr;
    QHBoxLayout* m_tools = nullptr;
    QToolButton *m_float = nullptr, *m_close = nullptr;
};

}  // namespace ui
