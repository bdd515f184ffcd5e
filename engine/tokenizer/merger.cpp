// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/merger.h"

#include <array>

#include "engine/formats/messages.h"
#include "engine/tokenizer/merge_queue.h"
#include "engine/values/failure.h"

namespace engine::tokenizer {
namespace {

// Up to here looking through all neighbours for the best merge beats keeping a queue of them.
constexpr std::size_t short_piece = 40;

}  // namespace

Merger::Merger(const ModelParts& model, const IdOf& id_of, const std::string& where)
    : merges_(model.merges.size()) {
    for (std::size_t i = 0; i < model.merges.size(); ++i) {
        const auto& [left, right] = model.merges[i];
        const std::uint32_t result = id_of(left + right);
        if (id_of(left) == no_id || id_of(right) == no_id || result == no_id)
            throw Error(Failure::Kind::BadFile,
                        "merge " + std::to_string(i) + ", \"" + formats::shown(left) + "\" and \"" +
                            formats::shown(right) + "\", needs a token that the vocabulary of " +
                            std::to_string(model.vocabulary.size()) + " does not have",
                        where);
        const auto rank = model.ranks.empty() ? static_cast<std::uint32_t>(i) : model.ranks[i];
        merges_.insert(id_of(left), id_of(right), {rank, result});
    }
}

void Merger::merge(std::vector<Symbol>& symbols, std::size_t first) const {
    if (symbols.size() - first <= short_piece)
        merge_short(symbols, first);
    else
        merge_long(symbols, first);
}

void Merger::merge_short(std::vector<Symbol>& symbols, std::size_t first) const {
    std::size_t count = symbols.size() - first;
    if (count < 2) return;
    Symbol* const at = symbols.data() + first;
    std::array<Merge, short_piece> merges;  // merges[i] is that of symbols i and i + 1
    const auto look = [&](std::size_t i) { return merges_.find(at[i].id, at[i + 1].id); };
    for (std::size_t i = 0; i + 1 < count; ++i) merges[i] = look(i);
    while (count > 1) {
        std::size_t best = 0;
        for (std::size_t i = 1; i + 1 < count; ++i)
            if (merges[i].rank < merges[best].rank) best = i;
        if (merges[best].rank == Merge::none) break;
        at[best].id = merges[best].result;
        at[best].end = at[best + 1].end;
        --count;
        for (std::size_t i = best + 1; i < count; ++i) {
            at[i] = at[i + 1];
            if (i + 1 < count) merges[i] = merges[i + 1];
        }
        if (best > 0) merges[best - 1] = look(best - 1);
        if (best + 1 < count) merges[best] = look(best);
    }
    symbols.resize(first + count);
}

// Symbols as a linked list. An entry of the queue is stale when the left symbol's merge has another
// rank by now; it is dropped when it comes up, so that nothing is ever searched for in the queue.
void Merger::merge_long(std::vector<Symbol>& symbols, std::size_t first) const {
    constexpr std::uint32_t end = 0xFFFFFFFF;
    const auto count = static_cast<std::uint32_t>(symbols.size() - first);
    Symbol* const at = symbols.data() + first;
    std::vector<std::uint32_t> previous(count), next(count);
    std::vector<Merge> merges(count);
    MergeQueue queue;
    const auto renew = [&](std::uint32_t left) {
        merges[left] = next[left] == end ? Merge{} : merges_.find(at[left].id, at[next[left]].id);
        if (merges[left].rank != Merge::none) queue.push({merges[left].rank, left});
    };
    for (std::uint32_t i = 0; i < count; ++i) {
        previous[i] = i == 0 ? end : i - 1;
        next[i] = i + 1 == count ? end : i + 1;
        renew(i);
    }
    while (const auto entry = queue.pop()) {
        const std::uint32_t left = entry->place;
        if (merges[left].rank != entry->rank) continue;
        const std::uint32_t right = next[left];
        at[left].id = merges[left].result;
        at[left].end = at[right].end;
        merges[right] = {};
        next[left] = next[right];
        if (next[left] != end) previous[next[left]] = left;
        if (previous[left] != end) renew(previous[left]);  // first, so that places come in order
        renew(left);
    }
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i != end; i = next[i]) at[kept++] = at[i];
    symbols.resize(first + kept);
}

}  // namespace engine::tokenizer
