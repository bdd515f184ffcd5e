// SPDX-License-Identifier: GPL-3.0-or-later
// A deterministic Engine without a model, so that a test can say what must be on screen.
#pragma once
#include <memory>
#include <utility>

#include "tests/support/fake_reader.h"

namespace fake {

class Engine final : public engine::Engine {
  public:
    Engine(std::shared_ptr<World> world, const std::string& path)
        : world_(std::move(world)),
          reader_(std::make_shared<Reader>(world_)),
          thread_(std::this_thread::get_id()) {
        ++world_->engines_alive;
        const Shape& s = world_->shape;
        info_.path = path;
        info_.name = "Fake-" + std::to_string(s.layers) + "x" + std::to_string(s.query_heads);
        info_.family = "llama";
        info_.format = "GGUF Q4_1";
        info_.layers = s.layers;
        info_.query_heads = s.query_heads;
        info_.kv_heads = s.kv_heads;
        info_.head_dim = s.head_dim;
        info_.d_model = s.d_model;
        info_.d_ff = 4 * s.d_model;
        info_.vocab = s.vocab;
        info_.context = s.context;
        info_.attention.assign(static_cast<std::size_t>(s.layers), {});
        info_.weight_bytes = 1 << 20;
        info_.bytes_per_token = 4096;
        info_.page_tokens = s.page_tokens;
        info_.pages = s.pages;
        info_.device = "CPU";
        info_.device_note = world_->device_note;
        info_.has_unknown_template = world_->unknown_template;
        info_.warnings = world_->warnings;
        info_.threads = 1;
        info_.hash = "fake";
        info_.memory_free = info_.memory_total = std::int64_t{1} << 33;
    }
    ~Engine() override {
        own_thread();
        --world_->engines_alive;
    }

    const engine::ModelInfo& info() const override { return info_; }

    // A token a word, its leading space included.
    engine::Encoding tokenize(std::string_view text,
                              const engine::TokenizeOptions&) const override {
        own_thread();
        world_->enter("tokenize");
        engine::Encoding out;
        for (std::size_t begin = 0; begin < text.size();) {
            std::size_t end = begin + 1;
            while (end < text.size() && text[end] != ' ') ++end;
            engine::Token token;
            token.bytes = std::string(text.substr(begin, end - begin));
            int id = 0;
            for (const char c : token.bytes)
                id = (id * 31 + static_cast<unsigned char>(c)) % world_->shape.vocab;
            token.id = engine::TokenId(id);
            token.start = static_cast<std::int64_t>(begin);
            token.end = static_cast<std::int64_t>(end);
            out.tokens.push_back(token);
            begin = end;
        }
        return out;
    }
    engine::Encoding describe(std::span<const engine::TokenId> ids) const override {
        own_thread();
        engine::Encoding out;
        for (const engine::TokenId id : ids) {
            if (to_int(id) < 0 || to_int(id) >= world_->shape.vocab)
                throw engine::Error(engine::Failure::Kind::BadRequest,
                                    "token id " + std::to_string(to_int(id)) + " of " +
                                        std::to_string(world_->shape.vocab));
            out.tokens.push_back({id, token_bytes(id), 0, 0, false});
        }
        return out;
    }

    engine::RunId open_run(const engine::RunRequest& request) override {
        own_thread();
        world_->enter("open_run");
        const auto length = static_cast<std::int64_t>(request.tokens.size());
        if (length == 0)
            throw engine::Error(engine::Failure::Kind::BadRequest, "the prompt is empty");
        if (length + request.reserve > world_->shape.context)
            throw engine::Error(engine::Failure::Kind::BadRequest,
                                std::to_string(length + request.reserve) +
                                    " tokens, the context holds " +
                                    std::to_string(world_->shape.context),
                                "prompt", "shorten it");
        const std::int64_t need = pages_of(length + request.reserve);
        if (need > world_->shape.pages - used())
            throw engine::Error(engine::Failure::Kind::OutOfMemory,
                                std::to_string(need) + " pages needed, " +
                                    std::to_string(world_->shape.pages - used()) + " free");
        auto run = std::make_shared<Run>();
        run->tokens = request.tokens;
        run->prompt = length;
        run->reserve = request.reserve;
        const engine::RunId id{++last_run_};
        runs_[id] = run;
        reader_->add(id, run);
        return id;
    }
    engine::RunId fork_run(engine::RunId parent, engine::Position at,
                           engine::TokenId token) override {
        own_thread();
        const auto from = reader_->find(parent);
        engine::RunRequest request;
        request.tokens.assign(from->tokens.begin(), from->tokens.begin() + to_int(at));
        request.tokens.push_back(token);
        return open_run(request);
    }

