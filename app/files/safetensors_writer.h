// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a safetensors file whose shapes are known up front, its tensors in any order and a chunk
// of rows at a time.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/files/output_file.h"
#include "engine/values/dtype.h"
#include "engine/values/payload.h"

namespace app {

// [outer, rows, inner]: outer is 1 but for the tensors that a head owns ([Hq, T, T], [Hq, T]).
struct TensorPlan {
    std::string name;
    engine::DType dtype = engine::DType::F32;
    std::vector<std::int64_t> shape;
    std::size_t rowAxis = 0;  // 0, or 1 for the head-major ones

    std::int64_t outer() const { return rowAxis == 0 ? 1 : shape[0]; }
    std::int64_t rows() const { return shape[rowAxis]; }
    std::int64_t inner() const;  // elements of one row (of one head)
    std::int64_t bytes() const;
};

// Of all tensors together, the header aside: what the disk must hold at least.
std::int64_t bytesOf(const std::vector<TensorPlan>&);

class SafetensorsWriter {
  public:
    // Writes the header into `file`, which outlives the writer and which the caller commits. Throws
    // engine::Error Io when the header is past the 100 MB that readers accept.
    SafetensorsWriter(OutputFile& file, std::vector<TensorPlan> tensors,
                      const std::map<std::string, std::string>& metadata);

    std::int64_t fileBytes() const { return m_fileBytes; }

    // Rows [first, first + n) of tensor `index`; `data` is [outer, n, m] with m ≤ inner. Columns m
    // and up, which only the causal maps leave out, are set to `fill`.
    void writeRows(std::size_t index, std::int64_t first, const engine::Payload& data,
                   float fill = 0);

  private:
    std::vector<TensorPlan> m_tensors;
    std::vector<std::int64_t> m_offsets;  // in the file
    std::int64_t m_fileBytes = 0;
    OutputFile& m_file;
    std::vector<float> m_padded;  // scratch: one head's rows with their fill
};

}  // namespace app
