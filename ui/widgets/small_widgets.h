// SPDX-License-Identifier: GPL-3.0-or-later
// Three small things that Fusion draws otherwise: a segment of a switch, a thin bar of progress, a
// colour's key.
#pragma once
#include <QToolButton>
#include <QWidget>

#include "ui/painting/theme.h"

namespace ui {

// One of several buttons side by side; the checked one stands on the accent's ground.
class SegmentButton : public QToolButton {
    Q_OBJECT
  public:
    explicit SegmentButton(const QString& text, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

  protected:
    void paintEvent(QPaintEvent*) override;
};

class ThinBar : public QWidget {
    Q_OBJECT
  public:
    explicit ThinBar(QWidget* parent = nullptr) : QWidget(parent) {}
    void setFraction(double fraction);  // 0 to 1
    double fraction() const { return m_fraction; }

  protected:
    void paintEvent(QPaintEvent*) override;

  private:
    double m_fraction = 0;
};

// A square in a colour of the theme and what it stands for.
class ColourKey : public QWidget {
    Q_OBJECT
  public:
    ColourKey(QColor Theme::*colour, const QString& text, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

  protected:
    void paintEvent(QPaintEvent*) override;

  private:
    QColor Theme::*m_colour;
    QString m_text;
};

}  // namespace ui
