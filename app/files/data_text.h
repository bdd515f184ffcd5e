// SPDX-License-Identifier: GPL-3.0-or-later
// What the files of numbers have in common: pieces one after another, NPY's header, CSV's fields.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace app {

class OutputFile;

// Writes on from where the last piece ended.
class DataStream {
  public:
    explicit DataStream(OutputFile& file) : m_file(file) {}
    void write(std::string_view text);
    void write(std::span<const std::byte> bytes);

  private:
    OutputFile& m_file;
    std::int64_t m_at = 0;
};

// Of float32, or of what a Python literal describes, in C order; the data begin at a multiple of 64
// bytes.
std::string npyHeader(const std::vector<std::int64_t>& shape, const std::string& type = "'<f4'");
// Enough digits to read the same float32 back.
std::string numberField(float value);
// Any bytes, as RFC 4180 quotes them; what is not UTF-8 is replaced.
std::string textField(const std::string& bytes);

}  // namespace app
