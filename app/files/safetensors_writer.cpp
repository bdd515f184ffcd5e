// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files/safetensors_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "app/command_line/cli_text.h"
#include "engine/values/failure.h"

namespace app {
namespace {

static_assert(std::endian::native == std::endian::little, "the format's numbers are little-endian");

const char* typeName(engine::DType dtype) {
    switch (dtype) {
        case engine::DType::F32: return "F32";
        case engine::DType::F16: return "F16";
        case engine::DType::BF16: return "BF16";
        case engine::DType::I64: return "I64";
        case engine::DType::I32: return "I32";
        case engine::DType::U8: return "U8";
    }
    return "?";
}

engine::Error internal(const std::string& what, const std::string& tensor) {
    return engine::Error(engine::Failure::Kind::Internal, what, tensor);
}

}  // namespace

std::int64_t TensorPlan::inner() const {
    std::int64_t n = 1;
    for (std::size_t axis = rowAxis + 1; axis < shape.size(); ++axis) n *= shape[axis];
    return n;
}

std::int64_t TensorPlan::bytes() const {
    return outer() * rows() * inner() * static_cast<std::int64_t>(engine::bytes_of(dtype));
}

std::int64_t bytesOf(const std::vector<TensorPlan>& tensors) {
    std::int64_t bytes = 0;
    for (const TensorPlan& tensor : tensors) bytes += tensor.bytes();
    return bytes;
}

SafetensorsWriter::SafetensorsWriter(OutputFile& file, std::vector<TensorPlan> tensors,
                                     const std::map<std::string, std::string>& metadata)
    : m_tensors(std::move(tensors)), m_file(file) {
    // Kept in the order of the plan; readers go by the offsets.
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    auto& strings = header["__metadata__"] = nlohmann::ordered_json::object();
    for (const auto& [key, value] : metadata) strings[key] = validUtf8(value);
    std::int64_t at = 0;
    for (const TensorPlan& tensor : m_tensors) {
        header[tensor.name] = {{"dtype", typeName(tensor.dtype)},
                               {"shape", tensor.shape},
                               {"data_offsets", {at, at + tensor.bytes()}}};
        m_offsets.push_back(at);
        at += tensor.bytes();
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');  // readers want the data at a multiple of 8
    constexpr std::size_t most = 100'000'000;
    const std::uint64_t length = text.size();
    if (length > most)
        throw engine::Error(engine::Failure::Kind::Io,
                            "the header would take " +
                                thousands(static_cast<std::int64_t>(length)) +
                                " bytes; readers accept " + thousands(most),
                            file.target(), "use a shorter prompt");
    const auto data = static_cast<std::int64_t>(sizeof length + length);
    for (std::int64_t& offset : m_offsets) offset += data;
    m_fileBytes = data + at;
    m_file.writeAt(0, std::as_bytes(std::span(&length, 1)));
    m_file.writeAt(sizeof length, std::as_bytes(std::span(text)));
}

void SafetensorsWriter::writeRows(std::size_t index, std::int64_t first,
                                  const engine::Payload& data, float fill) {
    const TensorPlan& plan = m_tensors[index];
    const auto size = static_cast<std::int64_t>(engine::bytes_of(plan.dtype));
    if (data.dtype != plan.dtype || data.shape.size() != plan.shape.size())
        throw internal("the trace gave another type or rank than the file's header says",
                       plan.name);
    TensorPlan given = plan;
    given.shape = data.shape;
    const std::int64_t n = given.rows(), m = given.inner();
    // A head-major map may leave out columns that no row of the chunk sees; nothing else may
    // differ.
    const bool causalMap =
        plan.rowAxis == 1 && plan.shape.size() == 3 && plan.dtype == engine::DType::F32;
    if (given.outer() != plan.outer() || first + n > plan.rows() ||
        (causalMap ? m > plan.inner() : m != plan.inner()))
        throw internal("the trace gave another shape than the file's header says", plan.name);
    if (n == 0) return;
    const std::span<const std::byte> bytes(data.data, data.bytes());
    const auto part = static_cast<std::size_t>(n * m * size);
    for (std::int64_t head = 0; head < plan.outer(); ++head) {
        const std::int64_t at =
            m_offsets[index] + (head * plan.rows() + first) * plan.inner() * size;
        const auto rows = bytes.subspan(static_cast<std::size_t>(head) * part, part);
        if (m == plan.inner()) {
            m_file.writeAt(at, rows);
            continue;
        }
        const auto width = static_cast<std::size_t>(plan.inner()),
                   givenWidth = static_cast<std::size_t>(m);
        m_padded.assign(static_cast<std::size_t>(n) * width, fill);
        for (std::size_t row = 0; row < static_cast<std::size_t>(n); ++row)
            std::memcpy(m_padded.data() + row * width,
                        rows.data() + row * givenWidth * sizeof(float), givenWidth * sizeof(float));
        m_file.writeAt(at, std::as_bytes(std::span(m_padded)));
    }
}

}  // namespace app
