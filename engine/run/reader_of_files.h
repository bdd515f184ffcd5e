// SPDX-License-Identifier: GPL-3.0-or-later
// Views are computed from the weights too (a contribution, the residual stream): none goes out that
// met a page which was no longer in its file.
#pragma once
#include <memory>

#include "engine/formats/files_in_use.h"
#include "engine/trace_reader.h"

namespace engine {

std::shared_ptr<const TraceReader> read_with_files(std::shared_ptr<const TraceReader>,
                                                   formats::FilesInUse);

}  // namespace engine
