// SPDX-License-Identifier: GPL-3.0-or-later
// OLMo 2: no norm before a block but one behind it, and q and k normed whole, before the split into
// heads.
#include "engine/families/architecture.h"

namespace engine::families {

const Architecture olmo2{
    .name = "olmo2",
    .gguf_name = "olmo2",
    .model_class = "Olmo2ForCausalLM",
    .default_norm_eps = 1e-5,
    .qk_norm = QkNorm::WholeProjection,
    .pre_norm = false,
    .post_norm = true,
    .config_names = &olmo2_names,
};

}  // namespace engine::families
