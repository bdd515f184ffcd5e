// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/unigram.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/tokenizer/utf8.h"
#include "engine/tokenizer/vocabulary.h"
#include "engine/values/failure.h"

namespace engine::tokenizer {
namespace {

constexpr double unknown_penalty = 10;  // SentencePiece's own, below the worst score
constexpr std::size_t longest_token = 1 << 16;

// Of the trie, its root left out.
std::size_t count_nodes(const ModelParts& model) {
    std::vector<std::string_view> sorted;
    sorted.reserve(model.vocabulary.size());
    for (const auto& entry : model.vocabulary) sorted.push_back(entry.first);
    std::sort(sorted.begin(), sorted.end());
    std::size_t nodes = 0;
    std::string_view before;
    for (const std::string_view token : sorted) {
        const auto shared = std::mismatch(before.begin(), before.end(), token.begin(), token.end());
        nodes += token.size() - static_cast<std::size_t>(shared.second - token.begin());
        before = token;
    }
    return nodes;
}

}  // namespace

Unigram::Unigram(const ModelParts& model, const std::string& where)
    : children_(count_nodes(model)),
      byte_fallback_(model.byte_fallback),
      single_precision_(model.single_precision) {
    const auto refuse = [&](const std::string& what) {
        throw Error(Failure::Kind::BadFile, what, where);
    };
    if (model.scores.size() != model.vocabulary.size())
        refuse(std::to_string(model.scores.size()) + " scores for " +
               std::to_string(model.vocabulary.size()) + " tokens");
    const Vocabulary ids(model, where);
    unknown_ = ids.unknown();
    unknown_spelling_ = model.unknown.value_or("");
    bytes_ = ids.bytes();
    scores_ = model.scores;
    token_of_.push_back(no_id);
    for (std::size_t i = 0; i < scores_.size(); ++i) {
        const auto& [spelled, id] = model.vocabulary[i];
        ids_.push_back(id);
        if (scores_[i] == -std::numeric_limits<double>::infinity()) continue;
        if (!std::isfinite(scores_[i])) refuse("token " + std::to_string(id) + " has no score");
        unknown_score_ = std::min(unknown_score_, scores_[i]);
        if (spelled.size() > longest_token) refuse("token " + std::to_string(id) + " is too long");
        std::uint32_t node = 0;
        for (const char c : spelled) {
            const auto byte = static_cast<unsigned char>(c);
            Merge child = children_.find(node, byte);
            if (child.rank == Merge::none) {
                child = {0, static_cast<std::uint32_t>(token_of_.size())};
                children_.insert(node, byte, child);
                token_of_.push_back(no_id);
            }
            node = child.result;
        }
        if (node != 0) token_of_[node] = static_cast<std::uint32_t>(i);
    }
    unknown_score_ -= unknown_penalty;
}

void Unigram::encode(std::string_view piece, std::vector<Symbol>& out) const {
    const auto size = static_cast<std::uint32_t>(piece.size());
    std::vector<Best> best(piece.size() + 1);
    const auto offer = [&](std::uint32_t begin, std::uint32_t end, std::uint32_t id, double score) {
        Best& at = best[end];
        score += best[begin].score;
        if (single_precision_) score = static_cast<double>(static_cast<float>(score));
        if (at.begin == no_id || score > at.score) at = {score, begin, id};
    };
    for (std::uint32_t begin = 0; begin < size;) {
        const std::uint32_t length = next_utf8(piece.substr(begin)).length;
        bool one_character = false;
        std::uint32_t node = 0;
        for (std::uint32_t end = begin; end < size;) {
            const Merge child = children_.find(node, static_cast<unsigned char>(piece[end]));
            if (child.rank == Merge::none) break;
            ++end;
            node = child.result;
            const std::uint32_t token = token_of_[node];
            if (token == no_id) continue;
            // The unknown token's own spelling in a text joins what is unknown around it.
            const bool known = ids_[token] != unknown_;
            offer(begin, end, known ? ids_[token] : no_id, scores_[token]);
            one_character |= end - begin == length;
        }
        if (!one_character) offer(begin, begin + length, no_id, unknown_score_);
        begin += length;
    }
    // From the end to the start: neighbours without a token are one unknown stretch.
    const std::size_t first = out.size();
    for (std::uint32_t end = size; end > 0; end = best[end].begin) {
        const Best& last = best[end];
        if (last.id == no_id && out.size() > first && out.back().id == no_id)
            out.back().begin = last.begin;
        else
            out.push_back({last.id, last.begin, end});
    }
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
    const std::vector<Symbol> path(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
    if (std::none_of(path.begin(), path.end(), [](const Symbol& s) { return s.id == no_id; }))
        return;
    out.resize(first);
    for (const Symbol& symbol : path) put(piece, symbol, out);
}

void Unigram::put(std::string_view piece, const Symbol& symbol, std::vector<Symbol>& out) const {
    if (symbol.id != no_id) return out.push_back(symbol);
    const std::string_view text = piece.substr(symbol.begin, symbol.end - symbol.begin);
    const auto id_of = [&](char c) { return bytes_[static_cast<unsigned char>(c)]; };
    const auto has_byte = [&](char c) { return id_of(c) != no_id; };
    const bool spelled_out = unknown_ != no_id && text == unknown_spelling_;
    if (byte_fallback_ && !spelled_out && std::all_of(text.begin(), text.end(), has_byte)) {
        for (std::uint32_t i = symbol.begin; i < symbol.end; ++i)
            out.push_back({id_of(piece[i]), i, i + 1});
    } else if (unknown_ != no_id) {
        out.push_back({unknown_, symbol.begin, symbol.end});
    }
}

}  // namespace engine::tokenizer
