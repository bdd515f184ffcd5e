// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/spm_vocabulary.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <unordered_map>

#include "engine/tokenizer/characters_map.h"
#include "engine/tokenizer/utf8.h"
#include "engine/values/failure.h"

namespace engine::tokenizer {
namespace {

using Kind = SpmVocabulary::Kind;
constexpr const char* space_piece = "\u2581";

// Two neighbours merge when they make a piece, the one with the best score first, from left to
// right: a merge for every way to cut a piece in two, of the rank that its score has.
void add_merges(const SpmVocabulary& vocabulary, ModelParts& model) {
    constexpr std::size_t longest_piece = 1 << 10;  // bounds the cuts below
    std::unordered_map<std::string_view, bool> is_piece;
    std::map<double, std::uint32_t, std::greater<>> ranks;
    for (const SpmVocabulary::Piece& piece : vocabulary.pieces) {
        if (piece.kind != Kind::Normal) continue;
        is_piece.emplace(piece.text, true);
        ranks.emplace(piece.score, 0);
    }
    std::uint32_t next = 0;
    for (auto& [score, rank] : ranks) rank = next++;
    for (const SpmVocabulary::Piece& piece : vocabulary.pieces) {
        if (piece.kind != Kind::Normal || piece.text.size() > longest_piece) continue;
        const std::string_view text = piece.text;
        for (std::size_t at = next_utf8(text).length; at < text.size();
             at += next_utf8(text.substr(at)).length) {
            const std::string_view left = text.substr(0, at), right = text.substr(at);
            if (!is_piece.contains(left) || !is_piece.contains(right)) continue;
            model.merges.emplace_back(left, right);
            model.ranks.push_back(ranks.at(piece.score));
        }
    }
}

}  // namespace

void add_spm_vocabulary(const SpmVocabulary& vocabulary, TokenizerParts& parts) {
    const auto refuse = [&](const std::string& what) {
        throw Error(Failure::Kind::BadFile, what, parts.where);
    };
    if (vocabulary.pieces.empty() || vocabulary.pieces.size() > largest_id)
        refuse("the vocabulary has " + std::to_string(vocabulary.pieces.size()) + " pieces");
    ModelParts& model = parts.model;
    model.kind = vocabulary.unigram ? ModelParts::Kind::Unigram : ModelParts::Kind::CharacterBpe;
    model.fuse_unknown = true;
    model.single_precision = true;
    for (std::uint32_t id = 0; id < vocabulary.pieces.size(); ++id) {
        const SpmVocabulary::Piece& piece = vocabulary.pieces[id];
        if (piece.text.empty()) {
            if (piece.kind == Kind::Unused) continue;
            refuse("piece " + std::to_string(id) + " is empty");
        }
        if (!std::isfinite(piece.score)) refuse("piece " + std::to_string(id) + " has no score");
        switch (piece.kind) {
            case Kind::Control: parts.added.push_back({id, piece.text, true}); continue;
            case Kind::UserDefined: parts.added.push_back({id, piece.text, false, true}); continue;
            case Kind::Unused: continue;
            case Kind::Unknown:
                model.unknown = piece.text;
                parts.added.push_back({id, piece.text, true});
                break;
            case Kind::Byte: model.byte_fallback = true; break;
            case Kind::Normal: break;
        }
        model.vocabulary.emplace_back(piece.text, id);
        constexpr double never = -std::numeric_limits<double>::infinity();
        if (vocabulary.unigram)
            model.scores.push_back(piece.kind == Kind::Normal ? piece.score : never);
    }
    if (!vocabulary.unigram) add_merges(vocabulary, model);
    if (!vocabulary.characters_map.empty())
        parts.normalizer.add(mapping_characters(vocabulary.characters_map,
                                                CharactersMapStyle::SentencePiece, parts.where));
    if (vocabulary.single_spaces) parts.normalizer.add(single_spaces());
    if (vocabulary.prefix_space) parts.normalizer.add(starting_with(space_piece));
    parts.normalizer.add(replacing(" ", space_piece));
    parts.added_as_spelled = true;
    parts.token_bytes.byte_fallback = true;
    parts.token_bytes.replacements.emplace_back(space_piece, " ");
}

}  // namespace engine::tokenizer
