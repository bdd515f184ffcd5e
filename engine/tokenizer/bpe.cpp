// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/bpe.h"

#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/utf8.h"
#include "engine/tokenizer/vocabulary.h"

namespace engine::tokenizer {

Bpe::Bpe(const ModelParts& model, const std::string& where)
    : Bpe(model, Vocabulary(model, where), where) {}

Bpe::Bpe(const ModelParts& model, const Vocabulary& ids, const std::string& where)
    : merger_(model, std::ref(ids), where),
      unknown_(ids.unknown()),
      fuse_unknown_(model.fuse_unknown) {
    for (unsigned byte = 0; byte < 256; ++byte) {
        std::string spelled;
        append_utf8(spelled, byte_level_character(static_cast<unsigned char>(byte)));
        byte_ids_[byte] = ids(spelled);
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
    merger_.merge(out, first);
}

}  // namespace engine::tokenizer
