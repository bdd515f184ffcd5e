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

std::vector<Piece> apply(const Split& split, CutText& cut, bool) {
    const std::string_view text = cut.text.text();
    std::vector<Piece> out;
    std::vector<Match> found;
    std::vector<Part> parts;
    for (const Piece& piece : cut.pieces) {
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
    return out;
}

std::vector<Piece> apply(const AddPrefixSpace&, CutText& cut, bool) {
    std::vector<Piece> out = cut.pieces;
    for (Piece& piece : out)
        if (!piece.space_before && cut.text.text()[piece.begin] != ' ') piece.space_before = true;
    return out;
}

std::vector<Piece> apply(const Metaspace& rule, CutText& cut, bool first) {
    const std::string_view text = cut.text.text();
    TextBuilder builder(text);
    std::vector<Piece> out;
    std::size_t done = 0, written = 0;  // bytes of the text before and after
    const auto keep = [&](std::size_t bytes) {
        builder.keep(bytes);
        done += bytes;
        written += bytes;
    };
    const auto mark_for = [&](std::size_t bytes) {
        builder.replace(bytes, rule.mark);
        done += bytes;
        written += rule.mark.size();
    };
    for (const Piece& piece : cut.pieces) {
        keep(piece.begin - done);  // what an earlier rule left out stays out
        const std::size_t begin = written;
        if (piece.space_before) mark_for(0);
        const std::string_view own = text.substr(piece.begin, piece.end - piece.begin);
        const bool marked =
            piece.space_before || own.starts_with(' ') || own.starts_with(rule.mark);
        const bool prefixed =
            rule.prefix == Metaspace::Prefix::Always ||
            (rule.prefix == Metaspace::Prefix::First && first && piece.begin == 0);
        if (prefixed && !marked) mark_for(0);
        std::size_t piece_begin = begin;
        while (done < piece.end) {
            const std::string_view rest = text.substr(done, piece.end - done);
            const bool space = rest.front() == ' ';
            const bool mark = !space && rest.starts_with(rule.mark);
            if (!space && !mark) {
                std::size_t bytes = 1;
                while (bytes < rest.size() && rest[bytes] != ' ' && rest[bytes] != rule.mark[0])
                    ++bytes;
                keep(bytes);
                continue;
            }
            if (rule.cut && written > piece_begin) {
                out.push_back({piece_begin, written});
                piece_begin = written;
            }
            if (space)
                mark_for(1);
            else
                keep(rule.mark.size());
        }
        if (written > piece_begin) out.push_back({piece_begin, written});
    }
    cut.text.add(builder.finish());
    return out;
}

}  // namespace

CutText PreTokenizer::split(std::string_view text, bool first) const {
    CutText cut{ChangedText(text), {}};
    if (!text.empty()) cut.pieces.push_back({0, text.size()});
    for (const Rule& rule : rules_)
        cut.pieces = std::visit([&](const auto& one) { return apply(one, cut, first); }, rule);
    return cut;
}

}  // namespace engine::tokenizer
