// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "engine/cache/run_table.h"
#include "engine/model/model.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/trace_reader.h"
#include "kernels/parallel.h"

namespace engine {

std::shared_ptr<const TraceReader> make_cpu_trace_reader(
    std::shared_ptr<const Model>, std::shared_ptr<const tokenizer::Tokenizer>,
    std::shared_ptr<const RunTable>, kernels::Parallel);

}  // namespace engine
