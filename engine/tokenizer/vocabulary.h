// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/tokenizer/model.h"

namespace engine::tokenizer {

// Ids by spelling, while a model is made. Keeps views into the parts.
class Vocabulary {
  public:
    // Throws Error(BadFile) where the unknown token is not in the vocabulary.
    Vocabulary(const ModelParts&, const std::string& where);

    std::uint32_t operator()(std::string_view spelled) const;  // no_id where there is none
    std::uint32_t unknown() const { return unknown_; }
    std::array<std::uint32_t, 256> bytes() const;  // of <0x00> … <0xFF>

  private:
    std::unordered_map<std::string_view, std::uint32_t> ids_;
    std::uint32_t unknown_ = no_id;
};

}  // namespace engine::tokenizer
