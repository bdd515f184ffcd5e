// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/bpe.h"

#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/merge_queue.h"
#include "engine/tokenizer/utf8.h"
#include "engine/values/failure.h"

namespace engine::tokenizer {
namespace {

// Up to here looking through all neighbours for the best merge beats keeping a queue of them.
constexpr std::size_t short_piece = 40;

}  // namespace

Bpe::Bpe(const BpeModel& model, const std::string& where)
    : merges_(model.merges.size()), fuse_unknown_(model.fuse_unknown) {
    std::unordered_map<std::string_view, std::uint32_t> ids;
    ids.reserve(model.vocabulary.size());
    for (const auto& [spelled, id] : model.vocabulary) ids.emplace(spelled, id);
    const auto id_of = [&](const std::string& spelled) {
        const auto found = ids.find(spelled);
        return found == ids.end() ? no_id : found->second;
    };

    for (unsigned byte = 0; byte < 256; ++byte) {
        std::string spelled;
        append_utf8(spelled, byte_level_character(static_cast<unsigned char>(byte)));
        byte_ids_[byte] = id_of(spelled);
    }
    std::uint32_t rank = 0;
    for (const auto& [left, right] : model.merges) {
        const std::uint32_t result = id_of(left + right);
        if (id_of(left) == no_id || id_of(right) == no_id || result == no_id)
            throw Error(Failure::Kind::BadFile,
                        "merge " + std::to_string(rank) + ", \"" + left + "\" and \"" + right +
                            "\", needs a token that the vocabulary of " +
                            std::to_string(ids.size()) + " does not have",
                        where);
        merges_.insert(id_of(left), id_of(right), {rank++, result});
    }
    if (model.unknown) {
        unknown_ = id_of(*model.unknown);
        if (unknown_ == no_id)
            throw Error(Failure::Kind::BadFile,
                        "the unknown token \"" + *model.unknown + "\" is not in the vocabulary",
                        where);
    }
    if (model.ignore_merges)
        for (const auto& [spelled, id] : model.vocabulary)
            if (auto bytes = byte_level_bytes(spelled))
                whole_pieces_.emplace(*std::move(bytes), id);
}

void Bpe::encode(std::string_view piece, std::vector<Symbol>& out) const {
    if (!whole_pieces_.empty()) {
        const auto found = whole_pieces_.find(std::string(piece));
        if (found != whole_pieces_.end()) {
            out.push_back({found->second, 0, static_cast<std::uint32_t>(piece.size())});
            return;
        }
    }
    const std::size_t first = out.size();
    bool after_unknown = false;
    for (std::uint32_t at = 0; at < piece.size(); ++at) {
        std::uint32_t id = byte_ids_[static_cast<unsigned char>(piece[at])];
        const bool unknown = id == no_id;
        if (unknown) id = unknown_;
        if (unknown && after_unknown && fuse_unknown_)
            ++out.back().end;
        else if (id != no_id)
            out.push_back({id, at, at + 1});
        after_unknown = unknown && id != no_id;
    }
    if (out.size() - first <= short_piece)
        merge_short(out, first);
    else
        merge_long(out, first);
}

void Bpe::merge_short(std::vector<Symbol>& symbols, std::size_t first) const {
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
void Bpe::merge_long(std::vector<Symbol>& symbols, std::size_t first) const {
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
