// SPDX-License-Identifier: GPL-3.0-or-later
// What a typed prompt would be read as: how many tokens, and which of its pieces are control
// strings of the model.
#pragma once
#include <QString>
#include <QStringList>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/values/run.h"

namespace ui {

struct PromptMark {
    qsizetype start = 0, length = 0;  // UTF-16 units of the text
};

struct PromptPreview {
    QString text;
    engine::TokenizeOptions options;
    std::int64_t tokens = 0;
    // Read as control tokens with parse_special; without it they stay ordinary text.
    std::vector<PromptMark> controls;
    QString need;            // "4.72 MB of 5.30 GB": of what is kept for runs; empty: not known
    bool needsMuch = false;  // a good part of that
    // Why it cannot be read or run; else empty. Then the same in a few words, and what to do.
    QString problem, shortProblem, remedy;

    bool isOf(const QString& typed) const { return tokens + problem.size() > 0 && text == typed; }
    // Of the pieces that `typed` still has where they were.
    std::vector<PromptMark> marksIn(const QString& typed) const;
    QString caption() const;  // "14 tokens, 2 control", "23 tokens, 2 control strings as text"
    // With what it needs, then ever shorter, down to the number of tokens.
    QStringList captions() const;
    // Sentences: what it needs or what to do, and which pieces are marked; empty where there are
    // none.
    QString note() const;
};

// Of ranges of bytes of a UTF-8 text, in order.
std::vector<PromptMark> textMarks(const std::string& utf8,
                                  const std::vector<std::pair<std::int64_t, std::int64_t>>& bytes);

}  // namespace ui
