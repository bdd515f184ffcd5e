// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files/aligned_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "app/files/data_text.h"
#include "app/files/output_file.h"
#include "app/threads/aligned_maps.h"
#include "engine/values/failure.h"

namespace app {

using engine::Rows;
using ui::RunAlignment;

namespace {

constexpr std::int64_t kAlignedCellsAtOnce = 1 << 19;
constexpr std::size_t kRecord = 20;  // bytes

// Rows of a head's cells of both runs, found by places.
class AlignedRows {
  public:
    AlignedRows(const engine::TraceReader& reader, const std::stop_token& stop, const MapData& data,
                engine::LayerHead at, Rows rows)
        : m_data(data),
          m_window(data.attention.at(static_cast<std::size_t>(engine::to_int(at.layer))).window),
          m_a(reader, stop, requestOf(*data.minus, at), 0, *data.alignment, rows, {0, rows.end}),
          m_b(reader, stop, requestOf(data.run, at), 1, *data.alignment, rows, {0, rows.end}) {}

    // b less a; NaN: one of them has no such cell, or it is masked or outside its window.
    float at(std::int64_t dest, std::int64_t src) const {
        if (src > dest || isOutside(0, dest, src) || isOutside(1, dest, src))
            return std::numeric_limits<float>::quiet_NaN();
        return m_b.at(0, dest, src) - m_a.at(0, dest, src);
    }

  private:
    engine::TileRequest requestOf(engine::RunId run, engine::LayerHead at) const {
        engine::TileRequest request;
        request.run = run;
        request.heads = {at};
        request.quantity = m_data.quantity;
        request.target = m_data.target;
        request.distractor = m_data.distractor;
        request.renormalized = m_data.renormalized;
        return request;
    }
    bool isOutside(int run, std::int64_t dest, std::int64_t src) const {
        return m_window > 0 &&
               m_data.alignment->positionAt(run, dest) - m_data.alignment->positionAt(run, src) >=
                   m_window;
    }

    const MapData& m_data;
    int m_window;
    PlacedCells m_a, m_b;
};

std::array<std::int64_t, 4> positionsOf(const RunAlignment& by, std::int64_t dest,
                                        std::int64_t src) {
    return {by.positionAt(0, dest), by.positionAt(0, src), by.positionAt(1, dest),
            by.positionAt(1, src)};
}

std::string csvAligned(const MapData& data, engine::LayerHead head, std::int64_t dest,
                       const AlignedRows& cells) {
    const std::string begin = std::to_string(engine::to_int(head.layer)) + ',' +
                              std::to_string(engine::to_int(head.head)) + ',';
    const auto text = [](const std::vector<engine::Token>& tokens, std::int64_t at) {
        return textField(tokens.at(static_cast<std::size_t>(at)).bytes);
    };
    std::string lines;
    for (std::int64_t src = 0; src <= dest; ++src) {
        const float value = cells.at(dest, src);
        if (std::isnan(value)) continue;
        const auto at = positionsOf(*data.alignment, dest, src);
        lines += begin;
        for (const std::int64_t position : at) lines += std::to_string(position) + ',';
        lines += text(data.minusTokens, at[0]) + ',' + text(data.minusTokens, at[1]) + ',' +
                 text(data.tokens, at[2]) + ',' + text(data.tokens, at[3]) + ',' +
                 numberField(value) + '\n';
    }
    return lines;
}

void addRecords(std::vector<std::byte>& bytes, const MapData& data, std::int64_t dest,
                const AlignedRows& cells) {
    for (std::int64_t src = 0; src < data.rows; ++src) {
        const auto at = positionsOf(*data.alignment, dest, src);
        std::array<std::byte, kRecord> record{};
        for (std::size_t i = 0; i < at.size(); ++i) {
            const auto position = static_cast<std::int32_t>(at[i]);
            std::memcpy(record.data() + 4 * i, &position, 4);
        }
        const float value = cells.at(dest, src);
        std::memcpy(record.data() + 4 * at.size(), &value, 4);
        bytes.insert(bytes.end(), record.begin(), record.end());
    }
}

}  // namespace

std::int64_t alignedMapBytes(FileFormat format, const MapData& data) {
    const std::int64_t cells = data.rows * data.rows * std::ssize(data.heads);
    constexpr std::int64_t aLine = 64;
    return format == FileFormat::Npy ? cells * static_cast<std::int64_t>(kRecord) + 256
                                     : cells / 2 * aLine + aLine;
}

void writeAlignedMaps(OutputFile& file, FileFormat format, const engine::TraceReader& reader,
                      const MapData& data, std::stop_token stop,
                      const std::function<void(std::int64_t done, std::int64_t total)>& report) {
    DataStream out(file);
    if (format == FileFormat::Npy)
        out.write(npyHeader({std::ssize(data.heads), data.rows, data.rows},
                            "[('dest_a', '<i4'), ('src_a', '<i4'), ('dest_b', '<i4'), "
                            "('src_b', '<i4'), ('value', '<f4')]"));
    else
        out.write(
            "layer,head,dest_a,src_a,dest_b,src_b,dest_token_a,src_token_a,dest_token_b,"
            "src_token_b,value\n");
    const std::int64_t step =
        std::max<std::int64_t>(1, kAlignedCellsAtOnce / std::max<std::int64_t>(data.rows, 1));
    const std::int64_t total = data.rows * std::ssize(data.heads);
    std::int64_t done = 0;  // rows
    for (const engine::LayerHead head : data.heads)
        for (std::int64_t begin = 0; begin < data.rows; begin += step) {
            if (stop.stop_requested()) throw engine::Cancelled();
            if (report) report(done, total);
            const Rows rows{begin, std::min(begin + step, data.rows)};
            const AlignedRows cells(reader, stop, data, head, rows);
            std::string lines;
            std::vector<std::byte> records;
            for (std::int64_t dest = rows.begin; dest < rows.end; ++dest)
                if (format == FileFormat::Npy)
                    addRecords(records, data, dest, cells);
                else
                    lines += csvAligned(data, head, dest, cells);
            if (format == FileFormat::Npy)
                out.write(records);
            else
                out.write(lines);
            done += rows.count();
        }
}

}  // namespace app
