// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verbs/bench_figures.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/command_line/cli_text.h"

namespace app {
namespace {

std::string number(double value) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), value < 1000 ? "%.4g" : "%.0f", value);
    return text.data();
}

}  // namespace

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<double> timed(int runs, bool warm, const std::function<void()>& work) {
    if (warm) work();
    std::vector<double> seconds;
    for (int run = 0; run < runs; ++run) {
        const Stopwatch watch;
        work();
        seconds.push_back(watch.seconds());
    }
    return seconds;
}

void BenchSubject::add(Figure figure) const {
    cli.log(figure.name + " at " + thousands(figure.context) + ": " + number(figure.value) + " " +
            figure.unit + (figure.limit ? " (limit " + number(*figure.limit) + ")" : ""));
    figures.push_back(std::move(figure));
}

void printJson(std::ostream& out, const std::vector<Figure>& figures,
               const engine::ModelInfo& info) {
    out << "[";
    const char* separator = "\n";
    for (const Figure& figure : figures) {
        nlohmann::ordered_json json;
        json["name"] = figure.name;
        json["value"] = figure.value;
        json["unit"] = figure.unit;
        json["limit"] =
            figure.limit ? nlohmann::ordered_json(*figure.limit) : nlohmann::ordered_json();
        json["context"] = figure.context;
        json["device"] = info.device;
        json["dtype"] = engine::name_of(info.dtype);
        json["threads"] = info.threads;
        json["runs"] = figure.runs;
        out << separator << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        separator = ",\n";
    }
    out << "\n]\n";
}

void printText(std::ostream& out, const std::vector<Figure>& figures, const engine::ModelInfo& info,
               const MachineLimits& limits) {
    out << oneLine(info.name) << " on " << oneLine(info.device) << ", "
        << engine::name_of(info.dtype) << ", " << info.threads << " threads";
    if (limits.readBytesPerSecond > 0)
        out << "; reads " << humanBytes(static_cast<std::int64_t>(limits.readBytesPerSecond))
            << "/s";
    if (limits.flopsPerSecond) out << ", " << number(*limits.flopsPerSecond / 1e9) << " GFLOP/s";
    out << "\n";
    for (const Figure& figure : figures) {
        std::array<char, 160> line{};
        std::snprintf(line.data(), line.size(), "%-24s %7s %14s %-6s %s", figure.name.c_str(),
                      thousands(figure.context).c_str(), number(figure.value).c_str(),
                      figure.unit.c_str(),
                      figure.limit ? ("limit " + number(*figure.limit)).c_str() : "");
        out << line.data() << "\n";
    }
}

}  // namespace app
