// SPDX-License-Identifier: GPL-3.0-or-later
// One example prompt as a button: its name, its beginning in the token font, what it shows.
#pragma once
#include <QAbstractButton>
#include <QString>

namespace ui {

class PromptRow : public QAbstractButton {
    Q_OBJECT
  public:
    PromptRow(const QString& name, const QString& prompt, const QString& note,
              QWidget* parent = nullptr);
    QSize sizeHint() const override { return {400, 26}; }
    QSize minimumSizeHint() const override { return {160, 26}; }

  protected:
    void paintEvent(QPaintEvent*) override;

  private:
    QString m_name, m_prompt, m_note;
};

}  // namespace ui
