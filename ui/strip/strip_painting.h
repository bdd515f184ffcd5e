// SPDX-License-Identifier: GPL-3.0-or-later
// How one token box looks in each of its states; the strip and the step lane share it.
#pragma once
#include <QFont>
#include <QRect>
#include <QString>

class QPainter;

namespace ui {

struct TokenBox {
    QString text;        // visibleToken of its bytes
    float attended = 0;  // p of the selected dest on it: upper half
    float attends = 0;   // p of it on the selected src: lower half
    bool isDest = false, isSrc = false, hovered = false;
    bool control = false, generated = false, noRow = false;
};

int tokenBoxWidth(const QString& visible);  // of the box, without a gap
void paintTokenBox(QPainter&, const QRect&, const TokenBox&);
// The same token in flowing text: no box but for what is marked.
void paintFlowToken(QPainter&, const QRect&, const TokenBox&, const QFont&);
// Literal text whose marks (· ⏎ ⇥) are dimmer, elided at the right.
void paintTokenText(QPainter&, const QRect&, const QString& visible, Qt::Alignment);

}  // namespace ui
