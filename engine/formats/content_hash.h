// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace engine::formats {

// FNV-1a, 64 bits: tells checkpoints apart in session files and dumps. It identifies, it does not
// protect.
class ContentHash {
  public:
    void add(std::string_view bytes) {
        for (const char c : bytes)
            value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    }
    void add(std::uint64_t number) {
        for (int shift = 0; shift < 64; shift += 8)
            value_ = (value_ ^ ((number >> shift) & 0xFF)) * 0x100000001B3u;
    }
    std::string hex() const {  // 16 digits
        std::string out;
        for (int shift = 60; shift >= 0; shift -= 4)
            out += "0123456789abcdef"[(value_ >> shift) & 15];
        return out;
    }

  private:
    std::uint64_t value_ = 0xCBF29CE484222325u;
};

}  // namespace engine::formats
