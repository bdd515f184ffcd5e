// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/byte_reader.h"

#include <utility>

#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::formats {

void ByteReader::refuse(std::string what) const {
    throw Error(Failure::Kind::BadFile, std::move(what), shown(where_, 400),
                "download the file again");
}

std::string ByteReader::left_text() const {
    return std::to_string(left()) + " are left" +
           (capped_ ? " of the " + std::to_string(bytes_.size()) + " that a header may have" : "");
}

void ByteReader::expect_room(std::uint64_t count, std::uint64_t least,
                             std::string_view what) const {
    if (count > left() / least)
        refuse(shown(what) + ": " + std::to_string(count) + " items of " + std::to_string(least) +
               " bytes or more are announced, " + left_text());
}

std::string_view ByteReader::take(std::uint64_t length, std::string_view what) {
    if (length > left())
        refuse(shown(what) + ": " + std::to_string(length) + " bytes are announced at byte " +
               std::to_string(position_) + ", " + left_text());
    const std::string_view taken = bytes_.substr(position_, length);
    position_ += length;
    return taken;
}

}  // namespace engine::formats