    engine::Progress prefill_chunk(
        engine::RunId id, std::stop_token stop,
        const std::function<void(const engine::Progress&)>& on_layer) override {
        own_thread();
        world_->enter("prefill");
        const auto run = reader_->find(id);
        const int layers = world_->shape.layers;
        for (int layer = 0; layer < layers; ++layer) {
            if (stop.stop_requested()) throw engine::Cancelled();
            pause_layer(stop);
            if (on_layer) on_layer({run->rows, run->prompt, layer + 1, layers});
        }
        run->rows = std::min(run->prompt, run->rows + world_->shape.chunk);
        return {run->rows, run->prompt, layers, layers};
    }

    engine::Step decode_step(engine::RunId id, std::stop_token stop) override {
        own_thread();
        world_->enter("step");
        const auto begin = std::chrono::steady_clock::now();
        const auto run = reader_->find(id);
        if (run->rows < run->prompt)
            throw engine::Error(engine::Failure::Kind::BadRequest, "the prompt is not read yet");
        pause(world_->step_delay, stop);
        engine::Step step;
        step.run = id;
        step.alternatives = Reader::top(*run, run->rows - 1, 5);
        step.token = {next_token(*run, world_->shape), token_bytes(next_token(*run, world_->shape)),
                      0, 0, false};
        step.text = step.token.bytes;
        step.probability = step.alternatives.front().probability;
        step.position = engine::Position(run->rows.load());
        {
            // Readers look at tokens below the published length only, but the vector itself may
            // move.
            auto grown = std::make_shared<Run>();
            grown->tokens = run->tokens;
            grown->tokens.push_back(step.token.id);
            grown->prompt = run->prompt;
            grown->reserve = run->reserve;
            grown->rows = run->rows + 1;
            runs_[id] = grown;
            reader_->add(id, grown);
            step.rows = grown->rows;
        }
        step.pages_used = used();
        step.pages_total = world_->shape.pages;
        step.end_of_text = step.rows - run->prompt - 1 == world_->end_of_text_after;
        step.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return step;
    }
    void set_sampling(engine::RunId, const engine::Sampling&) override { own_thread(); }
    void close_run(engine::RunId id) override {
        own_thread();
        world_->enter("close_run");
        runs_.erase(id);
        reader_->remove(id);
    }
    std::shared_ptr<const engine::TraceReader> reader() const override { return reader_; }

  private:
    void own_thread() const {
        if (std::this_thread::get_id() != thread_) ++world_->thread_violations;
    }
    // Busy for the layer's time: an engine looks at its token between layers, not inside one.
    void pause_layer(const std::stop_token& stop) const {
        if (stop.stop_requested()) ++world_->layers_after_stop;
        std::this_thread::sleep_for(std::chrono::duration<double>(world_->layer_delay.load()));
    }
    std::int64_t pages_of(std::int64_t tokens) const {
        return (tokens + world_->shape.page_tokens - 1) / world_->shape.page_tokens;
    }
    std::int64_t used() const {
        std::int64_t pages = 0;
        for (const auto& [id, run] : runs_)
            pages += pages_of(std::max(run->prompt + run->reserve, run->rows.load()));
        return pages;
    }

    std::shared_ptr<World> world_;
    std::shared_ptr<Reader> reader_;
    std::thread::id thread_;
    engine::ModelInfo info_;
    std::map<engine::RunId, std::shared_ptr<Run>> runs_;
    std::uint64_t last_run_ = 0;
};

// What the worker's factory is in a test. Loads in ten slices of open_delay.
inline std::unique_ptr<engine::Engine> open(const std::shared_ptr<World>& world,
                                            const engine::OpenRequest& request,
                                            const engine::OnProgress& on_progress,
                                            std::stop_token stop) {
    world->enter("open");
    for (int i = 0; i < 10; ++i) {
        pause(world->open_delay / 10, stop);
        if (stop.stop_requested()) throw engine::Cancelled();
        if (on_progress) on_progress({(i + 1) * 100, 1000, 0, 0});
    }
    return std::make_unique<Engine>(world, request.path);
}

}  // namespace fake
