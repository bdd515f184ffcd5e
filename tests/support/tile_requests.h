// SPDX-License-Identifier: GPL-3.0-or-later
// Tiles of every quantity and pooling, and how far two of them are apart.
#pragma once
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "engine/values/model_info.h"
#include "engine/values/tile.h"

inline engine::TileRequest map_of(engine::RunId run, engine::LayerHead head, std::int64_t length,
                                  engine::Quantity quantity, std::int64_t cells = 1,
                                  engine::Pooling pooling = engine::Pooling::None) {
    engine::TileRequest request;
    request.run = run;
    request.heads = {head};
    request.dest = request.src = {0, length, cells, {}};
    request.quantity = quantity;
    request.pooling = pooling;
    request.target = engine::TokenId{17};
    request.distractor = engine::TokenId{99};
    return request;
}

// Of a head of the last layer but one and all of the last.
inline std::vector<engine::TileRequest> tile_requests(engine::RunId run,
                                                      const engine::ModelInfo& info,
                                                      std::int64_t length) {
    using namespace engine;
    std::vector<TileRequest> all;
    for (Quantity quantity :
         {Quantity::Scores, Quantity::Pattern, Quantity::Value, Quantity::Attribution})
        for (auto [cells, pooling] : {std::pair{1, Pooling::None},
                                      {8, Pooling::Max},
                                      {5, Pooling::Mean},
                                      {16, Pooling::Sum}}) {
            const LayerHead first{Layer{info.layers - 2}, QueryHead{info.query_heads - 2}};
            TileRequest request = map_of(run, first, length, quantity, cells, pooling);
            for (int h = 0; h < info.query_heads; ++h)
                request.heads.push_back({Layer{info.layers - 1}, QueryHead{h}});
            all.push_back(request);
            if (quantity != Quantity::Pattern) continue;
            request.renormalized = true;
            all.push_back(request);
        }
    return all;
}

// Infinities, where no cell is visible, must be the same ones.
inline double tiles_apart(std::span<const float> a, std::span<const float> b) {
    if (a.size() != b.size()) return INFINITY;
    double most = 0, scale = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::isinf(a[i]) || std::isinf(b[i])) {
            if (a[i] != b[i]) return INFINITY;
            continue;
        }
        most = std::fmax(most, std::fabs(double{a[i]} - b[i]));
        scale = std::fmax(scale, std::fabs(double{b[i]}));
        if (std::isnan(a[i]) || std::isnan(b[i])) return INFINITY;
    }
    return scale > 0 ? most / scale : most;
}
