// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/help_dialogs.h"

#include <QAction>
#include <QDialog>
#include <QGridLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/painting/theme.h"
#include "ui/plain_text.h"

namespace ui {

namespace {

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

// "&Quit" reads "Quit"; a doubled ampersand is one.
QString withoutMarks(QString text) {
    text.replace(QStringLiteral("&&"), QStringLiteral("\x01"));
    text.remove(u'&');
    return text.replace(u'\x01', u'&');
}

}  // namespace

QDialog* keysDialog(const QList<QAction*>& actions, QWidget* parent) {
    QDialog* window =
        dialog(QStringLiteral("keysOverlay"), QStringLiteral("Keys"), {720, 560}, parent);
    auto* sheet = new QWidget;
    sheet->setBackgroundRole(QPalette::Base);
    auto* grid = new QGridLayout(sheet);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(4);
    QList<QAction*> keyed;
    for (QAction* action : actions)
        if (!action->shortcuts().isEmpty()) keyed << action;
    const int half = static_cast<int>(keyed.size() + 1) / 2;
    for (int i = 0; i < keyed.size(); ++i) {
        QStringList keys;
        for (const QKeySequence& key : keyed[i]->shortcuts())
            keys << key.toString(QKeySequence::NativeText);
        QLabel* name = plainLabel(keys.mid(0, 2).join(QStringLiteral("  ")));
        name->setFont(monoFont(11));
        const int column = i < half ? 0 : 2;
        grid->addWidget(name, i % half, column);
        grid->addWidget(plainLabel(withoutMarks(keyed[i]->text())), i % half, column + 1);
    }
    QLabel* note = plainLabel(QStringLiteral(
        "Letter keys and Space yield to a text field that has the focus. In the strip: click "
        "selects, Ctrl+click the other end, Shift+click and drag a span for the Finder, the wheel "
        "scrolls. In the map: wheel zooms, drag pans."));
    note->setWordWrap(true);
    note->setForegroundRole(QPalette::PlaceholderText);
    grid->addWidget(note, half, 0, 1, 4);
    grid->setRowStretch(half + 1, 1);
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 1);
    auto* area = new QScrollArea;
    area->setWidget(sheet);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    window->layout()->addWidget(area);
    return window;
}

QDialog* messagesDialog(const QList<Message>& messages, QWidget* parent) {
    QDialog* window =
        dialog(QStringLiteral("messagesDialog"), QStringLiteral("Messages"), {640, 400}, parent);
    QStringList blocks;
    for (auto message = messages.crbegin(); message != messages.crend(); ++message) {
        QString block = message->what;
        if (!message->why.isEmpty()) block += u'\n' + message->why;
        if (!message->details.isEmpty() && message->details != message->what)
            block += u'\n' + message->details;
        blocks << block;
    }
    auto* text = new QPlainTextEdit;
    text->setReadOnly(true);
    text->setFont(monoFont(11));
    text->setPlainText(blocks.isEmpty() ? QStringLiteral("No messages so far.")
                                        : blocks.join(QStringLiteral("\n\n")));
    window->layout()->addWidget(text);
    return window;
}

QDialog* aboutDialog(QWidget* parent) {
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
