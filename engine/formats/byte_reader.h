// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace engine::formats {

// A cursor over bytes that may lie about their own lengths: every read is checked against what is
// left.
class ByteReader {
  public:
    // Reads at most `cap` of the bytes. `where` names the file in errors and must outlive the
    // reader, as must the bytes.
    ByteReader(std::string_view bytes, std::size_t cap, const std::string& where)
        : bytes_(bytes.substr(0, cap)), capped_(bytes.size() > cap), where_(where) {}

    std::size_t position() const { return position_; }
    std::size_t left() const { return bytes_.size() - position_; }

    // `what` names the thing being read. Each throws Error(BadFile) where the bytes end before it
    // does.
    template <typename T>
    T number(std::string_view what) {
        T value;
        std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
        return value;
    }
    std::string_view text(std::string_view what) {  // 8 bytes of length, then the bytes
        return take(number<std::uint64_t>(what), what);
    }
    // Throws unless `count` items of at least `least` bytes each can still follow.
    void expect_room(std::uint64_t count, std::uint64_t least, std::string_view what) const;

    [[noreturn]] void refuse(std::string what) const;

  private:
    std::string_view take(std::uint64_t length, std::string_view what);

    std::string left_text() const;

    std::string_view bytes_;
    bool capped_;
    const std::string& where_;
    std::size_t position_ = 0;
};

}  // namespace engine::formats
