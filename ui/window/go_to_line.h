// SPDX-License-Identifier: GPL-3.0-or-later
// One line over the page that takes where to go, or what else is asked for, and says, while it is
// typed, what it understood.
#pragma once
#include <QFrame>
#include <QPointer>
#include <functional>

class QLabel;
class QLineEdit;

namespace ui {

class GoToLine : public QFrame {
    Q_OBJECT
  public:
    struct Answer {
        bool understood = false;
        QString text;  // where it would go, or why it cannot
    };

    struct Words {
        QString title = QStringLiteral("Go to");
        QString asks = QStringLiteral("Go to head, row or step");  // of the field, accessible
        QString example = QStringLiteral("L12.H7@t=34");
        QString name = QStringLiteral("goTo");  // of the field, and with "Line" of the frame
    };
    explicit GoToLine(QWidget* page) : GoToLine(page, Words()) {}
    GoToLine(QWidget* page, const Words&);
    // answer: asked at every key.
    void open(std::function<Answer(const QString&)> answer);
    QLineEdit& edit() const { return *m_edit; }
    QString answerText() const;

  Q_SIGNALS:
    void chosen(const QString&);  // understood, and Enter

  protected:
    bool eventFilter(QObject*, QEvent*) override;
    void keyPressEvent(QKeyEvent*) override;

  private:
    void refresh();
    void place();
    void leave();

    std::function<Answer(const QString&)> m_answer;
    QLineEdit* m_edit = nullptr;
    QLabel* m_said = nullptr;
    QPointer<QWidget> m_before;  // had the focus
    bool m_understood = false;
};

}  // namespace ui
