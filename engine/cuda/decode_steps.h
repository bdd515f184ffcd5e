// SPDX-License-Identifier: GPL-3.0-or-later
// Decode steps as one CUDA graph for all lengths and all runs: sample from the newest row's logits,
// feed the token back, compute its row. What differs from step to step lies in device memory. Two
// steps may be in flight, so that the device goes on while the host reads the last one's results.
// Owned by the engine thread.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "engine/cuda/device_model.h"
#include "engine/cuda/device_run.h"
#include "engine/run/sampler.h"
#include "kernels/cuda/sample.h"

namespace engine::cuda {

// For tests: false enqueues the same kernels one by one.
void use_graphs(bool);

class DecodeSteps {
  public:
    DecodeSteps(std::shared_ptr<const DeviceModel>, const TraceLayout&, std::byte* pool,
                const Stream&);
    ~DecodeSteps();
    DecodeSteps(const DecodeSteps&) = delete;
    DecodeSteps& operator=(const DecodeSteps&) = delete;
    static std::int64_t device_bytes(const ModelConfig&, const TraceLayout&);

    // Makes a run the current one: the next step's token stands at logits.position + 1. None is in
    // flight. The sampler is not changed: it yields the draws of as many steps as until_restage().
    void stage(const DeviceRun&, const RowLogits& logits, Sampler);
    RunId staged() const { return staged_; }  // RunId{} when none is
    std::int64_t next() const { return next_; }
    bool needs_restage() const { return next_ >= draws_end_; }
    // After the current run has taken pages.
    void update_pages(const DeviceRun&);

    void launch();  // the next step of the current run, whose page is there
    std::size_t in_flight() const { return in_flight_.size(); }
    struct Result {
        kernels::cuda::StepRecord record;
        std::shared_ptr<const RowLogits> logits;
    };
    Result wait();  // for the oldest in flight
    // Waits for all in flight and forgets them: no run is then current.
    void settle();

  private:
    static constexpr std::int64_t draws_at_once = 1024, record_slots = 4;
    struct State {              // on the device
        std::int64_t position;  // of the newest row
        std::int64_t told;      // of the token that the host is told of next
        std::uint64_t best;
        float* scale_of;  // the current run's final scales
        kernels::cuda::Draw draw;
        double uniform[draws_at_once];
    };

    // decode_chain.cpp: what a step consists of. parity: of the position that its token takes. What
    // the host is told of the last logits is found out on `beside`, which joins at the end, where
    // the token does not wait for it.
    void enqueue(int parity, cudaStream_t, cudaStream_t beside) const;
    void enqueue_layer(std::size_t index, cudaStream_t) const;
    cudaGraphExec_t captured(int parity);

    std::shared_ptr<const DeviceModel> model_;
    kernels::Element element_;
    const Stream& stream_;
    Stream copies_;                          // of logits to the host, beside the next step
    std::vector<kernels::TraceView> views_;  // [layers], with the staged block table
    std::int64_t table_bytes_ = 0;
    DeviceBuffer state_, table_, tokens_, logits_[2], residual_, qkv_, z_, hidden_;
    DeviceBuffer attend_scratch_, sample_scratch_;
    std::int32_t splits_ = 0;
    PinnedBuffer records_, host_logits_[2];
    Event done_[2], copied_[2];
    mutable Event begun_, told_;         // within a step
    cudaGraphExec_t graphs_[2][2] = {};  // [greedy][parity]
    bool greedy_ = true;                 // the current run
    RunId staged_{};
    std::int64_t next_ = 0, draws_end_ = 0;  // positions
    std::deque<std::int64_t> in_flight_;
};

}  // namespace engine::cuda
