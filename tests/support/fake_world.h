// SPDX-License-Identifier: GPL-3.0-or-later
// The test's handle on a fake engine (delays, failures and counters, shared by all threads), and
// the formulas that every number of it follows from.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.h"

namespace fake {

using engine::to_int;

struct Shape {
    int layers = 4, query_heads = 4, kv_heads = 2, head_dim = 8, d_model = 16, vocab = 97;
    std::int64_t context = 4096, page_tokens = 16, pages = 64, chunk = 8;
};

struct World {
    Shape shape;
    std::string device_note;  // what ModelInfo says of the device that was not to be had
    bool unknown_template = false;
    std::vector<std::string> warnings;

    // Seconds a call takes (a tile: each head of a square map); a sleep looks at its stop_token all
    // the time.
    std::atomic<double> open_delay{0}, layer_delay{0}, step_delay{0}, tile_delay{0}, cell_delay{0},
        table_delay{0};
    std::atomic<std::int64_t> end_of_text_after{
        -1};  // the step with this number (from 0) ends the text

    // The next call of that name throws, asked twice the next two; "open", "tokenize", "open_run",
    // "prefill", "step", "tile", "cell", "metrics", "contributions", "logits", "checks".
    void fail_next(const std::string& call, engine::Failure failure) {
        const std::lock_guard lock(mutex);
        failures.emplace(call, std::move(failure));
    }
    void enter(const std::string& call) {
        std::unique_lock lock(mutex);
        ++calls[call];
        const auto it = failures.lower_bound(call);
        if (it == failures.end() || it->first != call) return;
        engine::Failure failure = it->second;
        failures.erase(it);
        lock.unlock();
        throw engine::Error(std::move(failure));
    }
    int count(const std::string& call) {
        const std::lock_guard lock(mutex);
        return calls[call];
    }

    std::atomic<int> engines_alive{0};
    std::atomic<int> thread_violations{
        0};  // engine calls, its destruction included, on a second thread
    std::atomic<int> tiles_stopped{0};
    std::atomic<int> layers_after_stop{
        0};  // layers begun by a call whose stop was already requested

    std::mutex mutex;
    std::multimap<std::string, engine::Failure> failures;
    std::map<std::string, int> calls;
};

struct Run {
    std::vector<engine::TokenId> tokens;
    std::int64_t prompt = 0;
    std::int64_t reserve = 0;
    std::atomic<std::int64_t> rows{0};
};

inline void pause(double seconds, const std::stop_token& stop) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < until) {
        if (stop.stop_requested()) throw engine::Cancelled();
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

// The formulas.
inline float score(engine::LayerHead at, std::int64_t dest, std::int64_t src) {
    const int mixed =
        (to_int(at.layer) * 7 + to_int(at.head) * 3 + static_cast<int>(dest * 5 + src * 11)) % 13;
    return 0.25f * static_cast<float>(mixed) - 1.0f;
}
inline float lse(engine::LayerHead at, std::int64_t dest) {
    double sum = 0;
    for (std::int64_t s = 0; s <= dest; ++s)
        sum += std::exp(static_cast<double>(score(at, dest, s)));
    return static_cast<float>(std::log(sum));
}
inline float pattern(engine::LayerHead at, std::int64_t dest, std::int64_t src) {
    return src > dest ? 0.0f : std::exp(score(at, dest, src) - lse(at, dest));
}
inline float value_scale(engine::LayerHead at, std::int64_t src) {
    return 1.0f + 0.5f * static_cast<float>((to_int(at.layer) + to_int(at.head) + src) % 4);
}
// The head with the largest |logit attribution| at every position is L2.H1 (where the shape has
// it).
inline float head_attribution(engine::LayerHead at) {
    if (to_int(at.layer) == 2 && to_int(at.head) == 1) return -3.5f;
    return 0.1f * static_cast<float>(to_int(at.layer) - to_int(at.head));
}
inline float cell_value(engine::Quantity quantity, engine::LayerHead at, std::int64_t dest,
                        std::int64_t src) {
    switch (quantity) {
        case engine::Quantity::Scores: return src > dest ? -INFINITY : score(at, dest, src);
        case engine::Quantity::Pattern: return pattern(at, dest, src);
        case engine::Quantity::Value: return pattern(at, dest, src) * value_scale(at, src);
        case engine::Quantity::Attribution:
            return pattern(at, dest, src) * value_scale(at, src) * (src % 2 == 0 ? 1.0f : -1.0f);
    }
    return 0;
}
inline engine::TokenId next_token(const Run& run, const Shape& shape) {
    return engine::TokenId((to_int(run.tokens.back()) * 5 + 7) % shape.vocab);
}
inline std::string token_bytes(engine::TokenId id) {
    return " t" + std::to_string(to_int(id));
}

}  // namespace fake
