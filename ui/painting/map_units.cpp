// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/map_units.h"

#include <algorithm>

#include "ui/painting/theme.h"

namespace ui {

QString unitsName(Granularity granularity) {
    switch (granularity) {
        case Granularity::Tokens: return QStringLiteral("tokens");
        case Granularity::Words: return QStringLiteral("words");
        case Granularity::Sentences: return QStringLiteral("sentences");
        case Granularity::Lines: return QStringLiteral("lines");
        case Granularity::Turns: return QStringLiteral("chat turns");
    }
    return {};
}

MapUnits::MapUnits(Granularity granularity, std::vector<std::int64_t> edges) {
    if (granularity == Granularity::Tokens || edges.size() < 2) return;
    m_granularity = granularity;
    m_edges = std::make_shared<const std::vector<std::int64_t>>(std::move(edges));
}

std::int64_t MapUnits::spans() const {
    return m_edges ? std::ssize(*m_edges) - 1 : 0;
}

engine::Rows MapUnits::tokensOf(engine::Rows units) const {
    if (!m_edges) return units;
    const auto edge = [this](std::int64_t unit) {
        return (*m_edges)[static_cast<std::size_t>(std::clamp<std::int64_t>(unit, 0, spans()))];
    };
    return {edge(units.begin), edge(units.end)};
}

std::int64_t MapUnits::unitOf(std::int64_t token) const {
    if (!m_edges) return token;
    const auto after = std::upper_bound(m_edges->begin(), m_edges->end(), token);
    return std::clamp<std::int64_t>(after - m_edges->begin() - 1, 0, spans() - 1);
}

engine::Axis MapUnits::tokensOf(const engine::Axis& units) const {
    if (!m_edges) return units;
    engine::Axis axis;
    axis.edges.reserve(static_cast<std::size_t>(units.pixels()) + 1);
    for (std::int64_t pixel = 0; pixel < units.pixels(); ++pixel)
        axis.edges.push_back(tokensOf(units.cells_of(pixel)).begin);
    axis.edges.push_back(tokensOf(engine::Rows{units.begin, units.end}).end);
    axis.begin = axis.edges.front();
    axis.end = axis.edges.back();
    return axis;
}

bool MapUnits::operator==(const MapUnits& other) const {
    if (m_granularity != other.m_granularity) return false;
    return m_edges == other.m_edges || (m_edges && other.m_edges && *m_edges == *other.m_edges);
}

engine::Pooling spanPooling(engine::Quantity quantity) {
    return quantity == engine::Quantity::Scores ? engine::Pooling::Max : engine::Pooling::Mean;
}

QString spanQuantityTitle(engine::Quantity quantity, bool renormalized) {
    switch (quantity) {
        case engine::Quantity::Scores: return QStringLiteral("score, largest magnitude");
        case engine::Quantity::Pattern:
            return renormalized ? QStringLiteral("mass, renormalized")
                                : QStringLiteral("mass, mean over dest");
        case engine::Quantity::Value: return QStringLiteral("Σ‖p·v·Wₒ‖, mean over dest");
        case engine::Quantity::Attribution: return QStringLiteral("Σ attribution, mean over dest");
    }
    return {};
}

QString spanPoolingNote(engine::Quantity quantity) {
    return quantity == engine::Quantity::Scores ? QStringLiteral("largest magnitude of the spans")
                                                : QStringLiteral("mean over dest, sum over src");
}

std::int64_t pixelAt(const engine::Axis& axis, std::int64_t position) {
    if (axis.edges.empty())
        return position < axis.begin || position >= axis.end
                   ? -1
                   : (position - axis.begin) / axis.cells_per_pixel;
    if (position < axis.edges.front() || position >= axis.edges.back()) return -1;
    return std::upper_bound(axis.edges.begin(), axis.edges.end(), position) - axis.edges.begin() -
           1;
}

QString rangeText(engine::Rows tokens) {
    if (tokens.count() <= 1) return thousands(tokens.begin);
    return thousands(tokens.begin) + QStringLiteral("–") + thousands(tokens.end - 1);
}

}  // namespace ui
