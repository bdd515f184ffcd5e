// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/architecture.h"

namespace engine::families {

std::span<const Architecture* const> architectures() {
    static constexpr const Architecture* all[] = {&llama, &qwen3};
    return all;
}

}  // namespace engine::families
