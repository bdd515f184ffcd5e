// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/bpe_tokenizer.h"
#include "engine/tokenizer/tokenizer_gguf.h"

namespace engine::tokenizer {

std::shared_ptr<const Tokenizer> make_tokenizer(const formats::Checkpoint& checkpoint) {
    return std::make_shared<const BpeTokenizer>(
        read_gguf_tokenizer(checkpoint.metadata, checkpoint.path));
}

}  // namespace engine::tokenizer
