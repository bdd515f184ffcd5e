// SPDX-License-Identifier: GPL-3.0-or-later
// Which tensors a dump holds, their shapes, and how they are asked of the trace.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/files/safetensors_writer.h"
#include "engine/trace_reader.h"
#include "engine/values/model_info.h"

namespace app {

struct DumpTensor {
    engine::TensorName name;  // what TraceReader::read is asked for
    TensorPlan plan;
    float fill = 0;  // of the columns that a chunk of rows cannot see
};

const std::vector<std::string>&
tensorKinds();  // the names that --tensors takes, in the order of the file

// "pattern,lse" to kinds. Throws BadRequest for a name that is none, or one given twice.
std::vector<std::string> parseTensorKinds(const std::string& list);
// Whether one of them is of a layer; the others are of the whole model.
bool areOfLayers(const std::vector<std::string>& kinds);

// "0,10-20" or "all" to layers, in order; throws BadRequest for one that the model does not have.
std::vector<engine::Layer> parseLayers(const std::string& list, int layers);
// Throws for what no model could have, before one is opened.
void checkLayerList(const std::string& list);

// `tokens` are prompt and generated, `rows` the T of `dump --help`.
std::vector<DumpTensor> planDump(const engine::ModelInfo&, const std::vector<std::string>& kinds,
                                 const std::vector<engine::Layer>& layers,
                                 std::optional<engine::TokenId> target, std::int64_t tokens,
                                 std::int64_t rows);

// Rows a call: enough for the products to be dense, few enough that a chunk of the widest tensor
// stays near 32 MB.
std::int64_t rowsPerChunk(const std::vector<DumpTensor>&);

}  // namespace app
