// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/icons.h"

#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <array>

#include "ui/painting/theme.h"

namespace ui {

namespace {

void triangle(QPainter& p, double x, double width, bool right = true) {
    const QPointF tip(right ? x + width : x, 8), up(right ? x : x + width, 3);
    p.drawPolygon(QPolygonF({up, tip, QPointF(up.x(), 13)}));
}

// Drawn in a box of 16 by 16.
void draw(QPainter& p, Sign sign, const QColor& colour) {
    p.setPen(Qt::NoPen);
    p.setBrush(colour);
    const auto line = [&](const QPainterPath& path, double width = 1.4) {
        p.setBrush(Qt::NoBrush);
        p.setPen(QPen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
        p.drawPath(path);
    };
    QPainterPath path;
    switch (sign) {
        case Sign::Run: triangle(p, 4, 9); break;
        case Sign::Step:
            triangle(p, 3, 7);
            p.drawRect(QRectF(11, 3, 2, 10));
            break;
        case Sign::Pause:
            p.drawRect(QRectF(4, 3, 3, 10));
            p.drawRect(QRectF(9, 3, 3, 10));
            break;
        case Sign::Stop: p.drawRect(QRectF(4, 4, 8, 8)); break;
        case Sign::First:
            p.drawRect(QRectF(2, 3, 1.6, 10));
            triangle(p, 4, 5, false);
            triangle(p, 9, 5, false);
            break;
        case Sign::Previous:
            p.drawRect(QRectF(4, 3, 1.6, 10));
            triangle(p, 6, 7, false);
            break;
        case Sign::Next:
            triangle(p, 3, 7);
            p.drawRect(QRectF(10.4, 3, 1.6, 10));
            break;
        case Sign::Last:
            triangle(p, 2, 5);
            triangle(p, 7, 5);
            p.drawRect(QRectF(12.4, 3, 1.6, 10));
            break;
        case Sign::Expand:
            for (const auto& [x, y, dx, dy] : {std::array<double, 4>{3, 3, 3, 3},
                                               {13, 3, -3, 3},
                                               {3, 13, 3, -3},
                                               {13, 13, -3, -3}}) {
                path.moveTo(x + dx, y);
                path.lineTo(x, y);
                path.lineTo(x, y + dy);
            }
            line(path);
            break;
        case Sign::Float:
            path.addRect(QRectF(3.5, 6.5, 6, 6));
            path.moveTo(6.5, 5);
            path.lineTo(6.5, 3.5);
            path.lineTo(12.5, 3.5);
            path.lineTo(12.5, 9.5);
            path.lineTo(11, 9.5);
            line(path, 1.1);
            break;
        case Sign::Close:
            path.moveTo(4, 4);
            path.lineTo(12, 12);
            path.moveTo(12, 4);
            path.lineTo(4, 12);
            line(path, 1.5);
            break;
        case Sign::Warn:
            path.addPolygon(QPolygonF({QPointF(8, 2), QPointF(15, 14), QPointF(1, 14)}));
            path.closeSubpath();
            path.moveTo(8, 6);
            path.lineTo(8, 10);
            path.moveTo(8, 11.3);
            path.lineTo(8, 12.7);
            line(path, 1.3);
            break;
    }
}

class Engine : public QIconEngine {
  public:
    explicit Engine(Sign sign) : m_sign(sign) {}
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        const double side = std::min(rect.width(), rect.height());
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->translate(rect.x() + (rect.width() - side) / 2,
                           rect.y() + (rect.height() - side) / 2);
        painter->scale(side / 16, side / 16);
        QColor colour = m_sign == Sign::Warn ? theme().error : theme().text;
        if (mode == QIcon::Disabled) {
            colour = theme().text3;
            colour.setAlphaF(0.6F);
        }
        draw(*painter, m_sign, colour);
        painter->restore();
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        return pixmap;
    }
    QIconEngine* clone() const override { return new Engine(*this); }

  private:
    Sign m_sign;
};

}  // namespace

QIcon icon(Sign sign) {
    return QIcon(new Engine(sign));
}

}  // namespace ui
