// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/gguf_quants.h"
#include "engine/formats/mapped_file.h"
#include "engine/formats/tensor_file.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/values/failure.h"

namespace fuzz {

inline void expect(bool holds) {
    if (!holds) std::abort();
}

// A refusal is an answer, if it says something that fits a line; anything else is a fault.
template <typename Action>
void refused_or_done(const Action& action) {
    try {
        action();
    } catch (const engine::Error& error) {
        expect(!error.failure().what.empty() && error.failure().line().size() < 200'000);
    }
}

// The bytes as a file in memory.
inline std::shared_ptr<const engine::formats::MappedFile> mapped(std::string_view bytes) {
    const int fd = ::memfd_create("fuzz", MFD_CLOEXEC);
    expect(fd >= 0 &&
           ::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    std::shared_ptr<const engine::formats::MappedFile> file;
    try {
        file = engine::formats::MappedFile::open("/proc/self/fd/" + std::to_string(fd));
    } catch (...) {
        ::close(fd);
        throw;
    }
    ::close(fd);
    return file;
}

// Every number of every tensor.
inline void decode_all(const engine::formats::TensorFile& file) {
    using namespace engine::formats;
    for (const auto& [name, tensor] : file.tensors) {
        const auto elements = static_cast<std::int64_t>(tensor.bytes) /
                              block_bytes(tensor.storage) * block_elements(tensor.storage);
        std::vector<float> values(static_cast<std::size_t>(elements));
        decode(tensor.storage, tensor.data, values.data(), elements);
    }
}

// What holds of any encoding: ids have bytes, spans lie in the text and begin in order.
inline void check(const engine::tokenizer::Tokenizer& tokenizer, std::string_view text,
                  const engine::TokenizeOptions& options) {
    const engine::Encoding encoding = tokenizer.encode(text, options);
    std::int64_t before = 0;
    for (const engine::Token& token : encoding.tokens) {
        expect(engine::to_int(token.id) >= 0 && engine::to_int(token.id) < tokenizer.vocab());
        expect(token.bytes == tokenizer.bytes(token.id));
        expect(token.start >= before && token.end >= token.start);
        expect(token.end <= static_cast<std::int64_t>(text.size()));
        before = token.start;
    }
}

inline std::string_view view(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

constexpr std::string_view sample = "The quick  brown\nfox 2025 e\u0301 <s></s> \u2581\xF0\x9F";

}  // namespace fuzz
