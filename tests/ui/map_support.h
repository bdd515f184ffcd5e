// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles and tokens for tests of the map side, made by plain loops.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "engine/values/model_info.h"
#include "engine/values/run.h"
#include "engine/values/tile.h"
#include "ui/selection.h"

inline constexpr engine::RunId testRun{7};
inline constexpr engine::LayerHead testHead{engine::Layer{2}, engine::QueryHead{1}};

using CellValue = std::function<float(std::int64_t dest, std::int64_t src)>;

// Pools by the maximum over visible cells.
inline engine::Tile tileOf(const CellValue& value, const engine::Axis& dest,
                           const engine::Axis& src, std::int64_t rows,
                           engine::LayerHead at = testHead) {
    engine::Tile tile;
    tile.request.run = testRun;
    tile.request.heads = {at};
    tile.request.dest = dest;
    tile.request.src = src;
    tile.request.pooling = src.cells_per_pixel > 1 ? engine::Pooling::Max : engine::Pooling::None;
    tile.rows_ready = rows;
    std::vector<float> values;
    for (std::int64_t y = 0; y < dest.pixels(); ++y)
        for (std::int64_t x = 0; x < src.pixels(); ++x) {
            float largest = 0;
            for (std::int64_t d = dest.cells_of(y).begin; d < dest.cells_of(y).end && d < rows; ++d)
                for (std::int64_t s = src.cells_of(x).begin; s < src.cells_of(x).end && s <= d; ++s)
                    largest = std::max(largest, value(d, s));
            values.push_back(largest);
        }
    tile.data = engine::make_payload(engine::DType::F32, {1, dest.pixels(), src.pixels()},
                                     std::move(values));
    return tile;
}

inline std::vector<engine::Token> tokensOf(const std::vector<std::string>& texts) {
    std::vector<engine::Token> tokens;
    for (const std::string& text : texts) tokens.push_back({engine::TokenId{}, text, 0, 0, false});
    return tokens;
}

inline std::vector<engine::Token> manyTokens(int count) {
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i) texts.push_back(" t" + std::to_string(i));
    return tokensOf(texts);
}

inline ui::Selection selectionOf(std::int64_t dest, std::int64_t src, bool locked) {
    return {testRun, testHead, engine::Position{dest}, engine::Position{src}, locked};
}

inline engine::ModelInfo modelOf(int layers, int heads, int kvHeads) {
    engine::ModelInfo model;
    model.layers = layers;
    model.query_heads = heads;
    model.kv_heads = kvHeads;
    model.attention.assign(static_cast<std::size_t>(layers), engine::AttentionRule());
    return model;
}
