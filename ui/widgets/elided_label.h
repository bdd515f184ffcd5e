// SPDX-License-Identifier: GPL-3.0-or-later
// A line of literal text that ends in … where it has too little room; then its tooltip is the
// whole.
#pragma once
#include <QLabel>

namespace ui {

class ElidedLabel : public QLabel {
    Q_OBJECT
  public:
    explicit ElidedLabel(const QFont&, QWidget* parent = nullptr);
    bool isElided() const;
    QString shownText() const;

    QSize minimumSizeHint() const override;

  protected:
    bool event(QEvent*) override;
    void paintEvent(QPaintEvent*) override;

  private:
    QRect textRect() const;
};

}  // namespace ui
