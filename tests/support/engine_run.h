// SPDX-License-Identifier: GPL-3.0-or-later
// The few calls that most engine tests begin with. The same tests run on a GPU, in fp32, where
// HEADSCOPE_TEST_DEVICE is "cuda": without one they are skipped, and say why.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/engine.h"

// The failure that a call throws; an Internal one where it throws none.
template <typename Call>
engine::Failure failure_of(Call&& call) {
    try {
        call();
    } catch (const engine::Error& error) {
        return error.failure();
    }
    return {engine::Failure::Kind::Internal, "nothing was thrown", {}, {}};
}

struct EngineRun {
    std::unique_ptr<engine::Engine> engine;
    engine::RunId run{};
    std::vector<engine::TokenId> tokens;  // prompt and generated

    static std::unique_ptr<engine::Engine> open(const std::string& path,
                                                std::int64_t page_tokens = 64, int threads = 2) {
        engine::OpenRequest request;
        request.path = path;
        request.threads = threads;
        request.page_tokens = page_tokens;
        request.memory_limit = std::int64_t{1} << 30;
        return open(request);
    }
    static std::unique_ptr<engine::Engine> open(engine::OpenRequest request) {
        if (const char* device = std::getenv("HEADSCOPE_TEST_DEVICE")) {
            request.device = device;
            request.dtype = engine::DType::F32;
        }
        auto engine = engine::open_engine(request, {}, {});
        skip_without(*engine);
        return engine;
    }
    // Ends the whole program where a GPU was asked for and is not there, in words that CTest knows.
    static void skip_without(const engine::Engine& engine) {
        const std::string& why = engine.info().device_note;
        if (why.empty()) return;
        std::printf("SKIP   : no GPU: %s\n", why.c_str());
        std::fflush(stdout);
        std::_Exit(0);
    }

    EngineRun(std::unique_ptr<engine::Engine> opened, std::vector<engine::TokenId> prompt,
              int generate = 0)
        : engine(std::move(opened)), tokens(std::move(prompt)) {
        engine::RunRequest request;
        request.tokens = tokens;
        run = engine->open_run(request);
        while (!engine->prefill_chunk(run, {}).finished()) {
        }
        for (int i = 0; i < generate; ++i) tokens.push_back(engine->decode_step(run, {}).token.id);
    }

    std::vector<float> read(const std::string& kind, int layer, engine::Rows rows) const {
        engine::TensorName name;
        name.kind = kind;
        if (layer >= 0) name.layer = engine::Layer{layer};
        const engine::NamedTensor tensor = engine->reader()->read(run, name, rows);
        const auto span = tensor.data.as<float>();
        return {span.begin(), span.end()};
    }
    std::int64_t rows() const { return engine->reader()->rows(run); }
};

inline std::vector<engine::TokenId> token_ids(const std::vector<std::int64_t>& ids) {
    std::vector<engine::TokenId> tokens;
    for (const std::int64_t id : ids)
        tokens.push_back(engine::TokenId{static_cast<std::int32_t>(id)});
    return tokens;
}
