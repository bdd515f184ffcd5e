// SPDX-License-Identifier: GPL-3.0-or-later
// The prompts that were run on a model, with their options, kept over restarts. Bounded: a settings
// file is read whole at every start.
#pragma once
#include <QString>
#include <vector>

#include "engine/values/run.h"

class QSettings;

namespace app {

struct EarlierPrompt {
    QString text;
    engine::TokenizeOptions options;
    engine::Sampling sampling;
    int generate = 0;
};

class PromptHistory {
  public:
    static constexpr int most = 40;                  // a model
    static constexpr int mostModels = 20;            // the least recently used go
    static constexpr qsizetype longest = 20'000;     // characters; longer ones are not kept
    static constexpr qsizetype mostOfAll = 100'000;  // characters a model

    explicit PromptHistory(QSettings& settings) : m_settings(settings) {}

    void setModel(const QString& path);  // whose prompts these are; whatever the file holds
    const std::vector<EarlierPrompt>& prompts() const { return m_prompts; }  // the newest first
    void add(const EarlierPrompt&);  // to the front; one of the same text and options goes
    void clear();                    // of this model

    // Up and Down in the prompt: the prompt `step` older (or, negative, newer) than the one shown
    // last. `typed` is what stands in the field before the first step, and comes back after the
    // newest. None: there is no further one.
    const EarlierPrompt* walk(int step, const EarlierPrompt& typed);
    void endWalk() { m_at = -1; }  // something was typed or run

  private:
    void store();

    QSettings& m_settings;
    QString m_key;  // empty: no model
    std::vector<EarlierPrompt> m_prompts;
    EarlierPrompt m_typed;
    int m_at = -1;  // −1: what was typed
};

}  // namespace app
