// SPDX-License-Identifier: GPL-3.0-or-later
// The windows behind Help: keys, messages so far, about. None is modal; each is there once: asked
// for again it is raised, the messages as they are by then.
#pragma once
#include <QList>

#include "ui/window/message_bar.h"

class QAction;
class QDialog;
class QWidget;

namespace ui {

QDialog* keysDialog(const QList<QAction*>& actions, QWidget* parent);
QDialog* messagesDialog(const QList<Message>& messages, QWidget* parent);
QDialog* aboutDialog(QWidget* parent);

}  // namespace ui
