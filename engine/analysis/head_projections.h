// SPDX-License-Identifier: GPL-3.0-or-later
// What analysis needs of W_O per head: R_h of W_O_h = Q_h R_h (lengths of writes), and p_h = W_O_hᵀ
// u for a direction u of the residual stream (dots with writes). W_O here goes through the weight
// of the norm behind attention where the model has one: times the row's frozen scale of that norm
// it is what the stream gets. Kept once computed; any thread.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/analysis/requests.h"
#include "engine/model/model.h"
#include "engine/values/ids.h"
#include "kernels/parallel.h"

namespace engine {

using Floats = std::shared_ptr<const std::vector<float>>;

class HeadProjections {
  public:
    HeadProjections(std::shared_ptr<const Model>, kernels::Parallel);

    // [Hq, D, D] row-major; rows past d_model are 0 where d_model < D.
    Floats r(int layer) const;
    // γ ⊙ (W_U[token] − W_U[distractor]), [d_model], less its mean where the final norm subtracts
    // one: a write's dot with it, times the frozen scale of the row, is the write's logit
    // attribution.
    Floats direction(const Target&) const;
    // What the final norm's own bias adds to the logit (difference); 0 without.
    double bias_attribution(const Target&) const;
    // W_O_hᵀ · direction, [Hq, D].
    Floats p(int layer, const Target&) const;

  private:
    std::vector<float> output_weight(int layer) const;  // [d_model, Hq · D]
    std::vector<float> unembedding(const Target&) const;

    std::shared_ptr<const Model> model_;
    kernels::Parallel parallel_;
    mutable std::mutex mutex_;
    mutable std::vector<Floats> r_;  // [layers]
    mutable std::map<Target, Floats> direction_;
    mutable std::map<std::pair<Target, int>, Floats> p_;
};

}  // namespace engine
