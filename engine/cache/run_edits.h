// SPDX-License-Identifier: GPL-3.0-or-later
// A run's edits as the decoder and the readers want them: by layer. Immutable, shared by forks.
#pragma once
#include <vector>

#include "engine/values/edits.h"
#include "kernels/views.h"

namespace engine {

struct RunShape {
    int layers = 0, query_heads = 0, head_dim = 0;
};

class RunEdits {
  public:
    RunEdits() = default;
    // Throws Error(BadRequest) for a head that the model lacks, rows or keys that are none, values
    // of another size or not finite.
    RunEdits(Edits, const RunShape&);

    bool empty() const { return edits_.empty(); }
    const Edits& edits() const { return edits_; }
    kernels::ForbiddenEdges forbidden(Layer) const;
    // Layers that forbidden() may have something for, counted from the first.
    int edged_layers() const { return static_cast<int>(forbidden_.size()); }
    // z [rows of the trace and of the dense copy] as the edits of this layer want it.
    // z: [rows.count(), Hq · D]. F32 pools only.
    void apply(const kernels::TraceView&, Layer, Rows, float* z) const;
    // Some edit changes what this head hands on at this row.
    bool change(LayerHead, std::int64_t dest) const;
    bool change(LayerHead) const;  // at some row
    // What they leave of a head's own sum of p · v at a row: the product of their scales. What a
    // patch adds comes from no source.
    float left_of(LayerHead, std::int64_t dest) const;

    // The first row that these and others do not have alike: what stands before is the same
    // computation. every_row.end where they are equal.
    std::int64_t first_difference(const RunEdits&) const;

  private:
    Edits edits_;
    std::vector<std::vector<kernels::EdgeRange>> forbidden_;  // [layers], or empty: none
};

}  // namespace engine
