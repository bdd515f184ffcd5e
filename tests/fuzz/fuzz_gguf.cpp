// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/gguf.h"
#include "engine/tokenizer/tokenizer_gguf.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::refused_or_done([&] {
        const engine::formats::GgufFile file =
            engine::formats::read_gguf(fuzz::mapped(fuzz::view(data, size)));
        fuzz::decode_all(file.weights);
        const engine::tokenizer::TextTokenizer tokenizer(
            engine::tokenizer::read_gguf_tokenizer(file.metadata, "fuzz.gguf"));
        fuzz::check(tokenizer, fuzz::sample, {false, true, true});
    });
    return 0;
}
