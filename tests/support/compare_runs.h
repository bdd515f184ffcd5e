// SPDX-License-Identifier: GPL-3.0-or-later
// A run that was computed again beside what it was.
#pragma once
#include <QTest>
#include <cmath>

#include "app/session/session.h"

inline void compareRuns(const app::RunView& is, const app::RunView& was) {
    QCOMPARE(is.name, was.name);
    QCOMPARE(is.parent, was.parent);
    QCOMPARE(is.forkedAt, was.forkedAt);
    QCOMPARE(is.prompt, was.prompt);
    QCOMPARE(is.promptTokens, was.promptTokens);
    QCOMPARE(is.rows, was.rows);
    QVERIFY(is.promptRead);
    QCOMPARE(is.text, was.text);
    QCOMPARE(is.tokens.size(), was.tokens.size());
    for (std::size_t i = 0; i < was.tokens.size(); ++i) {
        QCOMPARE(is.tokens[i].id, was.tokens[i].id);
        QCOMPARE(is.tokens[i].bytes, was.tokens[i].bytes);
        QCOMPARE(is.tokens[i].start, was.tokens[i].start);
    }
    QCOMPARE(is.steps.size(), was.steps.size());
    for (std::size_t i = 0; i < was.steps.size(); ++i) {
        QCOMPARE(is.steps[i].token.id, was.steps[i].token.id);
        QCOMPARE(is.steps[i].position, was.steps[i].position);
        QCOMPARE(is.steps[i].text, was.steps[i].text);
        QCOMPARE(is.steps[i].run, is.id);
        // One row's products are added up in another order than many rows'.
        QVERIFY(std::abs(is.steps[i].probability - was.steps[i].probability) < 1e-3);
        QVERIFY(!is.steps[i].alternatives.empty());
        QCOMPARE(is.steps[i].alternatives[0].token, was.steps[i].alternatives[0].token);
        QCOMPARE(is.steps[i].alternatives[0].bytes, was.steps[i].alternatives[0].bytes);
    }
}
