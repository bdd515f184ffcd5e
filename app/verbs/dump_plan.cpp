// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verbs/dump_plan.h"

#include <algorithm>
#include <limits>

#include "app/command_line/arguments.h"
#include "app/command_line/cli_text.h"

namespace app {
namespace {

bool isGlobal(const std::string& kind) {
    return kind == "token_ids" || kind == "logits" || kind == "embedding";
}

struct Shape {
    std::vector<std::int64_t> extents;
    std::size_t rowAxis = 0;
};

Shape shapeOf(const std::string& kind, const engine::ModelInfo& info, std::int64_t tokens,
              std::int64_t rows) {
    const std::int64_t heads = info.query_heads, kvHeads = info.kv_heads, dim = info.head_dim;
    if (kind == "token_ids") return {{tokens}};
    if (kind == "logits") return {{rows, info.vocab}};
    if (kind == "q" || kind == "z") return {{rows, heads, dim}};
    if (kind == "k" || kind == "v") return {{rows, kvHeads, dim}};
    if (kind == "qkv") return {{rows, (heads + 2 * kvHeads) * dim}};
    if (kind == "scores" || kind == "pattern") return {{heads, rows, rows}, 1};
    if (kind == "lse") return {{heads, rows}, 1};
    if (kind == "contribution") return {{rows, heads, info.d_model}};
    if (kind == "contribution_norm" || kind == "logit_attribution") return {{rows, heads}};
    return {{rows, info.d_model}};  // embedding, attention_out, mlp_out, residual
}

// "3" and "3-9", both ends counted, in order.
std::vector<std::pair<std::uint64_t, std::uint64_t>> layerRanges(const std::string& list) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (const std::string& part : splitList(list)) {
        const std::size_t dash = part.find('-');
        const auto first = parseUnsigned(part.substr(0, dash));
        const auto last = dash == std::string::npos ? first : parseUnsigned(part.substr(dash + 1));
        if (!first || !last || *last < *first)
            badArgument("--layers", list,
                        quote(part) + " is no layer's number, nor a range as in 3-9");
        ranges.emplace_back(*first, *last);
    }
    std::sort(ranges.begin(), ranges.end());
    for (std::size_t i = 1; i < ranges.size(); ++i)
        if (ranges[i].first <= ranges[i - 1].second)
            badArgument("--layers", list,
                        "layer " + std::to_string(ranges[i].first) + " is given twice");
    return ranges;
}

}  // namespace

void checkLayerList(const std::string& list) {
    if (list != "all") layerRanges(list);
}

const std::vector<std::string>& tensorKinds() {
    static const std::vector<std::string> kinds = {"token_ids",
                                                   "logits",
                                                   "embedding",
                                                   "q",
                                                   "k",
                                                   "v",
                                                   "qkv",
                                                   "scores",
                                                   "pattern",
                                                   "lse",
                                                   "z",
                                                   "contribution",
                                                   "contribution_norm",
                                                   "logit_attribution",
                                                   "attention_out",
                                                   "mlp_out",
                                                   "residual"};
    return kinds;
}

std::vector<std::string> parseTensorKinds(const std::string& list) {
    std::vector<std::string> kinds;
    for (const std::string& kind : splitList(list)) {
        if (std::find(tensorKinds().begin(), tensorKinds().end(), kind) == tensorKinds().end())
            badArgument("--tensors", list, quote(kind) + " is none of " + joined(tensorKinds()));
        if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end())
            badArgument("--tensors", list, quote(kind) + " is given twice");
        kinds.push_back(kind);
    }
    return kinds;
}

bool areOfLayers(const std::vector<std::string>& kinds) {
    return !std::all_of(kinds.begin(), kinds.end(), isGlobal);
}

std::vector<engine::Layer> parseLayers(const std::string& list, int layers) {
    std::vector<engine::Layer> chosen;
    if (list == "all") {
        for (int layer = 0; layer < layers; ++layer)
            chosen.push_back(static_cast<engine::Layer>(layer));
        return chosen;
    }
    for (const auto& [first, last] : layerRanges(list)) {
        if (last >= static_cast<std::uint64_t>(layers))
            badArgument("--layers", list,
                        "no layer " + std::to_string(last) + ": the model has layers 0 to " +
                            std::to_string(layers - 1));
        for (std::uint64_t layer = first; layer <= last; ++layer)
            chosen.push_back(static_cast<engine::Layer>(layer));
    }
    return chosen;
}

std::vector<DumpTensor> planDump(const engine::ModelInfo& info,
                                 const std::vector<std::string>& kinds,
                                 const std::vector<engine::Layer>& layers,
                                 std::optional<engine::TokenId> target, std::int64_t tokens,
                                 std::int64_t rows) {
    std::vector<DumpTensor> tensors;
    const auto add = [&](const std::string& kind, std::optional<engine::Layer> layer) {
        if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) return;
        DumpTensor tensor;
        tensor.name = {kind, layer, kind == "logit_attribution" ? target : std::nullopt};
        const Shape shape = shapeOf(kind, info, tokens, rows);
        // 8-byte elements come first, so that every tensor stays aligned.
        tensor.plan = {tensor.name.full(),
                       kind == "token_ids" ? engine::DType::I64 : engine::DType::F32, shape.extents,
                       shape.rowAxis};
        if (kind == "scores") tensor.fill = -std::numeric_limits<float>::infinity();
        tensors.push_back(std::move(tensor));
    };
    for (const std::string& kind : tensorKinds())
        if (isGlobal(kind)) add(kind, std::nullopt);
    for (const engine::Layer layer : layers)
        for (const std::string& kind : tensorKinds())
            if (!isGlobal(kind)) add(kind, layer);
    return tensors;
}

std::int64_t rowsPerChunk(const std::vector<DumpTensor>& tensors) {
    constexpr std::int64_t chunkBytes = 32 << 20, most = 256, page = 64;
    std::int64_t rowBytes = 1;
    for (const DumpTensor& tensor : tensors)
        rowBytes = std::max(rowBytes, tensor.plan.outer() * tensor.plan.inner() * 4);
    const std::int64_t rows = std::clamp<std::int64_t>(chunkBytes / rowBytes, 1, most);
    return rows < page ? rows : rows / page * page;
}

}  // namespace app
