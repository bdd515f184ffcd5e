// SPDX-License-Identifier: GPL-3.0-or-later
// The difference of two runs that are aligned by token, cell by cell, as CSV and NPY: each cell
// with the positions that it has in either run.
#pragma once
#include "app/files/data_file.h"

namespace app {

// `data.alignment` is given, and rows are its places; a is the run that is subtracted. CSV: a line
// a cell that both runs have, with positions and tokens of both. NPY: records [heads, places,
// places] of dest_a, src_a, dest_b, src_b (int32, −1: the run has none) and value (float32, NaN:
// there is no difference). Otherwise as writeMaps.
void writeAlignedMaps(OutputFile&, FileFormat, const engine::TraceReader&, const MapData&,
                      std::stop_token,
                      const std::function<void(std::int64_t done, std::int64_t total)>& report);
std::int64_t alignedMapBytes(FileFormat, const MapData&);

}  // namespace app
