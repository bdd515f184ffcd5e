// SPDX-License-Identifier: GPL-3.0-or-later
// Two neighbouring tokens to the rank of their merge and what they become. A flat table with linear
// probing: a lookup is the inner loop of encoding, and most of them miss.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace engine::tokenizer {

struct Merge {
    static constexpr std::uint32_t none = 0xFFFFFFFF;
    std::uint32_t rank = none;  // smaller goes first
    std::uint32_t result = 0;
};

class PairTable {
  public:
    explicit PairTable(std::size_t pairs) {
        std::size_t capacity = 16;
        while (capacity < 2 * pairs) capacity *= 2;
        slots_.resize(capacity);
    }

    // A pair that is already there is replaced.
    void insert(std::uint32_t left, std::uint32_t right, Merge merge) {
        Slot& slot = slots_[slot_of(key_of(left, right))];
        slot = {key_of(left, right), merge};
    }
    Merge find(std::uint32_t left, std::uint32_t right) const {
        return slots_[slot_of(key_of(left, right))].merge;  // an empty slot holds no merge
    }

  private:
    static constexpr std::uint64_t empty = ~std::uint64_t{0};
    struct Slot {
        std::uint64_t key = empty;
        Merge merge;
    };
    static std::uint64_t key_of(std::uint32_t left, std::uint32_t right) {
        return static_cast<std::uint64_t>(left) << 32 | right;
    }
    std::size_t slot_of(std::uint64_t key) const {
        const std::size_t mask = slots_.size() - 1;
        std::uint64_t mixed = key * 0x9E3779B97F4A7C15ULL;
        std::size_t at = static_cast<std::size_t>(mixed ^ mixed >> 29) & mask;
        while (slots_[at].key != key && slots_[at].key != empty) at = (at + 1) & mask;
        return at;
    }
    std::vector<Slot> slots_;
};

}  // namespace engine::tokenizer
