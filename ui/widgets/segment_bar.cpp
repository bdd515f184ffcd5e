// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/segment_bar.h"

#include <QEvent>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QPainter>
#include <algorithm>

#include "ui/painting/theme.h"

namespace ui {

namespace {

constexpr int side = 8, keyGap = 6;

class Segment : public QAbstractButton {
  public:
    Segment(const QString& text, const QString& key, QWidget* parent)
        : QAbstractButton(parent), m_text(text), m_key(key) {
        setCheckable(true);
        setAutoExclusive(true);
        setFocusPolicy(Qt::NoFocus);  // the bar has it
        setAccessibleName(text);
    }
    QSize sizeHint() const override {
        const QFontMetrics words(wordFont(12)), key(monoFont(10));
        return {bareWidth() + (m_key.isEmpty() ? 0 : keyGap + key.horizontalAdvance(m_key)),
                std::max(25, words.height() + 8)};
    }
    int bareWidth() const {  // without the key
        return 2 * side + QFontMetrics(wordFont(12)).horizontalAdvance(m_text);
    }

  protected:
    void enterEvent(QEnterEvent*) override { update(); }
    void leaveEvent(QEvent*) override { update(); }
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const Theme& t = theme();
        const bool on = isChecked();
        painter.fillRect(rect(), on                            ? t.accentGround
                                 : underMouse() && isEnabled() ? t.title
                                                               : t.button);
        painter.setPen(on && isEnabled() ? t.accent : t.border);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
        if (on && parentWidget()->hasFocus()) painter.drawRect(rect().adjusted(1, 1, -2, -2));
        const QFontMetrics words(wordFont(12));
        const int baseline = (height() + words.ascent() - words.descent()) / 2;
        painter.setFont(wordFont(12));
        painter.setPen(isEnabled() ? t.text : t.text3);
        painter.drawText(
            side, baseline,
            words.elidedText(m_text, Qt::ElideRight, std::max(0, width() - 2 * side) + 2));
        if (width() < sizeHint().width()) return;
        painter.setFont(monoFont(10));
        painter.setPen(t.text3);
        painter.drawText(side + words.horizontalAdvance(m_text) + keyGap, baseline, m_key);
    }

  private:
    QString m_text, m_key;
};

}  // namespace

SegmentBar::SegmentBar(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::TabFocus);
}

void SegmentBar::addSegment(const QString& text, const QString& key, const QString& toolTip) {
    auto* segment = new Segment(text, key, this);
    const int index = static_cast<int>(m_segments.size());
    segment->setToolTip(toolTip);
    segment->setChecked(index == 0);
    m_segments.push_back(segment);
    connect(segment, &QAbstractButton::clicked, this, [this, index] {
        setCurrent(index);
        Q_EMIT chosen(index);
    });
    updateGeometry();
}

void SegmentBar::setCurrent(int index) {
    if (index < 0 || index >= static_cast<int>(m_segments.size())) return;
    segment(index)->setChecked(true);
    segment(index)->raise();  // its accent border lies over its neighbours'
}

int SegmentBar::current() const {
    for (std::size_t i = 0; i < m_segments.size(); ++i)
        if (m_segments[i]->isChecked()) return static_cast<int>(i);
    return -1;
}

QSize SegmentBar::sizeHint() const {
    QSize size(1, 25);
    for (const QAbstractButton* segment : m_segments) {
        size.rwidth() += segment->sizeHint().width() - 1;  // borders overlap
        size.setHeight(std::max(size.height(), segment->sizeHint().height()));
    }
    return size;
}

void SegmentBar::resizeEvent(QResizeEvent*) {
    const bool keys = width() >= sizeHint().width();
    std::vector<int> widths;
    for (const QAbstractButton* segment : m_segments)
        widths.push_back(keys ? segment->sizeHint().width()
                              : static_cast<const Segment*>(segment)->bareWidth());
    // The longest words are cut first.
    int most = widths.empty() ? 0 : *std::max_element(widths.begin(), widths.end());
    const auto taken = [&] {
        int sum = 1;
        for (const int one : widths) sum += std::min(one, most) - 1;
        return sum;
    };
    while (most > 2 * side && taken() > width()) --most;
    int x = 0;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        m_segments[i]->setGeometry(x, 0, std::min(widths[i], most), height());
        x += std::min(widths[i], most) - 1;
    }
}

// The window has shortcuts of its own on these.
bool SegmentBar::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool plain = (key->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
        if (plain && (key->key() == Qt::Key_Left || key->key() == Qt::Key_Right)) {
            event->accept();
            return true;
        }
    }
    return QWidget::event(event);
}

void SegmentBar::keyPressEvent(QKeyEvent* event) {
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    const int next = current() + step;
    if (step == 0) return event->ignore();
    if (next < 0 || next >= static_cast<int>(m_segments.size()) || !segment(next)->isEnabled())
        return;
    setCurrent(next);
    Q_EMIT chosen(next);
}

void SegmentBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange)
        for (QAbstractButton* segment : m_segments) segment->update();
    QWidget::changeEvent(event);
}

}  // namespace ui
