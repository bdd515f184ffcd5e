// SPDX-License-Identifier: GPL-3.0-or-later
// All heads' numbers as a file: what the Finder's table shows, and how far heads moved between two
// runs. Every head is there, by layer and head, whatever the table is sorted or filtered by.
#pragma once
#include <vector>

#include "app/files/picture_file.h"
#include "engine/values/contribution.h"
#include "engine/values/metrics.h"
#include "ui/models/change_table.h"

namespace app {

class OutputFile;

struct HeadNumbers {
    engine::HeadTable metrics;
    engine::ContributionTable contributions;  // of the same heads
    std::vector<float> span;                  // [L, H], empty: no span of tokens is chosen
};

// CSV: a line a head, a column a measure, in the order of the Finder's columns. NPY: float32
// [measures, layers, heads] of the same; span_mass only where there is one. Throws engine::Error.
void writeHeads(OutputFile&, FileFormat, const HeadNumbers&);

// CSV: a line a head with the mean movement of its rows, that of row `dest` (empty where it is not
// compared), and the cell that changed most. NPY: float32 [3, layers, heads] of the first three
// columns, NaN where a field is empty.
void writeChanges(OutputFile&, FileFormat, const ui::ChangeTable&, std::int64_t dest);

}  // namespace app
