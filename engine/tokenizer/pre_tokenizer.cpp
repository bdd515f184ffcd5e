// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/pre_tokenizer.h"

#include <string>

namespace engine::tokenizer {
namespace {

struct Part {
    std::size_t begin = 0, end = 0;
    bool matched = false;
};

// Matches and what lies between them, so that the parts cover the text; none is empty.
void find_parts(const Split& split, std::string_view text, std::vector<Match>& found,
                std::vector<Part>& parts) {
    found.clear();
    parts.clear();
    split.pattern.find_all(text, found);
    std::size_t at = 0;
    for (const Match& match : found) {
        if (match.begin > at) parts.push_back({at, match.begin, split.invert});
        parts.push_back({match.begin, match.end, !split.invert});
        at = match.end;
    }
    if (at < text.size()) parts.push_back({at, text.size(), split.invert});
}

// Joins parts as the behaviour says; the result replaces `parts`.
void join(Matches matches, std::vector<Part>& parts) {
    std::size_t kept = 0;
    bool previous_matched = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Part part = parts[i];
        bool joins = false;
        switch (matches) {
            case Matches::Isolated: break;
            case Matches::Removed:
                if (part.matched) continue;
                break;
            case Matches::MergedWithPrevious:
                joins = part.matched && !previous_matched && i > 0;
                break;
            case Matches::MergedWithNext: joins = !part.matched && previous_matched && i > 0; break;
            case Matches::Contiguous: joins = i > 0 && part.matched == previous_matched; break;
        }
        previous_matched = part.matched;
        if (joins)
            parts[kept - 1].end = part.end;
        else
            parts[kept++] = part;
    }
    parts.resize(kept);
}

void apply(const Split& split, std::string_view text, const std::vector<Piece>& pieces,
           std::vector<Piece>& out) {
    std::vector<Match> found;
    std::vector<Part> parts;
    for (const Piece& piece : pieces) {
        std::string spaced;
        std::string_view own = text.substr(piece.begin, piece.end - piece.begin);
        if (piece.space_before) own = spaced = ' ' + std::string(own);
        find_parts(split, own, found, parts);
        join(split.matches, parts);
        for (const Part& part : parts) {
            // Offsets in `own` count the space that the text does not have.
            const std::size_t shift = piece.space_before ? 1 : 0;
            const bool has_space = piece.space_before && part.begin == 0;
            out.push_back({piece.begin + (has_space ? 0 : part.begin - shift),
                           piece.begin + part.end - shift, has_space});
        }
    }
}

void apply(const AddPrefixSpace&, std::string_view text, const std::vector<Piece>& pieces,
           std::vector<Piece>& out) {
    for (Piece piece : pieces) {
        if (!piece.space_before && text[piece.begin] != ' ') piece.space_before = true;
        out.push_back(piece);
    }
}

}  // namespace

std::vector<Piece> PreTokenizer::split(std::string_view text) const {
    std::vector<Piece> pieces, next;
    if (!text.empty()) pieces.push_back({0, text.size()});
    for (const Rule& rule : rules_) {
        next.clear();
        std::visit([&](const auto& one) { apply(one, text, pieces, next); }, rule);
        pieces.swap(next);
    }
    return pieces;
}

}  // namespace engine::tokenizer
