// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/vocabulary.h"

#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::tokenizer {

std::string byte_token(unsigned char byte) {
    constexpr char hex[] = "0123456789ABCDEF";
    return std::string("<0x") + hex[byte >> 4] + hex[byte & 15] + '>';
}

Vocabulary::Vocabulary(const ModelParts& model, const std::string& where) {
    ids_.reserve(model.vocabulary.size());
    for (const auto& [spelled, id] : model.vocabulary) ids_.emplace(spelled, id);
    if (!model.unknown) return;
    unknown_ = (*this)(*model.unknown);
    if (unknown_ == no_id)
        throw Error(
            Failure::Kind::BadFile,
            "the unknown token \"" + formats::shown(*model.unknown) + "\" is not in the vocabulary",
            where);
}

std::uint32_t Vocabulary::operator()(std::string_view spelled) const {
    const auto found = ids_.find(spelled);
    return found == ids_.end() ? no_id : found->second;
}

std::array<std::uint32_t, 256> Vocabulary::bytes() const {
    std::array<std::uint32_t, 256> ids{};
    for (unsigned byte = 0; byte < 256; ++byte)
        ids[byte] = (*this)(byte_token(static_cast<unsigned char>(byte)));
    return ids;
}

}  // namespace engine::tokenizer
