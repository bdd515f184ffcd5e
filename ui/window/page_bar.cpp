// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/page_bar.h"

#include <QEvent>
#include <QLabel>
#include <QTabBar>

#include "ui/painting/theme.h"
#include "ui/widgets/plain_text.h"
#include "ui/widgets/segment_bar.h"

namespace ui {

namespace {

constexpr int gap = 8, above = 3;

}  // namespace

PageBar::PageBar(QWidget* parent) : QWidget(parent) {
    m_tabs = new QTabBar(this);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setElideMode(Qt::ElideNone);
    m_tabs->setFont(wordFont(12, true));
    m_tabs->setAccessibleName(tr("Pages"));
    m_title = plainLabel(tr("Spans"));
    m_title->setParent(this);
    m_title->setFont(wordFont(11));
    m_title->setForegroundRole(QPalette::PlaceholderText);
    m_spans = new SegmentBar(this);
    m_spans->setAccessibleName(tr("What a row and a column of the map stand for"));
    const QString pooled =
        tr("Of spans the map shows the mass that goes from one to the other: the mean over the "
           "rows of dest of what they have on src together, so that each row still sums to 1. "
           "(G: the next size)");
    m_spans->addSegment(tr("Tokens"), {}, tr("A row and a column a token"));
    m_spans->addSegment(tr("Words"), {}, tr("Unicode's words, signs alone. ") + pooled);
    m_spans->addSegment(tr("Sentences"), {}, tr("Unicode's sentences. ") + pooled);
    m_spans->addSegment(tr("Lines"), {}, tr("Lines as they are written. ") + pooled);
    m_spans->addSegment(tr("Turns"), {}, {});
    setTurnsOffered(false);
    connect(m_spans, &SegmentBar::chosen, this,
            [this](int index) { Q_EMIT granularityChosen(static_cast<Granularity>(index)); });
}

void PageBar::setGranularity(Granularity granularity) {
    m_spans->setCurrent(static_cast<int>(granularity));
}

void PageBar::setSpansOffered(bool offered) {
    m_offered = offered;
    arrange();
}

void PageBar::setTurnsOffered(bool offered) {
    QAbstractButton* turns = m_spans->segment(static_cast<int>(Granularity::Turns));
    turns->setEnabled(offered);
    turns->setToolTip(offered ? tr("The turns of the chat template, with their control tokens")
                              : tr("This run has no chat turns: they begin at a template's control "
                                   "tokens"));
}

QSize PageBar::sizeHint() const {
    return {m_tabs->sizeHint().width() + gap + m_title->sizeHint().width() + gap +
                m_spans->sizeHint().width(),
            std::max(m_tabs->sizeHint().height(), m_spans->sizeHint().height() + above)};
}

QSize PageBar::minimumSizeHint() const {
    return {m_tabs->minimumSizeHint().width(), sizeHint().height()};
}

void PageBar::arrange() {
    const QSize tabs = m_tabs->sizeHint(), spans = m_spans->sizeHint();
    const int title = m_title->sizeHint().width();
    m_tabs->setGeometry(0, height() - tabs.height(), std::min(tabs.width(), width()),
                        tabs.height());
    const int room = m_tabs->isHidden() ? width() : width() - tabs.width() - gap;
    m_spans->setVisible(m_offered && room >= spans.width());
    m_title->setVisible(m_offered && room >= spans.width() + gap + title);
    const int left = width() - spans.width();
    m_spans->setGeometry(left, (height() - above - spans.height()) / 2, spans.width(),
                         spans.height());
    m_title->setGeometry(left - gap - title, 0, title, height() - above);
}

void PageBar::resizeEvent(QResizeEvent*) {
    arrange();
}

bool PageBar::event(QEvent* event) {
    // A tab's text has changed, or the font.
    if (event->type() == QEvent::LayoutRequest) arrange();
    return QWidget::event(event);
}

}  // namespace ui
