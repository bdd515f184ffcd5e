// SPDX-License-Identifier: GPL-3.0-or-later
// The boundary: torch-free and Qt-free. Writing a run and reading its trace have different owners,
// hence two interfaces.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "engine/trace_reader.h"
#include "engine/values/dtype.h"
#include "engine/values/failure.h"
#include "engine/values/model_info.h"
#include "engine/values/run.h"

namespace engine {

struct OpenRequest {
    std::string path;  // a folder with config.json and safetensors, or a GGUF file
    // "cpu", "cuda", "cuda:N", or "auto": the first GPU where there is one that can be used. Where
    // CUDA cannot be, the CPU is, and ModelInfo::device_note says why.
    std::string device = "cpu";
    std::string shape;  // instead of a path: random weights of this shape, for measuring; CUDA only
    std::optional<DType> dtype;  // default: the checkpoint's on a GPU, fp32 on a CPU
    int threads = 0;             // CPU compute threads, 0: all cores
    std::int64_t page_tokens = 64;
    std::int64_t memory_limit =
        0;  // bytes for the page pool, 0: three quarters of what is free, at most the context
    bool capture =
        true;  // false: q, z and lse are not kept (only `bench` asks that, for the capture tax)
};

struct DeviceRates {
    double read_bytes_per_second = 0;
    double flops_per_second = 0;  // of matrix products in the compute dtype
};

// Everything here is called by one thread, the engine thread; each call blocks it for at most a
// chunk or a step. Throws engine::Error, or Cancelled where a stop_token is given. After either the
// engine is as before the call, but for a run whose prefill was cancelled, which keeps its
// published rows and may be continued or closed.
class Engine {
  public:
    virtual ~Engine() = default;

    virtual const ModelInfo& info() const = 0;
    virtual Encoding tokenize(std::string_view text, const TokenizeOptions&) const = 0;
    // The tokens of given ids, for --token-ids and session files. Throws BadRequest for an id the
    // vocabulary lacks.
    virtual Encoding describe(std::span<const TokenId> ids) const = 0;

    // Checks length against context and memory before anything is allocated. Several runs may be
    // open.
    virtual RunId open_run(const RunRequest&) = 0;
    // A run that shares every row before `at` with `parent`, whose token at `at` is replaced by
    // `token` (at == rows + 0 of the parent appends). Nothing is copied but one partial page. The
    // fork needs a decode_step or prefill to go on.
    virtual RunId fork_run(RunId parent, Position at, TokenId token) = 0;
    // Reads as many prompt tokens as suit the device; called again until Progress::finished().
    // on_layer is called between layers with the rows done so far; stop is seen there too.
    virtual Progress prefill_chunk(RunId, std::stop_token,
                                   const std::function<void(const Progress&)>& on_layer = {}) = 0;
    // Samples from the newest row's logits and computes the sampled token's own row. The prompt
    // must be read.
    virtual Step decode_step(RunId, std::stop_token) = 0;
    virtual void set_sampling(RunId, const Sampling&) = 0;  // takes effect with the next step
    virtual void close_run(RunId) = 0;

    virtual std::shared_ptr<const TraceReader> reader() const = 0;

    // What the device reaches at best, measured on the spot (a second of work); zeros on a CPU,
    // which its caller can measure itself.
    virtual DeviceRates measure_device() { return {}; }
};

using OnProgress = std::function<void(const Progress&)>;

// Maps and checks the model, builds the tokenizer, sizes the page pool. Progress in bytes of
// weights.
std::unique_ptr<Engine> open_engine(const OpenRequest&, const OnProgress&, std::stop_token);

// Reads headers only: what the picker and `info` need, supported or not. Throws Error only when
// there is nothing to say (no such file, not a model at all). device as in OpenRequest.
ModelInfo inspect_model(const std::string& path, const std::string& device = "cpu");

}  // namespace engine
