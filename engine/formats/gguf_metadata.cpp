// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/gguf_metadata.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "engine/formats/messages.h"

namespace engine::formats {
namespace {

enum Type : std::uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, Text, List, U64, I64, F64 };

std::uint64_t least_bytes(std::uint32_t type) {
    constexpr std::uint8_t bytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};
    return type < sizeof bytes ? bytes[type] : 0;
}

class ValueReader {
  public:
    ValueReader(ByteReader& reader, std::string_view key) : reader_(reader), key_(key) {}

    std::optional<MetaValue> value() {
        const std::uint32_t type = checked(reader_.number<std::uint32_t>(key_));
        if (type == List) return list();
        if (type == Text) return MetaValue(std::string(reader_.text(key_)));
        if (type == Bool) return MetaValue(truth());
        if (type == F32) return MetaValue(double{reader_.number<float>(key_)});
        if (type == F64) return MetaValue(reader_.number<double>(key_));
        return integer<MetaValue>(type, [](auto number) {
            using Wide =
                std::conditional_t<std::is_signed_v<decltype(number)>, std::int64_t, std::uint64_t>;
            return MetaValue(Wide{number});
        });
    }

  private:
    std::uint32_t checked(std::uint32_t type) const {
        if (least_bytes(type) == 0)
            reader_.refuse(shown(key_) + " has the unknown value type " + std::to_string(type));
        return type;
    }

    bool truth() {
        const auto byte = reader_.number<std::uint8_t>(key_);
        if (byte > 1)
            reader_.refuse(shown(key_) + ": a truth value is " + std::to_string(byte) +
                           ", 0 or 1 is needed");
        return byte == 1;
    }

    template <typename Result, typename Make>
    Result integer(std::uint32_t type, Make make) {
        switch (type) {
            case U8: return make(reader_.number<std::uint8_t>(key_));
            case I8: return make(reader_.number<std::int8_t>(key_));
            case U16: return make(reader_.number<std::uint16_t>(key_));
            case I16: return make(reader_.number<std::int16_t>(key_));
            case U32: return make(reader_.number<std::uint32_t>(key_));
            case I32: return make(reader_.number<std::int32_t>(key_));
            case U64: return make(reader_.number<std::uint64_t>(key_));
            default: return make(reader_.number<std::int64_t>(key_));
        }
    }

    std::int64_t narrow(std::uint64_t number) const {
        if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            reader_.refuse(shown(key_) + ": " + std::to_string(number) + " in a list is too large");
        return static_cast<std::int64_t>(number);
    }

    std::optional<MetaValue> list() {
        const std::uint32_t type = checked(reader_.number<std::uint32_t>(key_));
        const auto count = reader_.number<std::uint64_t>(key_);
        reader_.expect_room(count, least_bytes(type), key_);
        if (type == List) {
            step_over_lists(count);
            return std::nullopt;
        }
        if (type == Text)
            return fill<std::string>(count, [&] { return std::string(reader_.text(key_)); });
        if (type == Bool)
            return fill<std::int64_t>(count, [&] { return std::int64_t{truth() ? 1 : 0}; });
        if (type == F32)
            return fill<double>(count, [&] { return double{reader_.number<float>(key_)}; });
        if (type == F64) return fill<double>(count, [&] { return reader_.number<double>(key_); });
        return fill<std::int64_t>(count, [&] {
            return integer<std::int64_t>(type, [&](auto number) -> std::int64_t {
                if constexpr (std::is_same_v<decltype(number), std::uint64_t>)
                    return narrow(number);
                else
                    return number;
            });
        });
    }

    template <typename T, typename Next>
    MetaValue fill(std::uint64_t count, Next next) {
        std::vector<T> values;
        values.reserve(std::min<std::uint64_t>(count, 1 << 16));  // a count may still lie
        for (std::uint64_t i = 0; i < count; ++i) values.push_back(next());
        return values;
    }

    void step_over_lists(std::uint64_t count) {
        if (++depth_ > 4) reader_.refuse(shown(key_) + ": lists nested deeper than 4");
        for (std::uint64_t i = 0; i < count; ++i) list();
        --depth_;
    }

    ByteReader& reader_;
    std::string_view key_;
    int depth_ = 0;
};

}  // namespace

Metadata read_gguf_metadata(ByteReader& reader, std::uint64_t count) {
    constexpr std::uint64_t least = 13;  // an empty key, a type, one byte
    reader.expect_room(count, least, "the metadata");
    Metadata metadata;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string key(reader.text("metadata key " + std::to_string(i)));
        if (key.empty()) reader.refuse("metadata key " + std::to_string(i) + " has no name");
        if (metadata.has(key)) reader.refuse("the key " + shown(key) + " is given twice");
        if (auto value = ValueReader(reader, key).value()) metadata.set(key, std::move(*value));
    }
    return metadata;
}

}  // namespace engine::formats
