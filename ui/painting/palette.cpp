// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/painting/palette.h"

#include <QFile>
#include <algorithm>
#include <cmath>

#include "ui/painting/palette_choice.h"

namespace ui {

namespace {

// 256 lines of RRGGBB.
ColourTable readTable(const QString& name) {
    ColourTable table{};
    QFile file(QStringLiteral(":/palettes/%1.txt").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("the palette %s is not linked in", qPrintable(name));
    for (QRgb& entry : table) entry = 0xFF000000U | file.readLine().trimmed().toUInt(nullptr, 16);
    return table;
}

ColourTable reversed(ColourTable table) {
    std::reverse(table.begin(), table.end());
    return table;
}

}  // namespace

const ColourTable& sequentialTable(Scheme scheme) {
    struct Both {
        ColourTable light{}, dark{};
    };
    static std::array<std::unique_ptr<const Both>, palettes> read;
    auto& both = read.at(static_cast<std::size_t>(palette()));
    if (!both) {
        const ColourTable table = readTable(paletteName(palette()));
        const ColourTable back = reversed(table);
        const bool beginsDark = qGray(table.front()) < qGray(table.back());
        both = std::make_unique<const Both>(beginsDark ? Both{back, table} : Both{table, back});
    }
    return scheme == Scheme::Light ? both->light : both->dark;
}

const ColourTable& divergingTable(Scheme scheme) {
    static const ColourTable light = readTable(QStringLiteral("vik"));
    static const ColourTable dark = readTable(QStringLiteral("berlin"));
    return scheme == Scheme::Light ? light : dark;
}

namespace {

// Ties share the middle of their ranks; zero is always the first.
double rankOf(const std::vector<float>& ranked, double magnitude) {
    if (!(magnitude > 0) || ranked.empty()) return 0;
    const auto [first, last] =
        std::equal_range(ranked.begin(), ranked.end(), static_cast<float>(magnitude));
    const double middle =
        static_cast<double>((first - ranked.begin()) + (last - ranked.begin())) / 2;
    return middle / static_cast<double>(ranked.size());
}

double magnitudeAt(const std::vector<float>& ranked, double share) {
    if (ranked.empty()) return 0;
    const double at = share * static_cast<double>(ranked.size() - 1);
    return static_cast<double>(ranked[static_cast<std::size_t>(std::lround(at))]);
}

}  // namespace

double ColourScale::position(double value) const {
    if (ranked) {
        const double share = std::isnan(value) ? 0 : rankOf(*ranked, std::abs(value));
        return diverging ? 0.5 + std::copysign(share, value) / 2 : value < 0 ? 0 : share;
    }
    if (diverging) {
        if (std::isnan(value) || !(high > 0)) return 0.5;
        double share = std::clamp(value / high, -1.0, 1.0);
        if (transfer != engine::Transfer::Linear)
            share = std::copysign(std::sqrt(std::abs(share)), share);
        return 0.5 + share / 2;
    }
    if (std::isnan(value) || !(high > low)) return 0;
    const double v = std::clamp(value, low, high);
    switch (transfer) {
        case engine::Transfer::Linear: return (v - low) / (high - low);
        case engine::Transfer::Sqrt:
            return (std::sqrt(std::max(v, 0.0)) - std::sqrt(std::max(low, 0.0))) /
                   (std::sqrt(high) - std::sqrt(std::max(low, 0.0)));
        case engine::Transfer::Log: return std::log(v / low) / std::log(high / low);
    }
    return 0;
}

double ColourScale::valueAt(double position) const {
    const double p = std::clamp(position, 0.0, 1.0);
    if (ranked)
        return diverging ? std::copysign(magnitudeAt(*ranked, std::abs(2 * p - 1)), p - 0.5)
                         : magnitudeAt(*ranked, p);
    if (diverging) {
        const double share = 2 * p - 1;
        return high *
               (transfer == engine::Transfer::Linear ? share : std::copysign(share * share, share));
    }
    switch (transfer) {
        case engine::Transfer::Linear: return low + p * (high - low);
        case engine::Transfer::Sqrt: {
            const double from = std::sqrt(std::max(low, 0.0));
            const double root = from + p * (std::sqrt(high) - from);
            return root * root;
        }
        case engine::Transfer::Log: return low * std::pow(high / low, p);
    }
    return low;
}

int ColourScale::entry(double value) const {
    const double zero = diverging ? 0.5 : 0;
    return static_cast<int>(
        std::lround(255 * (std::abs(value) < threshold ? zero : position(value))));
}

bool ColourScale::exceeds(double value) const {
    return (diverging ? std::abs(value) : value) > high * (1 + 1e-6);
}

}  // namespace ui
