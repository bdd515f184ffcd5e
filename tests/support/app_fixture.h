// SPDX-License-Identifier: GPL-3.0-or-later
// Asynchronous tests that read as prose: a fake source of engines, and waiting for what a signal
// says.
#pragma once
#include <QElapsedTimer>
#include <QTest>
#include <memory>
#include <string>
#include <vector>

#include "app/threads/engine_events.h"
#include "tests/support/fake_engine.h"

namespace fake {

inline app::EngineSource source(const std::shared_ptr<World>& world) {
    return {[world](const engine::OpenRequest& request, const engine::OnProgress& progress,
                    std::stop_token stop) { return open(world, request, progress, stop); },
            [](const std::string& path) {
                engine::ModelInfo info;
                info.path = path;
                info.name = path;
                return info;
            }};
}

// A prompt of that many tokens.
inline std::string words(int count) {
    std::string text = "When";
    for (int i = 1; i < count; ++i) text += " w" + std::to_string(i);
    return text;
}

// Runs the event loop until it is true; false after `ms`.
template <typename Condition>
bool eventually(Condition&& condition, int ms = 5000) {
    QElapsedTimer clock;
    clock.start();
    while (!condition()) {
        if (clock.elapsed() > ms) return false;
        QTest::qWait(1);
    }
    return true;
}

}  // namespace fake
