// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/composer/figure_preview.h"

#include <QPainter>
#include <cmath>

#include "ui/painting/theme.h"

namespace ui {

namespace {

constexpr int previewMargin = 12, previewSquare = 8;

void paintSquares(QPainter& painter, const QRect& area, Scheme scheme) {
    const Theme ground = themeOf(scheme);
    painter.fillRect(area, ground.base);
    for (int y = 0; y < area.height(); y += previewSquare)
        for (int x = (y / previewSquare % 2) * previewSquare; x < area.width();
             x += 2 * previewSquare)
            painter.fillRect(
                QRect(area.topLeft() + QPoint(x, y), QSize(previewSquare, previewSquare))
                    .intersected(area),
                ground.title);
}

}  // namespace

FigurePreview::FigurePreview(QWidget* parent) : QWidget(parent) {
    setMinimumSize(320, 240);
    setAccessibleName(QStringLiteral("Preview of the figure"));
}

void FigurePreview::setPicture(const QImage& picture, Scheme scheme) {
    m_scheme = scheme;
    m_picture = picture;
    m_problem.clear();
    setAccessibleDescription({});
    update();
}

void FigurePreview::setProblem(const QString& text) {
    m_problem = text;
    setAccessibleDescription(text);
    update();
}

QSize FigurePreview::room() const {
    const QSize inner = size() - QSize(2 * previewMargin, 2 * previewMargin);
    return (QSizeF(inner) * devicePixelRatioF()).toSize().expandedTo({1, 1});
}

void FigurePreview::resizeEvent(QResizeEvent*) {
    Q_EMIT resized();
}

void FigurePreview::paintEvent(QPaintEvent*) {
    const Theme& t = theme();
    QPainter painter(this);
    painter.fillRect(rect(), t.window);
    if (!m_problem.isEmpty()) {
        painter.setFont(wordFont(12));
        painter.setPen(t.text2);
        painter.drawText(rect().adjusted(40, 40, -40, -40), Qt::AlignCenter | Qt::TextWordWrap,
                         m_problem);
        return;
    }
    if (m_picture.isNull()) return;
    const double ratio = devicePixelRatioF();
    const QSizeF size = QSizeF(m_picture.size()) / ratio;
    const double x = std::round((width() - size.width()) / 2 * ratio) / ratio;
    const double y = std::round((height() - size.height()) / 2 * ratio) / ratio;
    const QRectF area(QPointF(x, y), size);
    if (m_picture.hasAlphaChannel()) paintSquares(painter, area.toAlignedRect(), m_scheme);
    painter.drawImage(area, m_picture);
    painter.setPen(QPen(t.border, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(area.adjusted(-0.5, -0.5, 0.5, 0.5));
}

}  // namespace ui
