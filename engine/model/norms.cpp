// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/norms.h"

#include <cmath>

#include "kernels/elementwise.h"

namespace engine {

void apply_norm(const ModelConfig& config, const std::vector<float>& weight,
                const std::vector<float>& bias, const float* x, float* y, std::int64_t rows,
                const kernels::Parallel& parallel) {
    if (config.norm == NormKind::Layer)
        kernels::cpu::layer_norm(x, weight.data(), bias.data(), config.norm_eps, y, rows,
                                 config.d_model, parallel);
    else
        kernels::cpu::rms_norm(x, weight.data(), config.norm_eps, y, rows, config.d_model,
                               parallel);
}

float frozen_scale(const ModelConfig& config, const float* row) {
    const std::int64_t d_model = config.d_model;
    double mean = 0, squares = 0;
    if (config.norm == NormKind::Layer) {
        for (std::int64_t i = 0; i < d_model; ++i) mean += row[i];
        mean /= static_cast<double>(d_model);
    }
    for (std::int64_t i = 0; i < d_model; ++i) squares += (row[i] - mean) * (row[i] - mean);
    return static_cast<float>(1.0 /
                              std::sqrt(squares / static_cast<double>(d_model) + config.norm_eps));
}

void norm_whole_projections(const ModelConfig& config, const DecoderLayer& layer, float* qkv,
                            std::int64_t rows, const kernels::Parallel& parallel) {
    if (layer.q_whole_norm.empty()) return;
    const std::int64_t q = config.q_columns(), k = config.kv_columns();
    const kernels::Parallel serial;
    parallel.for_each(rows, [&](std::int64_t row) {
        float* at = qkv + row * (q + 2 * k);
        kernels::cpu::rms_norm(at, layer.q_whole_norm.data(), config.norm_eps, at, 1, q, serial);
        kernels::cpu::rms_norm(at + q, layer.k_whole_norm.data(), config.norm_eps, at + q, 1, k,
                               serial);
    });
}

}  // namespace engine
