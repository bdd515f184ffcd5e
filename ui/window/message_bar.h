// SPDX-License-Identifier: GPL-3.0-or-later
// What went wrong, above the page: one message at a time, closable, never modal.
#pragma once
#include <QFrame>
#include <QList>
#include <QString>

#include "engine/values/failure.h"

class QLabel;
class QHBoxLayout;
class QToolButton;

namespace ui {

struct Remedy {
    QString id;    // what remedyChosen says
    QString text;  // on the button, shown literally
};

struct Message {
    enum class Severity { Warn, Error };
    Severity severity = Severity::Error;
    QString what;            // bold: what failed, with its numbers
    QString why;             // one line; what stays usable
    QString details;         // what Copy details puts on the clipboard; empty: what and why
    QList<Remedy> remedies;  // the first three are shown
};

// what = the failure's what, why = its hint, details = all fields.
Message messageOf(const engine::Failure&, QList<Remedy> remedies = {});

class MessageBar : public QFrame {
    Q_OBJECT
  public:
    explicit MessageBar(QWidget* parent = nullptr);  // hidden until a message is shown
    void setMessage(const Message&);                 // replaces what is shown
    void dismiss();
    const Message& message() const { return m_message; }
    QString detailsText() const;

  Q_SIGNALS:
    void remedyChosen(const QString& id);
    void dismissed();

  protected:
    void paintEvent(QPaintEvent*) override;
    void changeEvent(QEvent*) override;

  private:
    void applyTheme();

    Message m_message;
    QLabel* m_what = nullptr;
    QLabel* m_why = nullptr;
    QHBoxLayout* m_buttons = nullptr;
    QToolButton* m_close = nullptr;
};

}  // namespace ui
