// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/edit_chips.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>

#include "ui/painting/theme.h"
#include "ui/widgets/plain_text.h"

namespace ui {

namespace {

constexpr int chipsBarHeight = 30, chipHeight = 21;

// An edit's words and a cross; a click takes it away.
class EditChip : public QAbstractButton {
  public:
    EditChip(const QString& text, QWidget* parent) : QAbstractButton(parent) {
        setText(text);
        setFocusPolicy(Qt::StrongFocus);
        setCursor(Qt::PointingHandCursor);
        setAccessibleName(QStringLiteral("Remove the edit ") + text);
        setToolTip(QStringLiteral("Click: the run without this edit"));
    }
    QSize sizeHint() const override {
        return {QFontMetrics(wordFont(11)).horizontalAdvance(text()) + 30, chipHeight};
    }

  protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& t = theme();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
        painter.setPen(QPen(hasFocus() ? t.accent : t.error, hasFocus() ? 2 : 1));
        painter.setBrush(underMouse() ? t.button : t.base);
        painter.drawRoundedRect(hasFocus() ? box.adjusted(0.5, 0.5, -0.5, -0.5) : box, 3, 3);
        painter.setFont(wordFont(11));
        painter.setPen(t.text);
        painter.drawText(rect().adjusted(8, 0, -20, 0), Qt::AlignVCenter | Qt::AlignLeft, text());
        painter.setPen(QPen(underMouse() ? t.text : t.text2, 1.4));
        const QPointF middle(width() - 12, height() / 2.0);
        painter.drawLine(middle + QPointF(-3, -3), middle + QPointF(3, 3));
        painter.drawLine(middle + QPointF(-3, 3), middle + QPointF(3, -3));
    }
    bool event(QEvent* event) override {
        if (event->type() == QEvent::Enter || event->type() == QEvent::Leave) update();
        return QAbstractButton::event(event);
    }
};

}  // namespace

EditChips::EditChips(QWidget* parent) : QFrame(parent) {
    setAccessibleName(QStringLiteral("Edits of the run"));
    setFixedHeight(chipsBarHeight);
    m_name = plainLabel({}, this);
    m_name->setToolTip(
        QStringLiteral("Text, logits, maps and tables are of this run, which computes them with "
                       "the edits. A head that is off hands zeros to W_O; its pattern is still "
                       "computed and shown."));
    auto* inside = new QWidget;
    m_chips = new QHBoxLayout(inside);
    m_chips->setContentsMargins(0, 0, 0, 0);
    m_chips->setSpacing(4);
    m_area = new QScrollArea(this);
    m_area->setFrameShape(QFrame::NoFrame);
    m_area->setWidgetResizable(true);
    m_area->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // Tab brings a chip into view
    m_area->setFocusPolicy(Qt::NoFocus);
    m_area->setWidget(inside);
    m_area->setFixedHeight(chipHeight + 2);
    inside->setAutoFillBackground(false);
    m_area->viewport()->setAutoFillBackground(false);
    m_base = new QPushButton(this);
    m_base->setFixedHeight(chipHeight);
    m_base->setToolTip(QStringLiteral("The run of the same tokens without any edit"));
    connect(m_base, &QPushButton::clicked, this, &EditChips::baseRequested);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 0, 8, 0);
    row->setSpacing(8);
    row->addWidget(m_name);
    row->addWidget(m_area, 1);
    row->addWidget(m_base);
    applyTheme();
    hide();
}

void EditChips::setEdits(const QString& name, const QStringList& edits, const QString& base) {
    m_name->setText(QStringLiteral("Run %1, edited").arg(name));
    m_base->setText(withoutMnemonics(QStringLiteral("Show run %1").arg(base)));
    m_base->setVisible(!base.isEmpty());
    setAccessibleDescription(m_name->text() + QStringLiteral(": ") +
                             edits.join(QStringLiteral(", ")));
    setVisible(!edits.isEmpty());
    if (edits == m_edits) return;
    m_edits = edits;
    while (QLayoutItem* item = m_chips->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
    QWidget* before = m_name;
    for (int i = 0; i < edits.size(); ++i) {
        auto* chip = new EditChip(edits[i], m_area->widget());
        connect(chip, &QAbstractButton::clicked, this, [this, i] { Q_EMIT removeRequested(i); });
        m_chips->addWidget(chip);
        chip->show();
        setTabOrder(before, chip);
        before = chip;
    }
    setTabOrder(before, m_base);
    m_chips->addStretch(1);
}

void EditChips::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) applyTheme();
    QFrame::changeEvent(event);
}

void EditChips::applyTheme() {
    m_name->setFont(wordFont(12, true));
    m_base->setFont(wordFont(11));
    update();
}

void EditChips::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().title);
    painter.setPen(theme().softBorder);
    painter.drawLine(0, height() - 1, width(), height() - 1);
}

}  // namespace ui
