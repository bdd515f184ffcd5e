// SPDX-License-Identifier: GPL-3.0-or-later
// Texts, by tokenizers of every kind; the first byte chooses one and its options.
#include "engine/tokenizer/utf8.h"
#include "fuzz.h"

namespace {

using TokenizerPtr = std::shared_ptr<const engine::tokenizer::Tokenizer>;

std::vector<TokenizerPtr> open_all() {
    std::vector<TokenizerPtr> all;
    for (const char* name : {"qwen", "llama3", "gpt2", "llama2", "t5", "spm_bpe", "spm_unigram"}) {
        engine::formats::Checkpoint folder;
        folder.path = std::string(TEST_DATA "/tokenizer/") + name;
        all.push_back(engine::tokenizer::make_tokenizer(folder));
    }
    return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<TokenizerPtr> tokenizers = open_all();
    if (size == 0) return 0;
    const engine::tokenizer::Tokenizer& tokenizer = *tokenizers[data[0] % tokenizers.size()];
    const unsigned switches = data[0] / tokenizers.size();
    engine::TokenizeOptions options{(switches & 4) != 0 && tokenizer.has_chat_template(),
                                    (switches & 1) != 0, (switches & 2) != 0};
    const std::string_view text = fuzz::view(data + 1, size - 1);
    fuzz::check(tokenizer, text, options);
    if (&tokenizer != tokenizers[1].get()) return 0;
    // Nothing changes this one's text, but that what is no UTF-8 is read as U+FFFD: tokens hold it
    // byte for byte.
    if (engine::tokenizer::valid_prefix(text) != text.size()) return 0;
    std::string joined;
    for (const engine::Token& token : tokenizer.encode(text, {false, false, false}).tokens)
        joined += token.bytes;
    fuzz::expect(joined == text);
    return 0;
}
