// SPDX-License-Identifier: GPL-3.0-or-later
// A figure as it will be, or why it cannot be; squares of grey show through where it has no ground.
#pragma once
#include <QImage>
#include <QWidget>

#include "ui/painting/theme.h"

namespace ui {

class FigurePreview : public QWidget {
    Q_OBJECT
  public:
    explicit FigurePreview(QWidget* parent = nullptr);

    // In device pixels, at most as many as room(); the squares are of the scheme that it is for.
    void setPicture(const QImage&, Scheme);
    void setProblem(const QString& text);  // instead of the picture; empty: none
    const QImage& picture() const { return m_picture; }
    QString problem() const { return m_problem; }
    QSize room() const;  // device pixels

  Q_SIGNALS:
    void resized();

  protected:
    void resizeEvent(QResizeEvent*) override;
    void paintEvent(QPaintEvent*) override;

  private:
    QImage m_picture;
    Scheme m_scheme = Scheme::Light;
    QString m_problem;
};

}  // namespace ui
