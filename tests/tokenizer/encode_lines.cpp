// SPDX-License-Identifier: GPL-3.0-or-later
// Encodes texts with the tokenizer of a model's folder or GGUF file, for comparison with other
// implementations and for timing; not a test.
//   encode_lines MODEL [special] < LINES   each line a text in hexadecimal; prints its ids
//   encode_lines MODEL time FILE           encodes the file's text; prints tokens and MB/s
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "engine/tokenizer/tokenizer.h"
#include "engine/values/failure.h"

namespace {

using TokenizerPtr = std::shared_ptr<const engine::tokenizer::Tokenizer>;

TokenizerPtr open(const std::string& path) {
    if (!std::filesystem::is_directory(path))
        return engine::tokenizer::make_tokenizer(engine::formats::open_checkpoint(path));
    engine::formats::Checkpoint folder;
    folder.path = path;
    return engine::tokenizer::make_tokenizer(folder);
}

std::string from_hex(const std::string& line) {
    std::string text;
    for (std::size_t i = 0; i + 1 < line.size(); i += 2)
        text += static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16));
    return text;
}

int time_file(const TokenizerPtr& tokenizer, const char* path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    // Of the processor, not of the clock on the wall: other programs do not count.
    const std::clock_t start = std::clock();
    const std::size_t tokens = tokenizer->encode(text, {}).tokens.size();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    std::printf("%zu bytes, %zu tokens, %.2f MB/s\n", text.size(), tokens,
                static_cast<double>(text.size()) / seconds / 1e6);
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        if (count < 2) return 2;
        const std::string mode = count > 2 ? arguments[2] : "";
        const TokenizerPtr tokenizer = open(arguments[1]);
        if (mode == "time" && count > 3) return time_file(tokenizer, arguments[3]);
        for (std::string line; std::getline(std::cin, line);) {
            const engine::Encoding encoding =
                tokenizer->encode(from_hex(line), {false, mode == "special", false});
            for (const engine::Token& token : encoding.tokens)
                std::printf("%d ", engine::to_int(token.id));
            std::printf("\n");
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
