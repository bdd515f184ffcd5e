// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>

#include "engine/tokenizer/text_tokenizer.h"
#include "engine/tokenizer/tokenizer_gguf.h"
#include "engine/tokenizer/tokenizer_json.h"

namespace engine::tokenizer {

std::shared_ptr<const Tokenizer> make_tokenizer(const formats::Checkpoint& checkpoint) {
    if (checkpoint.format == formats::Checkpoint::Format::Gguf)
        return std::make_shared<const TextTokenizer>(
            read_gguf_tokenizer(checkpoint.metadata, checkpoint.path));
    std::filesystem::path folder(checkpoint.path);
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored))
        folder = folder.parent_path();  // one weight file was given
    return std::make_shared<const TextTokenizer>(
        read_tokenizer_folder(folder.string(), checkpoint.config.get()));
}

}  // namespace engine::tokenizer
