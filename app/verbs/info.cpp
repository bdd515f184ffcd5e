// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/command_line/cli_text.h"
#include "app/verbs/info_folder.h"
#include "app/verbs/verbs.h"

namespace app {
namespace {

std::int64_t tokensThatFit(const engine::ModelInfo& info) {
    return std::min(info.context, info.pages * info.page_tokens);
}

const char* chatTemplate(const engine::ModelInfo& info) {
    return info.has_chat_template      ? "understood"
           : info.has_unknown_template ? "not understood"
                                       : "none";
}

void printJson(std::ostream& out, const engine::ModelInfo& info,
               const std::vector<std::string>& extra) {
    nlohmann::ordered_json json;
    json["name"] = info.name;
    json["path"] = info.path;
    json["family"] = info.family;
    json["format"] = info.format;
    json["layers"] = info.layers;
    json["query_heads"] = info.query_heads;
    json["kv_heads"] = info.kv_heads;
    json["head_dim"] = info.head_dim;
    json["d_model"] = info.d_model;
    json["d_ff"] = info.d_ff;
    json["vocab"] = info.vocab;
    json["context"] = info.context;
    json["dtype"] = engine::name_of(info.dtype);
    json["device"] = info.device;
    json["block_by_block"] = info.block_by_block;
    json["weight_bytes"] = info.weight_bytes;
    json["bytes_per_token"] = info.bytes_per_token;
    json["page_tokens"] = info.page_tokens;
    json["memory_free"] = info.memory_free;
    json["memory_total"] = info.memory_total;
    json["tokens_that_fit"] = tokensThatFit(info);
    json["attention"] = nlohmann::json::array();
    for (const engine::AttentionRule& rule : info.attention)
        json["attention"].push_back(rule.describe());
    json["chat_template"] = chatTemplate(info);
    json["warnings"] = info.warnings;
    json["extra_tensors"] = extra;
    json["hash"] = info.hash;
    json["supported"] = info.supported;
    json["reason"] = info.reason;
    out << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

// Neighbouring layers of one rule share a line: "L0 to L29: full".
void printAttention(std::ostream& out, const engine::ModelInfo& info) {
    for (std::size_t first = 0; first < info.attention.size();) {
        const std::string rule = info.attention[first].describe();
        std::size_t next = first + 1;
        while (next < info.attention.size() && info.attention[next].describe() == rule) ++next;
        out << (first == 0 ? "attention       " : "                ") << "L" << first;
        if (next > first + 1) out << " to L" << next - 1;
        out << ": " << rule << "\n";
        first = next;
    }
}

// "3: a, b, c"; a checkpoint of several models may hold hundreds.
std::string counted(const std::vector<std::string>& names) {
    constexpr std::size_t most = 8;
    std::string text = thousands(static_cast<std::int64_t>(names.size())) + ": ";
    for (std::size_t i = 0; i < names.size() && i < most; ++i)
        text += (i > 0 ? ", " : "") + names[i];
    return names.size() > most ? text + ", …" : text;
}

void printText(std::ostream& out, const engine::ModelInfo& info,
               const std::vector<std::string>& extra) {
    const auto line = [&](const char* name, const std::string& value) {
        std::string left = name;
        left.resize(16, ' ');
        out << left << oneLine(value) << "\n";
    };
    line("name", info.name);
    line("family", info.family.empty() ? "not told" : info.family);
    if (!info.supported) {  // more than these few is not known of it
        line("weights", humanBytes(info.weight_bytes));
        line("hash", info.hash);
        line("supported", "no: " + info.reason);
        return;
    }
    line("format", info.format);
    line("layers", std::to_string(info.layers));
    line("heads", std::to_string(info.query_heads) + " query, " + std::to_string(info.kv_heads) +
                      " KV, of " + std::to_string(info.head_dim));
    line("d_model", std::to_string(info.d_model) + ", MLP " + std::to_string(info.d_ff));
    line("vocabulary", thousands(info.vocab));
    line("context", thousands(info.context) + " tokens");
    printAttention(out, info);
    line("computes in",
         std::string(engine::name_of(info.dtype)) + " on " + info.device +
             (info.block_by_block.empty()
                  ? std::string()
                  : ", block by block (not by the fused kernels: " + info.block_by_block + ")"));
    line("weights", humanBytes(info.weight_bytes));
    line("a token",
         humanBytes(info.bytes_per_token) + " of trace (k, v, q, z and lse of every layer)");
    line("memory", humanBytes(info.memory_free) + " free of " + humanBytes(info.memory_total));
    line("fits", thousands(tokensThatFit(info)) + " tokens, all captured");
    line("chat template", chatTemplate(info));
    for (const std::string& warning : info.warnings) line("warning", warning);
    if (!extra.empty()) line("not used", counted(extra));
    line("hash", info.hash);
    line("supported", "yes");
}

void runInfo(Cli& cli, const Arguments& arguments) {
    const Stopwatch watch;
    const std::string& path = arguments.positionals()[0];
    if (cli.findModels && holdsModels(path)) return listModels(cli, path, arguments.has("--json"));
    const engine::ModelInfo info = cli.inspectModel(path);
    cli.log("read the headers in " + seconds(watch.seconds()));
    std::vector<std::string> extra;
    if (info.supported && cli.extraTensors) extra = cli.extraTensors(path);
    cli.throwIfStopped();
    if (arguments.has("--json"))
        printJson(cli.out, info, extra);
    else
        printText(cli.out, info, extra);
}

}  // namespace

Verb infoVerb() {
    return {
        "info",
        "What a model is, how its layers attend, and what fits in memory",
        "MODEL [--json]",
        {{"--json", "", "one JSON object"}},
        "Only headers are read. A model that is not supported is described too, with the reason.\n"
        "Of a folder without config.json, a Hugging Face cache too, the models in it are listed.\n",
        runInfo};
}

}  // namespace app
