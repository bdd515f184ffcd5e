// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session_heads.h"

#include <array>

namespace app {

using nlohmann::json;

namespace {

constexpr std::int64_t kMostFolded = 100'000;  // what the model has is checked against the model
constexpr std::size_t kLongestFilter = 10'000;

// In the order of their enums.
constexpr std::array kMetricNames{"entropy",   "sink",      "max_p", "distance", "previous",
                                  "duplicate", "induction", "span",  "write",    "attribution"};
static_assert(kMetricNames.size() == ui::headMetrics);
constexpr std::array kFoldPoolings{"max", "mean"};

const char* nameOf(ui::HeadMetric metric) {
    return kMetricNames.at(static_cast<std::size_t>(metric));
}

ui::HeadMetric metricOf(const JsonReader& value) {
    return static_cast<ui::HeadMetric>(value.oneOf(kMetricNames));
}

json foldAsJson(const ui::GridFold& fold) {
    json layers = json::array();
    for (const engine::Rows& range : fold.layers)
        layers.push_back({{"begin", range.begin}, {"end", range.end}});
    return {{"layers", layers},
            {"groups", fold.groups},
            {"pooling", kFoldPoolings.at(static_cast<std::size_t>(fold.pooling))}};
}

ui::GridFold foldOf(const JsonReader& from) {
    ui::GridFold fold;
    const JsonReader layers = from["layers"], groups = from["groups"];
    std::int64_t least = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const JsonReader range = layers.item(i);
        const std::int64_t begin = range["begin"].integer(least, kMostFolded);
        least = range["end"].integer(begin + 2, kMostFolded + 2);
        fold.layers.push_back({begin, least});
    }
    least = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const std::int64_t group = groups.item(i).integer(least, kMostFolded);
        least = group + 1;
        fold.groups.push_back(static_cast<int>(group));
    }
    fold.pooling = static_cast<ui::FoldPooling>(from["pooling"].oneOf(kFoldPoolings));
    return fold;
}

}  // namespace

json headsAsJson(const SavedHeads& heads) {
    json out{{"x", nameOf(heads.x)}, {"y", nameOf(heads.y)}, {"colour", nameOf(heads.colour)}};
    if (heads.rank) out["rank"] = nameOf(*heads.rank);
    if (heads.reversed) out["reversed"] = true;
    if (!heads.filter.empty()) out["filter"] = heads.filter;
    if (!heads.fold.isEmpty()) out["fold"] = foldAsJson(heads.fold);
    return out;
}

SavedHeads headsOf(const JsonReader& from) {
    SavedHeads heads;
    heads.x = metricOf(from["x"]);
    heads.y = metricOf(from["y"]);
    heads.colour = metricOf(from["colour"]);
    const auto rank = from.find("rank");
    heads.rank = rank ? std::optional(metricOf(*rank)) : std::nullopt;
    if (const auto reversed = from.find("reversed")) heads.reversed = reversed->flag();
    if (const auto filter = from.find("filter")) {
        heads.filter = filter->text();
        if (heads.filter.size() > kLongestFilter)
            filter->fail("has " + std::to_string(heads.filter.size()) + " bytes, and " +
                         std::to_string(kLongestFilter) + " are read at most");
    }
    if (const auto fold = from.find("fold")) heads.fold = foldOf(*fold);
    return heads;
}

}  // namespace app
