// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cache/run_edits.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/values/failure.h"

namespace engine {
namespace {

[[noreturn]] void refuse(LayerHead at, const std::string& what) {
    throw Error(Failure::Kind::BadRequest, "the edit of " + to_string(at) + " " + what);
}

void check_head(LayerHead at, const RunShape& shape) {
    if (to_int(at.layer) < 0 || to_int(at.layer) >= shape.layers || to_int(at.head) < 0 ||
        to_int(at.head) >= shape.query_heads)
        refuse(at, "names a head that is not there: the model has " + std::to_string(shape.layers) +
                       " layers of " + std::to_string(shape.query_heads) + " heads");
}

void check_range(LayerHead at, Rows range, const char* of) {
    if (range.begin < 0 || range.end <= range.begin)
        refuse(at, std::string("has no ") + of + ": [" + std::to_string(range.begin) + ", " +
                       std::to_string(range.end) + ")");
}

bool holds(Rows rows, std::int64_t at) {
    return rows.begin <= at && at < rows.end;
}

// The first row of an edit that the other list lacks.
template <typename Edit>
std::int64_t first_lacking(const std::vector<Edit>& these, const std::vector<Edit>& others,
                           Rows Edit::*rows) {
    std::int64_t first = every_row.end;
    for (const Edit& edit : these)
        if (std::find(others.begin(), others.end(), edit) == others.end())
            first = std::min(first, (edit.*rows).begin);
    return first;
}

}  // namespace

RunEdits::RunEdits(Edits edits, const RunShape& shape) : edits_(std::move(edits)) {
    for (const HeadEdit& edit : edits_.heads) {
        check_head(edit.at, shape);
        check_range(edit.at, edit.rows, "rows");
        if (!edit.values.empty() && static_cast<int>(edit.values.size()) != shape.head_dim)
            refuse(edit.at, "adds " + std::to_string(edit.values.size()) +
                                " values, and the model's heads have " +
                                std::to_string(shape.head_dim));
        if (!std::isfinite(edit.scale) || !std::all_of(edit.values.begin(), edit.values.end(),
                                                       [](float x) { return std::isfinite(x); }))
            refuse(edit.at, "has a number that is not finite");
    }
    if (edits_.edges.empty()) return;
    forbidden_.resize(static_cast<std::size_t>(shape.layers));
    for (const EdgeEdit& edit : edits_.edges) {
        check_head(edit.at, shape);
        check_range(edit.at, edit.dest, "rows");
        check_range(edit.at, edit.src, "keys");
        forbidden_[static_cast<std::size_t>(to_int(edit.at.layer))].push_back(
            {to_int(edit.at.head), edit.dest.begin, edit.dest.end, edit.src.begin, edit.src.end});
    }
}

kernels::ForbiddenEdges RunEdits::forbidden(Layer layer) const {
    if (forbidden_.empty()) return {};
    const auto& of_layer = forbidden_[static_cast<std::size_t>(to_int(layer))];
    return {of_layer.data(), static_cast<std::int32_t>(of_layer.size())};
}

void RunEdits::apply(const kernels::TraceView& trace, Layer layer, Rows rows, float* z) const {
    for (const HeadEdit& edit : edits_.heads) {
        if (edit.at.layer != layer) continue;
        const std::int32_t head = to_int(edit.at.head), d = trace.head_dim;
        for (std::int64_t dest = std::max(rows.begin, edit.rows.begin);
             dest < std::min(rows.end, edit.rows.end); ++dest) {
            float* dense = z + ((dest - rows.begin) * trace.query_heads + head) * d;
            for (std::int32_t i = 0; i < d; ++i)
                dense[i] = (edit.scale == 0 ? 0.0f : edit.scale * dense[i]) +
                           (edit.values.empty() ? 0.0f : edit.values[static_cast<std::size_t>(i)]);
            std::copy_n(dense, d, trace.z(dest, head));
        }
    }
}

bool RunEdits::change(LayerHead at, std::int64_t dest) const {
    return std::any_of(edits_.heads.begin(), edits_.heads.end(), [&](const HeadEdit& edit) {
        return edit.at == at && holds(edit.rows, dest);
    });
}

bool RunEdits::change(LayerHead at) const {
    return std::any_of(edits_.heads.begin(), edits_.heads.end(),
                       [&](const HeadEdit& edit) { return edit.at == at; });
}

float RunEdits::left_of(LayerHead at, std::int64_t dest) const {
    float left = 1;
    for (const HeadEdit& edit : edits_.heads)
        if (edit.at == at && holds(edit.rows, dest)) left *= edit.scale;
    return left;
}

std::int64_t RunEdits::first_difference(const RunEdits& other) const {
    if (edits_ == other.edits_) return every_row.end;
    const std::int64_t first =
        std::min({first_lacking(edits_.heads, other.edits_.heads, &HeadEdit::rows),
                  first_lacking(other.edits_.heads, edits_.heads, &HeadEdit::rows),
                  first_lacking(edits_.edges, other.edits_.edges, &EdgeEdit::dest),
                  first_lacking(other.edits_.edges, edits_.edges, &EdgeEdit::dest)});
    // The same edits in another order, or one of them twice: compared no further.
    return first == every_row.end ? 0 : first;
}

}  // namespace engine
