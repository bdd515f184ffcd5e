// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files/data_file.h"

#include <algorithm>
#include <span>

#include "app/files/aligned_data.h"
#include "app/files/data_text.h"
#include "app/files/output_file.h"
#include "engine/values/failure.h"
#include "ui/painting/cell_kind.h"

namespace app {

namespace {

constexpr std::int64_t kCellsAtOnce = 1 << 20;

std::string bytesOf(const std::vector<engine::Token>& tokens, engine::Rows span) {
    std::string bytes;
    for (std::int64_t i = span.begin; i < span.end; ++i)
        bytes += tokens.at(static_cast<std::size_t>(i)).bytes;
    return bytes;
}

// A row of spans, as far as they have a visible cell.
std::string csvSpans(const MapData& data, engine::LayerHead at, std::int64_t unit,
                     engine::Rows srcs, std::span<const float> values) {
    const int window = data.attention.at(static_cast<std::size_t>(engine::to_int(at.layer))).window;
    const auto ends = [](engine::Rows span) {
        return std::to_string(span.begin) + ',' + std::to_string(span.end - 1) + ',';
    };
    const engine::Rows dest = data.units.tokensOf(unit);
    const std::string begin = std::to_string(engine::to_int(at.layer)) + ',' +
                              std::to_string(engine::to_int(at.head)) + ',' + ends(dest);
    const std::string destText = textField(bytesOf(data.tokens, dest));
    std::string lines;
    for (std::int64_t i = srcs.begin; i < std::min(unit + 1, srcs.end); ++i) {
        const engine::Rows src = data.units.tokensOf(i);
        if (ui::kindOf(dest, src, window, data.rows) != ui::CellKind::Value) continue;
        lines += begin + ends(src) + destText + ',' + textField(bytesOf(data.tokens, src)) + ',' +
                 numberField(values[static_cast<std::size_t>(i - srcs.begin)]) + '\n';
    }
    return lines;
}

// As many rows of an axis as there are units of all rows.
std::int64_t unitsOf(const MapData& data) {
    return data.units.areTokens() ? data.rows : data.units.spans();
}

engine::Rows chosenUnits(engine::Rows chosen, const MapData& data) {
    if (chosen.count() <= 0) return {0, unitsOf(data)};
    return {std::min(chosen.begin, unitsOf(data)), std::min(chosen.end, unitsOf(data))};
}

std::string csvRow(const MapData& data, engine::LayerHead at, std::int64_t dest, engine::Rows srcs,
                   std::span<const float> values) {
    const int window = data.attention.at(static_cast<std::size_t>(engine::to_int(at.layer))).window;
    const std::string begin = std::to_string(engine::to_int(at.layer)) + ',' +
                              std::to_string(engine::to_int(at.head)) + ',' + std::to_string(dest) +
                              ',';
    const std::string destToken = textField(data.tokens.at(static_cast<std::size_t>(dest)).bytes);
    std::string lines;
    const std::int64_t first =
        std::max(srcs.begin, window > 0 ? std::max<std::int64_t>(0, dest - window + 1) : 0);
    for (std::int64_t src = first; src < std::min(dest + 1, srcs.end); ++src) {
        const auto i = static_cast<std::size_t>(src);
        lines += begin + std::to_string(src) + ',' + destToken + ',' +
                 textField(data.tokens.at(i).bytes) + ',' +
                 numberField(values[static_cast<std::size_t>(src - srcs.begin)]) + '\n';
    }
    return lines;
}

}  // namespace

std::int64_t mapBytes(FileFormat format, const MapData& data) {
    if (data.alignment) return alignedMapBytes(format, data);
    const std::int64_t cells = chosenUnits(data.dests, data).count() *
                               chosenUnits(data.srcs, data).count() *
                               static_cast<std::int64_t>(data.heads.size());
    constexpr std::int64_t aLine = 40;
    return format == FileFormat::Npy ? cells * 4 + 128 : cells / 2 * aLine + aLine;
}

void writeMaps(OutputFile& file, FileFormat format, const engine::TraceReader& reader,
               const MapData& data, std::stop_token stop,
               const std::function<void(std::int64_t done, std::int64_t total)>& report) {
    if (data.alignment) return writeAlignedMaps(file, format, reader, data, stop, report);
    DataStream out(file);
    const bool spans = !data.units.areTokens();
    const engine::Rows dests = chosenUnits(data.dests, data), srcs = chosenUnits(data.srcs, data);
    if (format == FileFormat::Npy)
        out.write(npyHeader({std::ssize(data.heads), dests.count(), srcs.count()}));
    else if (spans)
        out.write("layer,head,dest_begin,dest_last,src_begin,src_last,dest_text,src_text,value\n");
    else
        out.write("layer,head,dest,src,dest_token,src_token,value\n");
    const std::int64_t step =
        std::max<std::int64_t>(1, kCellsAtOnce / std::max<std::int64_t>(srcs.count(), 1));
    std::int64_t done = 0;  // rows
    const std::int64_t total = dests.count() * std::ssize(data.heads);
    for (const engine::LayerHead at : data.heads)
        for (std::int64_t begin = dests.begin; begin < dests.end; begin += step) {
            if (stop.stop_requested()) throw engine::Cancelled();
            if (report) report(done, total);
            const std::int64_t end = std::min(begin + step, dests.end);
            done += end - begin;
            engine::TileRequest request;
            request.run = data.run;
            request.minus = data.minus;
            request.heads = {at};
            request.dest = data.units.tokensOf(engine::Axis{begin, end, 1, {}});
            request.src = data.units.tokensOf(engine::Axis{srcs.begin, srcs.end, 1, {}});
            request.quantity = data.quantity;
            request.pooling = spans ? ui::spanPooling(data.quantity) : engine::Pooling::None;
            request.target = data.target;
            request.distractor = data.distractor;
            request.renormalized = data.renormalized;
            const engine::Tile tile = reader.tile(request, stop);
            const auto values = tile.data.as<float>();
            if (format == FileFormat::Npy) {
                out.write(std::as_bytes(values));
                continue;
            }
            std::string lines;
            for (std::int64_t dest = begin; dest < end; ++dest) {
                const auto row =
                    values.subspan(static_cast<std::size_t>((dest - begin) * srcs.count()),
                                   static_cast<std::size_t>(srcs.count()));
                lines +=
                    spans ? csvSpans(data, at, dest, srcs, row) : csvRow(data, at, dest, srcs, row);
            }
            out.write(lines);
        }
}

void writeBars(OutputFile& file, FileFormat format, const engine::ContributionTable& table,
               bool attribution) {
    DataStream out(file);
    if (format == FileFormat::Npy) {
        const auto& values = attribution ? table.head_attribution : table.head_norm;
        out.write(npyHeader({table.layers, table.query_heads}));
        return out.write(std::as_bytes(std::span(values)));
    }
    std::string lines = "part,layer,head,norm,attribution\n";
    const auto line = [&](const char* part, int layer, int head, float norm, float value) {
        lines += part;
        lines += ',' + (layer < 0 ? std::string() : std::to_string(layer)) + ',' +
                 (head < 0 ? std::string() : std::to_string(head)) + ',' + numberField(norm) + ',' +
                 numberField(value) + '\n';
    };
    line("embedding", -1, -1, table.embedding_norm, table.embedding_attribution);
    for (int layer = 0; layer < table.layers; ++layer) {
        const auto l = static_cast<std::size_t>(layer);
        for (int head = 0; head < table.query_heads; ++head) {
            const auto i = static_cast<std::size_t>(layer * table.query_heads + head);
            line("head", layer, head, table.head_norm[i], table.head_attribution[i]);
        }
        line("attention", layer, -1, table.attention_norm[l], table.attention_attribution[l]);
        if (l < table.output_bias_norm.size() && l < table.output_bias_attribution.size())
            line("output_bias", layer, -1, table.output_bias_norm[l],
                 table.output_bias_attribution[l]);
        line("mlp", layer, -1, table.mlp_norm[l], table.mlp_attribution[l]);
    }
    if (table.bias_attribution != 0)  // it is added after the stream: no write has its length
        line("final_norm_bias", -1, -1, 0, table.bias_attribution);
    out.write(lines);
}

}  // namespace app
