// SPDX-License-Identifier: GPL-3.0-or-later
// A combo box whose name stands inside it, dim, before the value: "Scale √".
#pragma once
#include <QComboBox>

namespace ui {

class LabelledCombo : public QComboBox {
    Q_OBJECT
  public:
    explicit LabelledCombo(const QString& label, QWidget* parent = nullptr);
    const QString& label() const { return m_label; }
    QString shownValue() const;  // of no entry the placeholder
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent*) override;

  private:
    QString m_label;
};

}  // namespace ui
