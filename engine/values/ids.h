// SPDX-License-Identifier: GPL-3.0-or-later
// Indices are types: a query head cannot be passed where a KV head is meant. All count from 0.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <type_traits>

namespace engine {

enum class Layer : std::int32_t {};
enum class QueryHead : std::int32_t {};
enum class KvHead : std::int32_t {};
enum class Position : std::int64_t {
};  // of a token in its run; as dest it is a row, as src a column
enum class TokenId : std::int32_t {};
enum class RunId : std::uint64_t {};      // 0 is "no run"
enum class RequestId : std::uint64_t {};  // grows within one kind of request; the newest wins

template <typename Index>
requires std::is_enum_v<Index>
constexpr auto to_int(Index index) {
    return static_cast<std::underlying_type_t<Index>>(index);
}

struct LayerHead {
    Layer layer{};
    QueryHead head{};
    auto operator<=>(const LayerHead&) const = default;
};

// Half open: [begin, end).
struct Rows {
    std::int64_t begin = 0, end = 0;
    std::int64_t count() const { return end - begin; }
    auto operator<=>(const Rows&) const = default;
};

// The written form everywhere: L12.H7.
inline std::string to_string(LayerHead at) {
    return "L" + std::to_string(to_int(at.layer)) + ".H" + std::to_string(to_int(at.head));
}

}  // namespace engine
