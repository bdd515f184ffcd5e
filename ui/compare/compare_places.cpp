// SPDX-License-Identifier: GPL-3.0-or-later
// What stands at the places of the compared maps: positions of both runs, or of one alone.
#include <QStringList>

#include "ui/compare/compare_maps.h"
#include "ui/painting/theme.h"

namespace ui {

std::int64_t CompareMaps::positionAt(int side, std::int64_t place) const {
    if (m_alignment) return m_alignment->positionAt(side, place);
    const auto& tokens = m_sides[static_cast<std::size_t>(side)].tokens;
    return place >= 0 && place < std::ssize(tokens) ? place : RunAlignment::none;
}

const engine::Token* CompareMaps::tokenAt(int side, std::int64_t place) const {
    const std::int64_t at = positionAt(side, place);
    return at == RunAlignment::none
               ? nullptr
               : &m_sides[static_cast<std::size_t>(side)].tokens[static_cast<std::size_t>(at)];
}

std::int64_t CompareMaps::rowsReady(int side) const {
    const std::int64_t rows = m_sides[static_cast<std::size_t>(side)].rows;
    return m_alignment ? m_alignment->placesBefore(side, rows) : rows;
}

QString CompareMaps::numberOn(int side, std::int64_t place) const {
    const std::int64_t at = positionAt(side, place);
    return at == RunAlignment::none ? QStringLiteral("–") : thousands(at);
}

QString CompareMaps::numberOf(std::int64_t place) const {
    if (!m_alignment) return thousands(place);
    const QString a = numberOn(A, place), b = numberOn(B, place);
    return a == b ? a : a + u'|' + b;
}

bool CompareMaps::differs(std::int64_t place) const {
    const engine::Token *a = tokenAt(A, place), *b = tokenAt(B, place);
    return a && b && a->id != b->id;
}

// A row of the page stands for a token of either run, a column for one of its own.
void CompareMaps::labelPlaces() {
    const std::int64_t count = positions();
    m_rowTokens.clear();
    m_rowNumbers.clear();
    std::array<std::vector<engine::Token>, 2> columns;
    std::array<std::vector<QString>, 2> numbers;
    for (std::int64_t place = 0; place < count; ++place) {
        const engine::Token *a = tokenAt(A, place), *b = tokenAt(B, place);
        if (!a && !b) break;  // planned
        engine::Token both = b ? *b : *a;
        if (differs(place)) both.bytes = a->bytes + "≠" + b->bytes;
        m_rowTokens.push_back(std::move(both));
        if (m_alignment) m_rowNumbers.push_back(numberOf(place));
        for (const int side : {A, B}) {
            const auto at = static_cast<std::size_t>(side);
            const engine::Token* token = tokenAt(side, place);
            if (!token && !m_alignment) continue;  // the shorter run ends
            columns[at].push_back(token ? *token : engine::Token());
            if (m_alignment) numbers[at].push_back(numberOn(side, place));
        }
    }
    measureLabels();
    const auto name = [&](Panel panel, std::size_t side) {
        m_pictures[panel].setTokens(columns[side], m_sides[side].promptTokens,
                                    m_columnRoom.characters, numbers[side]);
    };
    name(A, A);
    name(B, B);
    if (m_alignment)
        m_pictures[Difference].setTokens(m_rowTokens, m_sides[B].promptTokens,
                                         m_columnRoom.characters, m_rowNumbers);
    else
        name(Difference, B);
}

// Why there is no difference.
QString CompareMaps::lackText(MapCell cell) const {
    if (!m_alignment || m_pictures[Difference].scene().geometry.cellsPerPixel() > 1) return {};
    QStringList lacks;
    const auto look = [&](std::int64_t place, const QString& what) {
        for (const int side : {A, B})
            if (positionAt(side, place) == RunAlignment::none &&
                positionAt(1 - side, place) != RunAlignment::none)
                lacks << tr("%1 only in %2")
                             .arg(what, m_sides[static_cast<std::size_t>(1 - side)].name);
    };
    look(cell.dest, m_transposed ? tr("dest") : tr("row"));
    if (cell.src != cell.dest) look(cell.src, tr("source"));
    return lacks.join(QStringLiteral(", "));
}

}  // namespace ui
