// SPDX-License-Identifier: GPL-3.0-or-later
// The merges that are waiting, by rank and then from left to right. A run of merges of one rank
// meets its places in order, so the places of each rank lie in a list that is sorted once, when its
// turn comes, and mostly is already: a heap of all of them would jump through memory with every
// step, which long runs of one character notice.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace engine::tokenizer {

class MergeQueue {
  public:
    struct Entry {
        std::uint32_t rank = 0, place = 0;
        auto operator<=>(const Entry&) const = default;
    };

    void push(Entry entry) {
        // What should have come before the list in turn is rare: ranks mostly grow with a token's
        // size.
        if (entry.rank <= rank_)
            early_.push(entry);
        else
            later_[entry.rank].push_back(entry.place);
    }

    std::optional<Entry> pop() {
        if (in_turn_ == turn_.size() && early_.empty() && !next_list()) return std::nullopt;
        if (!early_.empty() && (in_turn_ == turn_.size() || early_.top() < in_turn())) {
            const Entry first = early_.top();
            early_.pop();
            return first;
        }
        const Entry next = in_turn();
        ++in_turn_;
        return next;
    }

  private:
    Entry in_turn() const { return {static_cast<std::uint32_t>(rank_), turn_[in_turn_]}; }

    bool next_list() {
        if (later_.empty()) return false;
        auto first = later_.extract(later_.begin());
        rank_ = first.key();
        turn_ = std::move(first.mapped());
        in_turn_ = 0;
        if (!std::is_sorted(turn_.begin(), turn_.end())) std::sort(turn_.begin(), turn_.end());
        return true;
    }

    std::map<std::uint32_t, std::vector<std::uint32_t>> later_;  // rank to places
    std::vector<std::uint32_t> turn_;  // places of rank_, from in_turn_ on
    std::int64_t rank_ = -1;           // of the list in turn; none yet
    std::size_t in_turn_ = 0;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> early_;
};

}  // namespace engine::tokenizer
