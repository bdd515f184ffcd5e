// SPDX-License-Identifier: GPL-3.0-or-later
// A fixture's goldens beside the run of a model on the same tokens.
#pragma once
#include <QTest>

#include "tests/support/compare.h"
#include "tests/support/engine_run.h"
#include "tests/support/golden_file.h"

struct Golden {
    golden::File file;
    std::vector<engine::TokenId> tokens, prompt;
    std::int64_t rows;
    explicit Golden(const std::string& folder) : file(folder + "/goldens.safetensors") {
        tokens = token_ids(file.at("token_ids").ints);
        const auto length = static_cast<std::ptrdiff_t>(file.at("prompt_length").ints[0]);
        prompt.assign(tokens.begin(), tokens.begin() + length);
        rows = static_cast<std::int64_t>(tokens.size()) - 1;
    }
    int generated() const { return static_cast<int>(tokens.size() - prompt.size()); }

    static std::string name_of(const std::string& kind, int layer) {
        return layer < 0 ? kind : "layers." + std::to_string(layer) + "." + kind;
    }
    // How far the values are from the golden tensor, relative to its largest number; of a pattern
    // absolute. Masked scores (−inf) must be the same ones, or the distance is infinite.
    double distance(const std::string& kind, int layer, std::vector<float> value) const {
        std::vector<float> reference = file.at(name_of(kind, layer)).values;
        if (value.size() != reference.size()) return std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (!std::isinf(reference[i])) continue;
            if (value[i] != reference[i]) return std::numeric_limits<double>::infinity();
            value[i] = reference[i] = 0;
        }
        return kind == "pattern" ? max_difference(value, reference)
                                 : relative_difference(value, reference);
    }
};
