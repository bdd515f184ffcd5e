// SPDX-License-Identifier: GPL-3.0-or-later
// Tokenizers and golden values that the tests share.
#pragma once
#include <QFloat16>  // QCOMPARE asks whether JSON turns into one
#include <QTest>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/tokenizer/tokenizer.h"
#include "engine/values/failure.h"

namespace fixtures {

using nlohmann::json;

inline std::string data_folder() {
    return std::string(TEST_DATA) + "/tokenizer";
}

inline json read_json(const std::string& name) {
    std::ifstream file(data_folder() + "/" + name);
    return json::parse(file);
}

// The default model's file; "" where it was not fetched.
inline std::string default_model() {
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    const char* const home = std::getenv("HOME");
    const std::string root = cache && *cache ? cache : std::string(home ? home : "") + "/.cache";
    const std::string path = root + "/headscope/models/SmolLM2-135M-Instruct.Q4_1.gguf";
    return std::filesystem::exists(path) ? path : "";
}

using TokenizerPtr = std::shared_ptr<const engine::tokenizer::Tokenizer>;

inline TokenizerPtr tokenizer_of_folder(const std::string& folder) {
    engine::formats::Checkpoint checkpoint;
    checkpoint.format = engine::formats::Checkpoint::Format::Safetensors;
    checkpoint.path = folder;
    return engine::tokenizer::make_tokenizer(checkpoint);
}

// "smollm" or the name of a folder of the test data; null where the default model is not there.
inline TokenizerPtr tokenizer_named(const std::string& name) {
    if (name != "smollm") return tokenizer_of_folder(data_folder() + "/" + name);
    const std::string path = default_model();
    if (path.empty()) return nullptr;
    return engine::tokenizer::make_tokenizer(engine::formats::open_checkpoint(path));
}

inline std::vector<int> ids_of(const engine::Encoding& encoding) {
    std::vector<int> ids;
    for (const engine::Token& token : encoding.tokens) ids.push_back(engine::to_int(token.id));
    return ids;
}
inline std::string joined(const engine::Encoding& encoding) {
    std::string bytes;
    for (const engine::Token& token : encoding.tokens) bytes += token.bytes;
    return bytes;
}
inline int count_controls(const engine::Encoding& encoding) {
    int count = 0;
    for (const engine::Token& token : encoding.tokens) count += token.control ? 1 : 0;
    return count;
}

// A text as a failure message can show it.
inline QByteArray readable(const std::string& text) {
    return QByteArray::fromStdString(
        json(text).dump(-1, ' ', true, json::error_handler_t::replace));
}

// The Failure that an action throws; fails the test where it throws none.
template <typename Action>
engine::Failure failure_of(Action&& action) {
    try {
        action();
    } catch (const engine::Error& error) {
        return error.failure();
    }
    QTest::qFail("nothing was thrown", __FILE__, __LINE__);
    return {};
}

}  // namespace fixtures

#define NEEDS_DEFAULT_MODEL(tokenizer) \
    if (!(tokenizer))                  \
    QSKIP("the default model is not in the cache folder: run the set-up to check its tokenizer")
