// SPDX-License-Identifier: GPL-3.0-or-later
// The Engine on a CUDA device: runs of one model, read and extended on the engine thread.
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "engine/cuda/block_decoder.h"
#include "engine/cuda/decode_steps.h"
#include "engine/cuda/device_model.h"
#include "engine/cuda/device_run.h"
#include "engine/cuda/prefill.h"
#include "engine/cuda/step_pace.h"
#include "engine/run/runner_base.h"

namespace engine::cuda {

class CudaRunner final : public RunnerBase {
  public:
    // On the current device, whose memory the pool's pages lie in.
    CudaRunner(ModelInfo, std::shared_ptr<const DeviceModel>,
               std::shared_ptr<const tokenizer::Tokenizer>, std::shared_ptr<PagePool>,
               std::shared_ptr<const TraceLayout>);
    ~CudaRunner() override;

    RunId open_run(const RunRequest&) override;
    RunId fork_run(RunId parent, Position at, TokenId token) override;
    Progress prefill_chunk(RunId, std::stop_token,
                           const std::function<void(const Progress&)>& on_layer) override;
    Step decode_step(RunId, std::stop_token) override;
    void set_sampling(RunId, const Sampling&) override;
    void close_run(RunId) override;
    std::shared_ptr<const TraceReader> reader() const override { return reader_; }
    DeviceRates measure_device() override;

  private:
    struct OpenRun {
        std::shared_ptr<DeviceRun> run;
        Sampler sampler;  // as the newest row left it
        tokenizer::StreamDecoder text;
    };
    std::int64_t memory_left() const override { return pool_->capacity() * pool_->page_bytes(); }
    // What computes a run's rows: the chain, which is Prefill and DecodeSteps, or the blocks.
    bool by_blocks(const DeviceRun& run) const {
        return !model_->by_blocks.empty() || !run.edits().empty();
    }
    Step step_by_blocks(OpenRun&, std::stop_token, std::chrono::steady_clock::time_point started);
    void to_host(float* logits);  // from logits_; waits
    void settle();                // no step of the chain is in flight, and no run is staged
    OpenRun& run(RunId);
    RunId add(std::shared_ptr<DeviceRun>, const Sampling&);
    void use_device() const;  // the engine thread may change between calls
    void launch_ahead(const DeviceRun&);

    std::shared_ptr<const DeviceModel> model_;
    std::shared_ptr<DeviceRunTable> table_;
    Stream stream_;
    std::optional<Prefill> prefill_;  // with steps_, of the models that the chain knows
    std::optional<DecodeSteps> steps_;
    BlockDecoder blocks_;
    DeviceBuffer logits_;  // [vocab], of a prompt's last row
    std::shared_ptr<StepPace> pace_;
    std::shared_ptr<const TraceReader> reader_;
    std::map<RunId, OpenRun> runs_;
};

}  // namespace engine::cuda
