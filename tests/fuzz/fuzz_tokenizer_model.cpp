// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/spm_vocabulary.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::refused_or_done([&] {
        engine::tokenizer::TokenizerParts parts;
        add_spm_vocabulary(
            engine::tokenizer::read_spm_file(fuzz::view(data, size), "fuzz").vocabulary, parts);
        fuzz::check(engine::tokenizer::TextTokenizer(std::move(parts)), fuzz::sample, {});
    });
    return 0;
}
