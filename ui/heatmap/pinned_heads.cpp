// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/pinned_heads.h"

#include <QEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "ui/painting/names.h"

namespace ui {

namespace {

constexpr int pinHeader = 20, pinGap = 6, columns = 2;

}  // namespace

PinnedHeads::PinnedHeads(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Pinned heads"));
    m_scroll = new QScrollArea(this);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_content = new QWidget;
    m_content->setBackgroundRole(QPalette::Base);
    m_content->setAutoFillBackground(true);
    m_scroll->setWidget(m_content);
    hide();
}

void PinnedHeads::setModel(const engine::ModelInfo& model) {
    m_model = model;
}

std::vector<engine::LayerHead> PinnedHeads::pins() const {
    std::vector<engine::LayerHead> heads;
    for (const PinnedMap* map : m_maps) heads.push_back(map->head());
    return heads;
}

PinnedMap* PinnedHeads::map(engine::LayerHead at) const {
    const auto found = std::find_if(m_maps.begin(), m_maps.end(),
                                    [at](const PinnedMap* map) { return map->head() == at; });
    return found == m_maps.end() ? nullptr : *found;
}

// Those that stay keep what they show.
void PinnedHeads::setPins(const std::vector<engine::LayerHead>& heads) {
    std::vector<PinnedMap*> next;
    bool hadFocus = false;
    for (const engine::LayerHead head : heads) {
        PinnedMap* kept = map(head);
        if (!kept) {
            kept = new PinnedMap(head, m_content);
            const auto layer = static_cast<std::size_t>(engine::to_int(head.layer));
            if (layer < m_model.attention.size()) kept->setWindow(m_model.attention[layer].window);
            kept->setLook(m_look);
            kept->setFocused(head == m_focused);
            connect(kept, &PinnedMap::chosen, this, &PinnedHeads::headChosen);
            connect(kept, &PinnedMap::activated, this, &PinnedHeads::headActivated);
            connect(kept, &PinnedMap::unpinned, this, &PinnedHeads::unpinRequested);
            kept->show();
        }
        next.push_back(kept);
    }
    for (PinnedMap* old : m_maps) {
        if (std::find(next.begin(), next.end(), old) != next.end()) continue;
        hadFocus = hadFocus || old->hasFocus();
        old->hide();
        old->deleteLater();  // it may be what asked to go
    }
    m_maps = std::move(next);
    if (hadFocus && !m_maps.empty()) m_maps.back()->setFocus();
    QStringList names;
    for (const PinnedMap* map : m_maps) names << headName(map->head());
    setAccessibleDescription(names.join(QStringLiteral(", ")));
    arrange();
}

void PinnedHeads::setLook(const MapLook& look, engine::Pooling pooling) {
    m_look = look;
    m_pooling = pooling;
    for (PinnedMap* map : m_maps) map->setLook(look);
    askForView();
}

void PinnedHeads::setRun(engine::RunId run) {
    if (run == m_run) return;
    m_run = run;
    m_wanted.reset();
    for (PinnedMap* map : m_maps) map->dropTile();
}

void PinnedHeads::setTile(const engine::Tile& tile) {
    if (tile.request.run != m_run) return;
    for (std::size_t i = 0; i < tile.request.heads.size(); ++i)
        if (PinnedMap* pinned = map(tile.request.heads[i]))
            pinned->setTile(tile, static_cast<int>(i));
}

void PinnedHeads::setFocusedHead(engine::LayerHead at) {
    m_focused = at;
    for (PinnedMap* map : m_maps) map->setFocused(map->head() == at);
}

void PinnedHeads::setAttributions(const std::vector<float>& ofHeads) {
    for (PinnedMap* map : m_maps) {
        const auto at =
            static_cast<std::size_t>(engine::to_int(map->head().layer) * m_model.query_heads +
                                     engine::to_int(map->head().head));
        map->setNote(at < ofHeads.size() ? signedNumber(static_cast<double>(ofHeads[at]), 2)
                                         : QString());
    }
}

int PinnedHeads::cellWidth(int width) {
    return std::max(0, (width - pinGap) / columns);
}

int PinnedHeads::heightFor(int width) const {
    const int rows = (static_cast<int>(m_maps.size()) + columns - 1) / columns;
    return pinHeader + rows * PinnedMap::heightFor(cellWidth(width));
}

void PinnedHeads::arrange() {
    const bool scrolls = heightFor(width()) > height();
    const int bar = scrolls ? m_scroll->verticalScrollBar()->sizeHint().width() : 0;
    m_scroll->setGeometry(0, pinHeader, width(), std::max(0, height() - pinHeader));
    const int cell = cellWidth(width() - bar), tall = PinnedMap::heightFor(cell);
    int i = 0;
    for (PinnedMap* map : m_maps) {
        map->setGeometry((i % columns) * (cell + pinGap), (i / columns) * tall, cell, tall);
        map->placePicture();  // before it is shown: what it needs is asked for now
        ++i;
    }
    m_content->resize(width() - bar, ((i + columns - 1) / columns) * tall);
    askForView();
    update();
}

void PinnedHeads::askForView() {
    if (m_maps.empty()) {
        m_wanted.reset();
        return;
    }
    const auto wanted = m_maps.front()->picture().wanted(m_pooling);
    if (!wanted || wanted == m_wanted) return;
    m_wanted = wanted;
    Q_EMIT viewWanted(wanted->dest, wanted->src, wanted->pooling);
}

void PinnedHeads::resizeEvent(QResizeEvent*) {
    arrange();
}

void PinnedHeads::paintEvent(QPaintEvent*) {
    const Theme& t = theme();
    QPainter painter(this);
    painter.fillRect(rect(), t.base);
    const QRect header(0, 0, width() - 4, pinHeader - 4);
    painter.setFont(wordFont(11, true));
    painter.setPen(t.text);
    painter.drawText(header, Qt::AlignLeft | Qt::AlignVCenter, tr("Pinned"));
    painter.setFont(wordFont(10));
    painter.setPen(t.text2);
    painter.drawText(header, Qt::AlignRight | Qt::AlignVCenter, tr("same scale"));
}

void PinnedHeads::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) update();
    QWidget::changeEvent(event);
}

}  // namespace ui
