// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/key_yield.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTabBar>
#include <QTextEdit>

namespace ui {

namespace {

bool isText(const QWidget* widget) {
    const auto* combo = qobject_cast<const QComboBox*>(widget);
    return qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QPlainTextEdit*>(widget) ||
           qobject_cast<const QTextEdit*>(widget) ||
           qobject_cast<const QAbstractSpinBox*>(widget) || (combo && combo->isEditable());
}

bool isMove(int key) {
    switch (key) {
        case Qt::Key_Left:
        case Qt::Key_Right:
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_Home:
        case Qt::Key_End:
        case Qt::Key_PageUp:
        case Qt::Key_PageDown: return true;
        default: return false;
    }
}

bool isEnter(int key) {
    return key == Qt::Key_Return || key == Qt::Key_Enter;
}

}  // namespace

bool keepsKey(const QWidget* focus, const QKeyEvent& event) {
    const int key = event.key();
    const Qt::KeyboardModifiers held = event.modifiers() & ~Qt::KeypadModifier;
    if (held & (Qt::AltModifier | Qt::MetaModifier)) return false;
    const bool control = held & Qt::ControlModifier;
    if (isText(focus)) return isMove(key) || (!control && (key < Qt::Key_F1 || key > Qt::Key_F35));
    if (control) return false;
    if (qobject_cast<const QAbstractItemView*>(focus)) return isMove(key) || isEnter(key);
    if (qobject_cast<const QComboBox*>(focus) || qobject_cast<const QAbstractSlider*>(focus) ||
        qobject_cast<const QTabBar*>(focus))
        return isMove(key);
    if (qobject_cast<const QAbstractButton*>(focus)) return key == Qt::Key_Space;
    return false;
}

KeyYield::KeyYield(QWidget* window) : QObject(window) {
    qApp->installEventFilter(this);
}

bool KeyYield::eventFilter(QObject* object, QEvent* event) {
    if (event->type() != QEvent::ShortcutOverride) return false;
    const auto* widget = qobject_cast<QWidget*>(object);
    if (!widget || !keepsKey(widget, static_cast<const QKeyEvent&>(*event))) return false;
    event->accept();
    return true;
}

}  // namespace ui
