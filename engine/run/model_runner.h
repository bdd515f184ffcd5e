// SPDX-License-Identifier: GPL-3.0-or-later
// The Engine on this machine: runs of one model, read and extended on the engine thread.
#pragma once
#include <map>
#include <memory>

#include "engine/cache/run_table.h"
#include "engine/formats/files_in_use.h"
#include "engine/model/decoder.h"
#include "engine/run/memory.h"
#include "engine/run/runner_base.h"

namespace engine {

class ModelRunner final : public RunnerBase {
  public:
    ModelRunner(ModelInfo, std::shared_ptr<const Model>,
                std::shared_ptr<const tokenizer::Tokenizer>, std::shared_ptr<PagePool>,
                std::shared_ptr<const TraceLayout>, formats::FilesInUse, kernels::Parallel);

    RunId open_run(const RunRequest&) override;
    RunId fork_run(RunId parent, Position at, TokenId token) override;
    Progress prefill_chunk(RunId, std::stop_token,
                           const std::function<void(const Progress&)>& on_layer) override;
    Step decode_step(RunId, std::stop_token) override;
    void set_sampling(RunId, const Sampling&) override;
    void close_run(RunId) override;
    std::shared_ptr<const TraceReader> reader() const override { return reader_; }

  private:
    struct OpenRun {
        std::shared_ptr<RunTrace> trace;
        Sampler sampler;
        tokenizer::StreamDecoder text;  // has been given every token of the trace
    };
    // Pages take memory only as they are written.
    std::int64_t memory_left() const override { return memory_available(); }
    OpenRun& run(RunId);
    RunId add(std::shared_ptr<RunTrace>, const Sampling&);
    std::shared_ptr<RunTrace> new_trace();

    std::shared_ptr<const Model> model_;
    std::shared_ptr<RunTable> table_;
    formats::FilesInUse files_;  // asked after each computation, before a row is published
    Decoder decoder_;
    std::shared_ptr<const TraceReader> reader_;
    std::map<RunId, OpenRun> runs_;
};

}  // namespace engine
