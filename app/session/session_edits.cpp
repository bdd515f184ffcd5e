// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session_edits.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace app {

using engine::to_int;
using nlohmann::json;

namespace {

constexpr std::int64_t kMostEditRows = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kMostEdits = 100'000;

// An end that reaches the tokens still to come is left out.
void writeRows(json& out, const char* name, engine::Rows rows) {
    out[name]["begin"] = rows.begin;
    if (rows.end < engine::every_row.end) out[name]["end"] = rows.end;
}

engine::Rows readRows(const JsonReader& from) {
    engine::Rows rows = engine::every_row;
    rows.begin = from["begin"].integer(0, kMostEditRows - 1);
    if (const auto end = from.find("end")) rows.end = end->integer(rows.begin + 1, kMostEditRows);
    return rows;
}

engine::LayerHead readHead(const JsonReader& from) {
    constexpr std::int64_t most = 100'000;  // what the model has is checked against the model
    return {engine::Layer(static_cast<int>(from["layer"].integer(0, most))),
            engine::QueryHead(static_cast<int>(from["head"].integer(0, most)))};
}

std::size_t entriesOf(const JsonReader& list) {
    if (list.size() > kMostEdits)
        list.fail("has " + std::to_string(list.size()) + " entries, and " +
                  std::to_string(kMostEdits) + " are read at most");
    return list.size();
}

}  // namespace

json editsAsJson(const engine::Edits& edits) {
    json out{{"heads", json::array()}, {"edges", json::array()}};
    for (const engine::HeadEdit& edit : edits.heads) {
        json one{{"layer", to_int(edit.at.layer)},
                 {"head", to_int(edit.at.head)},
                 {"scale", edit.scale}};
        writeRows(one, "rows", edit.rows);
        if (!edit.values.empty()) one["values"] = edit.values;
        out["heads"].push_back(std::move(one));
    }
    for (const engine::EdgeEdit& edit : edits.edges) {
        json one{{"layer", to_int(edit.at.layer)}, {"head", to_int(edit.at.head)}};
        writeRows(one, "dest", edit.dest);
        writeRows(one, "src", edit.src);
        out["edges"].push_back(std::move(one));
    }
    return out;
}

engine::Edits editsOf(const JsonReader& from) {
    constexpr double most = std::numeric_limits<float>::max();
    engine::Edits edits;
    const JsonReader heads = from["heads"], edges = from["edges"];
    for (std::size_t i = 0; i < entriesOf(heads); ++i) {
        const JsonReader one = heads.item(i);
        engine::HeadEdit edit;
        edit.at = readHead(one);
        edit.rows = readRows(one["rows"]);
        edit.scale = static_cast<float>(one["scale"].real(-most, most));
        if (const auto values = one.find("values"))
            for (std::size_t k = 0; k < entriesOf(*values); ++k)
                edit.values.push_back(static_cast<float>(values->item(k).real(-most, most)));
        edits.heads.push_back(std::move(edit));
    }
    for (std::size_t i = 0; i < entriesOf(edges); ++i) {
        const JsonReader one = edges.item(i);
        edits.edges.push_back({readHead(one), readRows(one["dest"]), readRows(one["src"])});
    }
    return edits;
}

}  // namespace app
