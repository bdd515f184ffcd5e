// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/facts.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "engine/values/failure.h"

namespace engine::families {

std::int64_t within(std::int64_t value, Limits limits, const std::string& key,
                    const std::string& where) {
    if (value >= limits.low && value <= limits.high) return value;
    throw Error(Failure::Kind::BadFile,
                key + " is " + std::to_string(value) + ", possible are " +
                    std::to_string(limits.low) + " to " + std::to_string(limits.high),
                where);
}

double positive(double value, const std::string& key, const std::string& where) {
    if (std::isfinite(value) && value > 0) return value;
    std::ostringstream text;
    text << key << " is " << value << ", a positive number is needed";
    throw Error(Failure::Kind::BadFile, text.str(), where);
}

void check_heads(const Facts& facts, const std::string& where) {
    if (facts.query_heads % facts.kv_heads != 0)
        throw Error(Failure::Kind::BadFile,
                    std::to_string(facts.query_heads) + " query heads cannot share " +
                        std::to_string(facts.kv_heads) + " KV heads evenly",
                    where);
    if (std::find(facts.has_rope.begin(), facts.has_rope.end(), true) == facts.has_rope.end())
        return;
    const int turning = rotary_dim(facts.rope, facts.head_dim);
    if (turning % 2 != 0 || turning < 2)
        throw Error(Failure::Kind::BadFile,
                    (turning == facts.head_dim ? "head_dim is " + std::to_string(facts.head_dim)
                                               : std::to_string(turning) + " dims of head_dim " +
                                                     std::to_string(facts.head_dim) + " turn") +
                        ", rotary embedding needs an even number",
                    where);
}

void check_experts(const Facts& facts, const std::string& where) {
    const Experts& experts = facts.experts;
    if (experts.count > 0 && (experts.used < 1 || experts.used > experts.count))
        throw Error(Failure::Kind::BadFile,
                    "a token uses " + std::to_string(experts.used) + " of " +
                        std::to_string(experts.count) + " experts",
                    where);
}

int rotary_dim(const RopeFacts& rope, int head_dim) {
    return rope.dims < 0 ? head_dim : rope.dims;
}

}  // namespace engine::families
