// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/help_dialogs.h"

#include <QAction>
#include <QDialog>
#include <QGridLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "ui/painting/theme.h"
#include "ui/widgets/plain_text.h"
#include "ui/window/help_gestures.h"

namespace ui {

namespace {

constexpr int widthForTwoColumns = 700;

QDialog* dialog(const QString& name, const QString& title, QSize size, QWidget* parent) {
    auto* window = new QDialog(parent);
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->setObjectName(name);
    window->setWindowTitle(title);
    window->resize(size);
    window->setLayout(new QVBoxLayout);
    window->layout()->setContentsMargins(12, 12, 12, 12);
    return window;
}

QDialog* raisedDialog(const char* name, QWidget* parent) {
    for (auto* each : parent->findChildren<QDialog*>(QLatin1String(name))) {
        if (!each->isVisible()) continue;  // closed, and about to go
        each->raise();
        each->activateWindow();
        return each;
    }
    return nullptr;
}

// "&Quit" reads "Quit"; a doubled ampersand is one.
QString withoutMarks(QString text) {
    text.replace(QStringLiteral("&&"), QStringLiteral("\x01"));
    text.remove(u'&');
    return text.replace(u'\x01', u'&');
}

// As large as wanted, and no larger than the window it explains.
QSize within(const QWidget* parent, QSize wanted) {
    return parent ? wanted.boundedTo(parent->size() - QSize(40, 60)) : wanted;
}

QLabel* heading(const QString& text) {
    QLabel* label = plainLabel(text);
    label->setFont(wordFont(12, true));
    label->setContentsMargins(0, 8, 0, 2);
    return label;
}

QGridLayout* keyGrid() {
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(4);
    return grid;
}

QLabel* keyLabel(const QString& keys) {
    QLabel* label = plainLabel(keys);
    label->setFont(monoFont(11));
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    label->setContentsMargins(0, 1, 0, 0);  // on the line of the words beside it
    return label;
}

// A narrow sheet has more lines, not a second scroll bar.
QLabel* wrappedLabel(const QString& text) {
    QLabel* label = plainLabel(text);
    label->setWordWrap(true);
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    return label;
}

// In one or two columns, read downwards.
QGridLayout* menuKeys(const QList<QAction*>& actions, int columns) {
    QGridLayout* grid = keyGrid();
    QList<QAction*> keyed;
    for (QAction* action : actions)
        if (!action->shortcuts().isEmpty()) keyed << action;
    const int half = (static_cast<int>(keyed.size()) + columns - 1) / columns;
    for (int i = 0; i < keyed.size(); ++i) {
        QStringList keys;
        for (const QKeySequence& key : keyed[i]->shortcuts())
            keys << key.toString(QKeySequence::NativeText);
        const int column = i < half ? 0 : 2;
        grid->addWidget(keyLabel(keys.mid(0, 2).join(u'\n')), i % half, column);
        grid->addWidget(wrappedLabel(withoutMarks(keyed[i]->text())), i % half, column + 1);
    }
    for (int i = 0; i < columns; ++i) grid->setColumnStretch(2 * i + 1, 1);
    return grid;
}

QGridLayout* gestureGrid(std::span<const GestureHelp> gestures) {
    QGridLayout* grid = keyGrid();
    int row = 0;
    const char16_t* before = nullptr;
    for (const GestureHelp& gesture : gestures) {
        const bool same = before && QStringView(before) == QStringView(gesture.where);
        if (!same) {
            QLabel* where = plainLabel(QString::fromUtf16(gesture.where));
            where->setAlignment(Qt::AlignTop | Qt::AlignLeft);
            grid->addWidget(where, row, 0);
        }
        before = gesture.where;
        grid->addWidget(keyLabel(QString::fromUtf16(gesture.gesture)), row, 1);
        grid->addWidget(wrappedLabel(QString::fromUtf16(gesture.does)), row, 2);
        ++row;
    }
    grid->setColumnStretch(2, 1);
    return grid;
}

}  // namespace

QDialog* keysDialog(const QList<QAction*>& actions, QWidget* parent) {
    if (QDialog* open = raisedDialog("keysOverlay", parent)) return open;
    QDialog* window = dialog(QStringLiteral("keysOverlay"), QStringLiteral("Keys"),
                             within(parent, {860, 700}), parent);
    auto* sheet = new QWidget;
    sheet->setBackgroundRole(QPalette::Base);
    auto* column = new QVBoxLayout(sheet);
    column->addWidget(heading(QStringLiteral("Everywhere")));
    column->addLayout(menuKeys(actions, window->width() < widthForTwoColumns ? 1 : 2));
    QLabel* note = plainLabel(QStringLiteral(
        "Letters and Space go to a text field that has the focus; Esc leaves it, and so does "
        "Enter in the prompt."));
    note->setForegroundRole(QPalette::PlaceholderText);
    column->addWidget(note);
    column->addWidget(heading(QStringLiteral("In a view that has the focus (F6, Tab)")));
    column->addLayout(gestureGrid(viewKeys()));
    column->addWidget(heading(QStringLiteral("With the mouse")));
    column->addLayout(gestureGrid(mouseGestures()));
    column->addStretch(1);
    auto* area = new QScrollArea;
    area->setWidget(sheet);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFrameShape(QFrame::NoFrame);
    area->setMinimumWidth(sheet->minimumSizeHint().width() +
                          area->verticalScrollBar()->sizeHint().width());
    window->layout()->addWidget(area);
    return window;
}

QDialog* messagesDialog(const QList<Message>& messages, QWidget* parent) {
    QStringList blocks;
    for (auto message = messages.crbegin(); message != messages.crend(); ++message) {
        QString block = message->what;
        if (!message->why.isEmpty()) block += u'\n' + message->why;
        if (!message->details.isEmpty() && message->details != message->what)
            block += u'\n' + message->details;
        blocks << block;
    }
    const QString all = blocks.isEmpty() ? QStringLiteral("No messages so far.")
                                         : blocks.join(QStringLiteral("\n\n"));
    if (QDialog* open = raisedDialog("messagesDialog", parent)) {
        open->findChild<QPlainTextEdit*>()->setPlainText(all);
        return open;
    }
    QDialog* window =
        dialog(QStringLiteral("messagesDialog"), QStringLiteral("Messages"), {640, 400}, parent);
    auto* text = new QPlainTextEdit;
    text->setReadOnly(true);
    text->setFont(monoFont(11));
    text->setPlainText(all);
    window->layout()->addWidget(text);
    return window;
}

QDialog* aboutDialog(QWidget* parent) {
    if (QDialog* open = raisedDialog("aboutDialog", parent)) return open;
    QDialog* window = dialog(QStringLiteral("aboutDialog"), QStringLiteral("About Headscope"),
                             {460, 260}, parent);
    QLabel* name = plainLabel(QStringLiteral("Headscope " HEADSCOPE_VERSION));
    name->setFont(wordFont(17, true));
    QLabel* text = plainLabel(
        QStringLiteral("A desktop microscope for attention heads.\n\n"
                       "GNU General Public License, version 3 or later. It comes without any "
                       "warranty.\n\n"
                       "It stands on Qt %1, QCustomPlot, libtorch, nlohmann/json, PCRE2 and ICU; "
                       "Crameri's Scientific Colour Maps (MIT); the fonts Inter (OFL-1.1) and "
                       "DejaVu Sans Mono (Bitstream Vera licence).")
            .arg(QString::fromLatin1(qVersion())));
    text->setWordWrap(true);
    text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    window->layout()->addWidget(name);
    window->layout()->addWidget(text);
    return window;
}

}  // namespace ui
