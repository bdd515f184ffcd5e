// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/character_bpe.h"

#include "engine/tokenizer/utf8.h"
#include "engine/tokenizer/vocabulary.h"

namespace engine::tokenizer {
namespace {

constexpr char32_t space_mark = 0x2581;

bool is_byte_token(std::string_view spelled) {
    return spelled.size() == 6 && spelled.starts_with("<0x") && spelled.back() == '>';
}

}  // namespace

CharacterBpe::CharacterBpe(const ModelParts& model, const std::string& where)
    : CharacterBpe(model, Vocabulary(model, where), where) {}

CharacterBpe::CharacterBpe(const ModelParts& model, const Vocabulary& ids, const std::string& where)
    : merger_(model, std::ref(ids), where),
      unknown_(ids.unknown()),
      byte_fallback_(model.byte_fallback),
      fuse_unknown_(model.fuse_unknown) {
    ascii_.fill(no_id);
    for (const auto& [spelled, id] : model.vocabulary) {
        if (spelled.empty()) continue;
        const Utf8Step step = next_utf8(spelled);
        if (step.kind != Utf8::Character || step.length != spelled.size()) continue;
        characters_.emplace(step.code_point, id);
        if (step.code_point < 0x80) ascii_[step.code_point] = id;
    }
    bytes_ = ids.bytes();
    if (model.ignore_merges)
        for (const auto& [spelled, id] : model.vocabulary) whole_pieces_.emplace(spelled, id);
    find_joins(model);
}

void CharacterBpe::find_joins(const ModelParts& model) {
    for (const auto& [left, right] : model.merges) {
        // What stands for a byte is no character that could be looked for in a text.
        if (is_byte_token(left) || is_byte_token(right)) cuts_ = false;
        char32_t before = space_mark;
        const std::string merged = left + right;
        for (std::string_view rest = merged; !rest.empty();) {
            const Utf8Step step = next_utf8(rest);
            if (step.code_point == space_mark && before != space_mark) joins_.insert(before);
            before = step.code_point;
            rest.remove_prefix(step.length);
        }
    }
}

void CharacterBpe::encode(std::string_view piece, std::vector<Symbol>& out) const {
    if (!whole_pieces_.empty()) {
        const auto found = whole_pieces_.find(std::string(piece));
        if (found != whole_pieces_.end()) {
            out.push_back({found->second, 0, static_cast<std::uint32_t>(piece.size())});
            return;
        }
    }
    std::size_t begin = 0;
    char32_t before = space_mark;
    for (std::size_t at = 0; cuts_ && at < piece.size();) {
        const auto byte = static_cast<unsigned char>(piece[at]);
        if (byte < 0x80) {
            before = byte;
            ++at;
            continue;
        }
        const Utf8Step step = next_utf8(piece.substr(at));
        if (step.code_point == space_mark && before != space_mark && !joins_.contains(before)) {
            encode_part(piece, begin, at, out);
            begin = at;
        }
        before = step.code_point;
        at += step.length;
    }
    encode_part(piece, begin, piece.size(), out);
}

void CharacterBpe::encode_part(std::string_view piece, std::size_t begin, std::size_t end,
                               std::vector<Symbol>& out) const {
    const std::size_t first = out.size();
    bool after_unknown = false;
    for (std::size_t at = begin; at < end;) {
        const Utf8Step step = next_utf8(piece.substr(at, end - at));
        std::uint32_t id = no_id;
        if (step.code_point < 0x80 && step.kind == Utf8::Character) {
            id = ascii_[step.code_point];
        } else if (step.kind == Utf8::Character) {
            const auto found = characters_.find(step.code_point);
            if (found != characters_.end()) id = found->second;
        }
        const auto from = static_cast<std::uint32_t>(at);
        const std::uint32_t to = from + step.length;
        at = to;
        if (id != no_id) {
            out.push_back({id, from, to});
            after_unknown = false;
            continue;
        }
        bool falls_back = byte_fallback_;
        for (std::uint32_t i = from; i < to; ++i)
            falls_back &= bytes_[static_cast<unsigned char>(piece[i])] != no_id;
        if (falls_back) {
            for (std::uint32_t i = from; i < to; ++i)
                out.push_back({bytes_[static_cast<unsigned char>(piece[i])], i, i + 1});
            after_unknown = false;
        } else if (after_unknown && fuse_unknown_) {
            out.back().end = to;
        } else if (unknown_ != no_id) {
            out.push_back({unknown_, from, to});
            after_unknown = true;
        }
    }
    merger_.merge(out, first);
}

}  // namespace engine::tokenizer
