// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files/data_text.h"

#include <array>
#include <bit>
#include <cstdio>

#include "app/command_line/cli_text.h"
#include "app/files/output_file.h"

namespace app {

static_assert(std::endian::native == std::endian::little, "NPY is written as it lies in memory");

void DataStream::write(std::string_view text) {
    write(std::as_bytes(std::span(text.data(), text.size())));
}

void DataStream::write(std::span<const std::byte> bytes) {
    m_file.writeAt(m_at, bytes);
    m_at += static_cast<std::int64_t>(bytes.size());
}

// Version 1.0: magic, header length, a Python literal padded to 64 bytes.
std::string npyHeader(const std::vector<std::int64_t>& shape, const std::string& type) {
    std::string extents;
    for (const std::int64_t extent : shape) extents += std::to_string(extent) + ", ";
    std::string header =
        "{'descr': " + type + ", 'fortran_order': False, 'shape': (" + extents + "), }";
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    const auto length = static_cast<unsigned>(header.size());
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(length & 0xFF) +
           static_cast<char>(length >> 8) + header;
}

std::string numberField(float value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.9g", static_cast<double>(value));
    return text.data();
}

std::string textField(const std::string& bytes) {
    std::string out = "\"";
    for (const char c : validUtf8(bytes)) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

}  // namespace app
