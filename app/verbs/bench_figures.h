// SPDX-License-Identifier: GPL-3.0-or-later
// One measured figure, and the collection that `bench` prints.
#pragma once
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/cli.h"
#include "app/verbs/bench_limits.h"
#include "engine/values/model_info.h"

namespace app {

struct Figure {
    std::string name;
    double value = 0;  // median of the runs
    std::string unit;
    std::optional<double> limit;  // the physical bound in the same unit
    std::int64_t context = 0;     // tokens
    int runs = 1;
};

double median(std::vector<double> values);

// Seconds of each of `runs` calls, after one that is not counted when `warm`.
std::vector<double> timed(int runs, bool warm, const std::function<void()>& work);

// What a launch is asked to show.
inline constexpr const char* launchPrompt =
    "When Mary and John went to the store, John gave a drink to";

struct BenchSubject {
    Cli& cli;
    std::string model;
    engine::ModelInfo info;  // of the open engine
    MachineLimits limits;
    std::vector<Figure>& figures;
    std::int64_t launchTokens = 0;  // of launchPrompt
    std::string device = "auto";    // these as they were asked for
    std::optional<engine::DType> dtype;
    int threads = 0;
    // Prefill at each; all the rest from the second on, cancelling and no capture at the second.
    std::vector<std::int64_t> contexts{128, 512, 2048};

    void add(Figure figure) const;  // logs it too
};

// Each adds its figures; contexts that the model or the memory does not have are left out, and the
// log says so.
void benchEngine(const BenchSubject&,
                 engine::Engine&);  // prefill, decode, views, bars, cancel, peak memory
// What was resident for other purposes does not count from here on.
void forgetPeakMemory();
void benchWithoutCapture(const BenchSubject&, engine::Engine&);  // an engine that keeps no trace
struct WindowTimes {
    bool generating = true;    // frame_p99_ms: while tokens stream
    double browseSeconds = 5;  // browse_…: frames and memory while a user looks around
};
// The real window, offscreen. Returns the model that it opened.
std::optional<engine::ModelInfo> benchWindow(const BenchSubject&, WindowTimes = {});
void benchLaunch(const BenchSubject&);  // whole processes: first_heatmap_s

void printJson(std::ostream&, const std::vector<Figure>&, const engine::ModelInfo&);
void printText(std::ostream&, const std::vector<Figure>&, const engine::ModelInfo&,
               const MachineLimits&);

}  // namespace app
