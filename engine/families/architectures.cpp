// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/architecture.h"

namespace engine::families {

std::span<const Architecture* const> architectures() {
    static constexpr const Architecture* all[] = {&llama,     &mistral,  &mixtral, &qwen2,  &qwen3,
                                                  &qwen3_moe, &smollm3,  &gemma2,  &gemma3, &olmo2,
                                                  &phi3,      &gpt_neox, &gpt2,    &gpt_oss};
    return all;
}

}  // namespace engine::families
