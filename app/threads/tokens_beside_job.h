// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/threads/reader_jobs.h"
#include "ui/models/tokens_beside.h"

namespace app {

struct TokensBesideRequest {
    engine::RequestId id{};
    engine::RunId run{}, other{};
    engine::Position position{}, otherPosition{};
    int count = 0;  // of each run's most probable
};

// A token that is not among a run's own most probable has its logit and its p from the whole row of
// logits. Reader thread.
class TokensBesideJob {
  public:
    using Request = TokensBesideRequest;
    using Answer = ui::TokensBeside;
    explicit TokensBesideJob(Request request) : m_request(request) {}
    bool slice(const engine::TraceReader&, std::stop_token, SliceBudget&,
               const Send<Answer>&) const;

  private:
    Request m_request;
};

}  // namespace app
