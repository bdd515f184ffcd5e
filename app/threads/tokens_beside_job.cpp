// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/threads/tokens_beside_job.h"

#include <algorithm>
#include <cmath>

namespace app {

using engine::Candidate;

namespace {

const Candidate* findCandidate(const std::vector<Candidate>& all, engine::TokenId token) {
    const auto at = std::find_if(all.begin(), all.end(),
                                 [token](const Candidate& each) { return each.token == token; });
    return at == all.end() ? nullptr : &*at;
}

// Each of `wanted` as a run has it.
std::vector<Candidate> candidatesOf(const engine::TraceReader& reader, engine::RunId run,
                                    engine::Position position, const std::vector<Candidate>& top,
                                    std::vector<Candidate> wanted) {
    const std::int64_t row = engine::to_int(position);
    const engine::NamedTensor read = reader.read(run, {"logits", {}, {}}, {row, row + 1});
    const auto logits = read.data.as<float>();
    double most = -INFINITY, sum = 0;
    for (const float logit : logits) most = std::max(most, static_cast<double>(logit));
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - most);
    for (Candidate& each : wanted) {
        if (const Candidate* known = findCandidate(top, each.token)) {
            each = *known;
            continue;
        }
        each.logit = logits[static_cast<std::size_t>(engine::to_int(each.token))];
        each.probability = std::exp(static_cast<double>(each.logit) - most) / sum;
    }
    return wanted;
}

}  // namespace

bool TokensBesideJob::slice(const engine::TraceReader& reader, std::stop_token, SliceBudget&,
                            const Send<ui::TokensBeside>& send) const {
    const TokensBesideRequest& r = m_request;
    const std::vector<Candidate> own = reader.logits(r.run, r.position, r.count).candidates,
                                 others =
                                     reader.logits(r.other, r.otherPosition, r.count).candidates;
    std::vector<Candidate> all = own;
    for (const Candidate& each : others)
        if (!findCandidate(own, each.token)) all.push_back(each);
    send({r.id, r.run, r.other, r.position, r.otherPosition,
          candidatesOf(reader, r.run, r.position, own, all),
          candidatesOf(reader, r.other, r.otherPosition, others, all)});
    return true;
}

}  // namespace app
