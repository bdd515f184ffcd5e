// SPDX-License-Identifier: GPL-3.0-or-later
// Small values for the frame's tests, and a widget shown.
#pragma once
#include <QTest>
#include <QWidget>
#include <string>
#include <vector>

#include "engine/values/contribution.h"
#include "engine/values/model_info.h"
#include "engine/values/run.h"

namespace frame {

inline void show(QWidget& widget, QSize size) {
    widget.resize(size);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
}

// Token texts that must be shown as they are (Qt reads the first ones as markup when asked to
// guess).
inline const std::vector<std::string> literal = {
    "<b>", "<s>",  "<br>", "<img src=x>", "x &lt; y", "<think>",     "</s>",
    "\n",  "\r\n", "&",    "&&",          "%1",       "<|im_start|>"};

inline std::vector<engine::Token> tokens(const std::vector<std::string>& texts) {
    std::vector<engine::Token> out;
    for (const std::string& text : texts)
        out.push_back({engine::TokenId{static_cast<int>(out.size()) + 100}, text, 0, 0, false});
    return out;
}

inline std::vector<engine::Token> manyTokens(int count) {
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i) texts.push_back(" w" + std::to_string(i * 7919 % 1000));
    return tokens(texts);
}

inline std::vector<engine::Candidate> candidates(const std::vector<std::string>& texts) {
    std::vector<engine::Candidate> out;
    double p = 0.5;
    for (const std::string& text : texts) {
        const int i = static_cast<int>(out.size());
        out.push_back({engine::TokenId{i + 1}, text, p, 10.0F - static_cast<float>(i)});
        p /= 2;
    }
    return out;
}

inline engine::Step step(int position, const std::string& text) {
    engine::Step out;
    out.token = {engine::TokenId{position}, text, 0, 0, false};
    out.position = engine::Position{position};
    out.probability = 0.5;
    out.alternatives = candidates({text, " other"});
    return out;
}

inline engine::ModelInfo model(const std::string& path, std::int64_t weights,
                               bool supported = true) {
    engine::ModelInfo info;
    info.path = path;
    info.name = path;
    info.format = "GGUF Q4_1";
    info.family = "llama";
    info.layers = 4;
    info.query_heads = 6;
    info.kv_heads = 2;
    info.weight_bytes = weights;
    info.memory_free = 10'000'000'000;
    info.supported = supported;
    info.reason = supported ? "" : "linear attention";
    info.has_chat_template = true;
    return info;
}

// Head (l, h) writes 0.1 · l + h; attention is the heads' sum, every MLP 0.5, the embedding 1.
inline engine::ContributionTable contributions(int layers, int heads) {
    engine::ContributionTable table;
    table.layers = layers;
    table.query_heads = heads;
    table.embedding_attribution = 1;
    table.embedding_norm = 2;
    double sum = 1;
    for (int l = 0; l < layers; ++l) {
        float attention = 0;
        for (int h = 0; h < heads; ++h) {
            const float value = 0.1F * static_cast<float>(l) + static_cast<float>(h);
            table.head_attribution.push_back(value);
            table.head_norm.push_back(value + 1);
            attention += value;
        }
        table.attention_attribution.push_back(attention);
        table.attention_norm.push_back(attention + 1);
        table.mlp_attribution.push_back(0.5F);
        table.mlp_norm.push_back(3);
        sum += static_cast<double>(attention) + 0.5;
    }
    table.logit = static_cast<float>(sum);
    return table;
}

}  // namespace frame
