// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verbs/info_folder.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/command_line/cli_text.h"

namespace app {
namespace {

namespace fs = std::filesystem;

constexpr int kLevels = 4;  // "models/publisher/repository/file.gguf"

struct Listed {
    engine::FoundModel found;
    std::string family, format;
};

// What its headers say; a reason where there is one against it.
Listed inspected(Cli& cli, engine::FoundModel found) {
    Listed listed{std::move(found), {}, {}};
    listed.format = listed.found.format;
    if (!listed.found.reason.empty()) return listed;
    try {
        const engine::ModelInfo info = cli.inspectModel(listed.found.path);
        listed.family = info.family;
        if (!info.format.empty()) listed.format = info.format;
        listed.found.reason = info.reason;
    } catch (const engine::Error& refusal) {
        listed.found.reason = refusal.what();
    }
    return listed;
}

void printJson(std::ostream& out, const std::string& folder, const std::vector<Listed>& models) {
    nlohmann::ordered_json json;
    json["path"] = folder;
    json["models"] = nlohmann::json::array();
    for (const Listed& model : models)
        json["models"].push_back({{"name", model.found.name},
                                  {"path", model.found.path},
                                  {"family", model.family},
                                  {"format", model.format},
                                  {"weight_bytes", model.found.bytes},
                                  {"supported", model.found.reason.empty()},
                                  {"reason", model.found.reason}});
    out << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

void printText(std::ostream& out, const std::vector<Listed>& models) {
    std::vector<std::vector<std::string>> rows;
    rows.reserve(models.size());
    for (const Listed& model : models)
        rows.push_back({oneLine(model.found.name), humanBytes(model.found.bytes),
                        oneLine(model.format),
                        model.found.reason.empty() ? model.family + ", supported"
                                                   : "no: " + oneLine(model.found.reason)});
    std::vector<std::size_t> widths(4, 0);
    for (const auto& row : rows)
        for (std::size_t i = 0; i < 3; ++i) widths[i] = std::max(widths[i], row[i].size() + 2);
    for (auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            row[i].resize(std::max(widths[i], row[i].size()), ' ');
            line += row[i];
        }
        out << line << "\n";
    }
}

}  // namespace

bool holdsModels(const std::string& path) {
    std::error_code error;
    const auto has = [&](const char* name) { return fs::exists(fs::path(path) / name, error); };
    return fs::is_directory(path, error) && !has("config.json") && !has("snapshots") &&
           !has("model.safetensors") && !has("model.safetensors.index.json");
}

void listModels(Cli& cli, const std::string& folder, bool json) {
    std::string leftOut;
    const std::vector<engine::FoundModel> found = cli.findModels(folder, kLevels, &leftOut);
    if (found.empty())
        throw engine::Error(engine::Failure::Kind::BadFile,
                            "there is no model in the folder, " + std::to_string(kLevels) +
                                " folders deep" +
                                (leftOut.empty() ? "" : " (not looked at: " + leftOut + ")"),
                            folder,
                            "a model is a folder with config.json and *.safetensors, or a "
                            "GGUF file");
    if (!leftOut.empty())
        cli.err << "headscope info: not looked at: " << oneLine(leftOut) << std::endl;
    std::vector<Listed> models;
    for (const engine::FoundModel& model : found) {
        cli.throwIfStopped();
        models.push_back(inspected(cli, model));
    }
    cli.throwIfStopped();
    if (json)
        printJson(cli.out, folder, models);
    else
        printText(cli.out, models);
}

}  // namespace app
