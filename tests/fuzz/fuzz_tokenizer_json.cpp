// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "engine/formats/json_text.h"
#include "engine/tokenizer/tokenizer_json.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::refused_or_done([&] {
        const engine::tokenizer::TextTokenizer tokenizer(engine::tokenizer::read_tokenizer_json(
            engine::formats::parse_json(fuzz::view(data, size), "fuzz"), "fuzz"));
        fuzz::check(tokenizer, fuzz::sample, {false, true, true});
    });
    return 0;
}
