// SPDX-License-Identifier: GPL-3.0-or-later
// Writes checkpoints byte by byte, right or wrong on purpose, without a line of the readers' code.
#pragma once
#include <QByteArray>
#include <QFile>
#include <QString>
#include <QtEndian>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/failure.h"

namespace support {

template <typename T>
QByteArray little(T value) {
    QByteArray out(sizeof value, '\0');
    qToLittleEndian(value, out.data());
    return out;
}

inline QByteArray floats(const std::vector<float>& values) {
    QByteArray out;
    for (const float value : values) out += little(value);
    return out;
}

inline bool write_file(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

// A safetensors file of any header and any stated length.
inline QByteArray safetensors(const QByteArray& header, const QByteArray& data = {},
                              std::optional<std::uint64_t> length = {}) {
    return little<std::uint64_t>(length.value_or(static_cast<std::uint64_t>(header.size()))) +
           header + data;
}

// A right safetensors file, tensor by tensor.
class SafetensorsWriter {
  public:
    SafetensorsWriter& add(const QByteArray& name, const QByteArray& dtype, const QByteArray& shape,
                           const QByteArray& bytes) {
        if (!header_.isEmpty()) header_ += ",";
        header_ += "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
                   ",\"data_offsets\":[" + QByteArray::number(data_.size()) + ",";
        data_ += bytes;
        header_ += QByteArray::number(data_.size()) + "]}";
        return *this;
    }
    // A matrix or vector of ones, for plans that only look at shapes.
    SafetensorsWriter& ones(const QByteArray& name, const std::vector<int>& shape) {
        QByteArray text = "[";
        std::size_t count = 1;
        for (const int side : shape) {
            text += (text.size() > 1 ? "," : "") + QByteArray::number(side);
            count *= static_cast<std::size_t>(side);
        }
        return add(name, "F32", text + "]", floats(std::vector<float>(count, 1.0f)));
    }
    QByteArray bytes() const { return safetensors("{" + header_ + "}", data_); }

  private:
    QByteArray header_, data_;
};

class GgufWriter {
  public:
    std::uint32_t version = 3;
    std::uint64_t alignment = 32;
    std::optional<std::uint64_t> tensor_count, pair_count;  // to lie about them

    static QByteArray text(const QByteArray& value) {
        return little(static_cast<std::uint64_t>(value.size())) + value;
    }
    GgufWriter& raw(const QByteArray& key, std::uint32_t type, const QByteArray& value) {
        pairs_ += text(key) + little(type) + value;
        ++pairs_written_;
        return *this;
    }
    GgufWriter& u32(const QByteArray& key, std::uint32_t value) {
        return raw(key, 4, little(value));
    }
    GgufWriter& f32(const QByteArray& key, float value) { return raw(key, 6, little(value)); }
    GgufWriter& string(const QByteArray& key, const QByteArray& value) {
        return raw(key, 8, text(value));
    }
    // `ne` as GGUF lists it: the row length first.
    GgufWriter& tensor(const QByteArray& name, const std::vector<std::uint64_t>& ne,
                       std::uint32_t type, const QByteArray& bytes,
                       std::optional<std::uint64_t> offset = {}) {
        const std::uint64_t align = alignment ? alignment : 1;
        while (static_cast<std::uint64_t>(data_.size()) % align != 0) data_ += '\0';
        table_ += text(name) + little(static_cast<std::uint32_t>(ne.size()));
        for (const std::uint64_t side : ne) table_ += little(side);
        table_ += little(type) + little(offset.value_or(static_cast<std::uint64_t>(data_.size())));
        data_ += bytes;
        ++tensors_written_;
        return *this;
    }
    GgufWriter& ones(const QByteArray& name, const std::vector<std::uint64_t>& ne) {
        std::size_t count = 1;
        for (const std::uint64_t side : ne) count *= side;
        return tensor(name, ne, 0, floats(std::vector<float>(count, 1.0f)));
    }
    QByteArray bytes() const {
        QByteArray out = "GGUF" + little(version) +
                         little(tensor_count.value_or(tensors_written_)) +
                         little(pair_count.value_or(pairs_written_)) + pairs_ + table_;
        while (static_cast<std::uint64_t>(out.size()) % (alignment ? alignment : 1) != 0)
            out += '\0';
        return out + data_;
    }

  private:
    QByteArray pairs_, table_, data_;
    std::uint64_t pairs_written_ = 0, tensors_written_ = 0;
};

// The failure that `work` ends with; nothing if it succeeds. Any other exception passes and fails
// the test.
template <typename Work>
std::optional<engine::Failure> failure_of(Work work) {
    try {
        work();
        return std::nullopt;
    } catch (const engine::Error& error) {
        return error.failure();
    }
}

}  // namespace support
