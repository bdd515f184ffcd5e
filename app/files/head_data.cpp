// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files/head_data.h"

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "app/files/data_text.h"
#include "app/files/output_file.h"

namespace app {

namespace {

struct Measures {
    int layers = 0, heads = 0;
    std::vector<std::pair<const char*, std::vector<float>>> columns;  // [L, H] each
};

std::string headFields(const Measures& all, std::size_t head) {
    const auto heads = static_cast<std::size_t>(all.heads);
    std::string line = std::to_string(head / heads) + ',' + std::to_string(head % heads);
    for (const auto& [name, values] : all.columns)
        line += ',' + (std::isnan(values[head]) ? std::string() : numberField(values[head]));
    return line;
}

std::string measureNames(const Measures& all) {
    std::string line = "layer,head";
    for (const auto& [name, values] : all.columns) line += std::string(",") + name;
    return line;
}

void writeMeasures(DataStream& out, const Measures& all) {
    out.write(npyHeader({std::ssize(all.columns), all.layers, all.heads}));
    for (const auto& [name, values] : all.columns) out.write(std::as_bytes(std::span(values)));
}

}  // namespace

void writeHeads(OutputFile& file, FileFormat format, const HeadNumbers& numbers) {
    const engine::HeadTable& metrics = numbers.metrics;
    Measures all{metrics.layers,
                 metrics.query_heads,
                 {{"entropy", metrics.entropy},
                  {"sink", metrics.sink},
                  {"max_pattern", metrics.max_pattern},
                  {"distance", metrics.distance},
                  {"previous_token", metrics.previous_token},
                  {"duplicate_token", metrics.duplicate_token},
                  {"induction", metrics.induction}}};
    if (!numbers.span.empty()) all.columns.emplace_back("span_mass", numbers.span);
    all.columns.emplace_back("contribution_norm", numbers.contributions.head_norm);
    all.columns.emplace_back("logit_attribution", numbers.contributions.head_attribution);
    DataStream out(file);
    if (format == FileFormat::Npy) return writeMeasures(out, all);
    std::string lines = measureNames(all) + '\n';
    const auto heads = static_cast<std::size_t>(all.layers) * static_cast<std::size_t>(all.heads);
    for (std::size_t head = 0; head < heads; ++head) lines += headFields(all, head) + '\n';
    out.write(lines);
}

void writeChanges(OutputFile& file, FileFormat format, const ui::ChangeTable& table,
                  std::int64_t dest) {
    Measures all{table.layers,
                 table.query_heads,
                 {{"moved_mean", {}}, {"moved_at_dest", {}}, {"largest_change", {}}}};
    for (int head = 0; head < table.heads(); ++head) {
        all.columns[0].second.push_back(table.mean(head));
        all.columns[1].second.push_back(dest < table.rows.begin ? 0
                                        : table.has(dest)
                                            ? table.at(head, dest)
                                            : std::numeric_limits<float>::quiet_NaN());
        all.columns[2].second.push_back(table.largest[static_cast<std::size_t>(head)].value);
    }
    DataStream out(file);
    if (format == FileFormat::Npy) return writeMeasures(out, all);
    std::string lines = measureNames(all) + ",largest_dest,largest_src\n";
    for (std::size_t head = 0; head < table.largest.size(); ++head) {
        const auto& largest = table.largest[head];
        lines += headFields(all, head) + ',' + std::to_string(engine::to_int(largest.dest)) + ',' +
                 std::to_string(engine::to_int(largest.src)) + '\n';
    }
    out.write(lines);
}

}  // namespace app
