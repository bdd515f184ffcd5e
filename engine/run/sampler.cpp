// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/values/failure.h"

namespace engine {
namespace {

// ln Σ exp(logit), fp64.
double log_normalizer(std::span<const float> logits) {
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const float logit : logits) sum += std::exp(logit - largest);
    return largest + std::log(sum);
}

}  // namespace

std::vector<Choice> most_probable(std::span<const float> logits, int k) {
    std::vector<std::int32_t> order(logits.size());
    std::iota(order.begin(), order.end(), 0);
    const auto count =
        std::min<std::size_t>(static_cast<std::size_t>(std::max(k, 0)), logits.size());
    const auto before = [&](std::int32_t a, std::int32_t b) {
        const float left = logits[static_cast<std::size_t>(a)],
                    right = logits[static_cast<std::size_t>(b)];
        return left != right ? left > right : a < b;
    };
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end(), before);
    const double normalizer = log_normalizer(logits);
    std::vector<Choice> choices;
    for (std::size_t i = 0; i < count; ++i)
        choices.push_back(
            {order[i], std::exp(logits[static_cast<std::size_t>(order[i])] - normalizer)});
    return choices;
}

double probability_of(std::span<const float> logits, std::int32_t token) {
    return std::exp(logits[static_cast<std::size_t>(token)] - log_normalizer(logits));
}

Sampler::Sampler(const Sampling& sampling) : sampling_(sampling), random_(sampling.seed) {
    check(sampling);
}

std::int32_t Sampler::sample(std::span<const float> logits) {
    if (sampling_.temperature == 0)
        return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) -
                                         logits.begin());
    std::vector<float> scaled(logits.begin(), logits.end());
    for (float& logit : scaled) logit = static_cast<float>(logit / sampling_.temperature);
    const int kept = sampling_.top_k > 0 ? sampling_.top_k : static_cast<int>(scaled.size());
    std::vector<Choice> choices = most_probable(scaled, kept);
    double total = 0;
    for (const Choice& choice : choices) total += choice.probability;
    if (sampling_.top_p < 1) {
        // The smallest set of most probable tokens whose mass (of what top-k left) reaches top_p;
        // never empty.
        double mass = 0;
        std::size_t count = 0;
        while (count < choices.size() && (count == 0 || mass < sampling_.top_p * total))
            mass += choices[count++].probability;
        choices.resize(count);
        total = mass;
    }
    double left = uniform() * total;
    for (const Choice& choice : choices) {
        left -= choice.probability;
        if (left < 0) return choice.token;
    }
    return choices.back().token;
}

double Sampler::uniform() {
    // 53 random bits: std::uniform_real_distribution's result is not the same everywhere.
    return static_cast<double>(random_() >> 11) * 0x1p-53;
}

void check(const Sampling& sampling) {
    const auto refuse = [](const std::string& what) {
        throw Error(Failure::Kind::BadRequest, what, "sampling");
    };
    if (!(sampling.temperature >= 0) || !std::isfinite(sampling.temperature))
        refuse("temperature " + std::to_string(sampling.temperature) +
               " is not a number from 0 up");
    if (sampling.top_k < 0)
        refuse("top-k " + std::to_string(sampling.top_k) + " is below 0 (0: all)");
    if (!(sampling.top_p > 0 && sampling.top_p <= 1))
        refuse("top-p " + std::to_string(sampling.top_p) + " is not in (0, 1]");
}

}  // namespace engine
