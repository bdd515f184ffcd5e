// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/command_line/cli_text.h"
#include "app/files/output_file.h"
#include "app/verbs/dump_plan.h"
#include "app/verbs/edit_options.h"
#include "app/verbs/out_path.h"
#include "app/verbs/run_options.h"
#include "app/verbs/verbs.h"

namespace app {
namespace {

std::map<std::string, std::string> metadataOf(const engine::ModelInfo& info, const FinishedRun& run,
                                              const PromptOptions& options) {
    std::string prompt = options.text.value_or("");
    nlohmann::json texts = nlohmann::json::array();
    for (std::size_t i = 0; i < run.tokens.size(); ++i) {
        texts.push_back(validUtf8(run.tokens[i].bytes));
        if (!options.text && i < static_cast<std::size_t>(run.prompt))
            prompt += run.tokens[i].bytes;
    }
    std::map<std::string, std::string> metadata = {{"prompt", prompt},
                                                   {"token_texts", texts.dump()},
                                                   {"model", info.name},
                                                   {"model_hash", info.hash},
                                                   {"dtype", engine::name_of(info.dtype)},
                                                   {"headscope_version", HEADSCOPE_VERSION}};
    if (!options.edits.empty()) metadata["edits"] = describe(options.edits);
    if (options.text && !info.warnings.empty())
        metadata["warnings"] = nlohmann::json(info.warnings)
                                   .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return metadata;
}

engine::Payload tokenIds(const FinishedRun& run) {
    std::vector<std::int64_t> ids;
    for (const engine::Token& token : run.tokens) ids.push_back(engine::to_int(token.id));
    const auto count = static_cast<std::int64_t>(ids.size());
    return engine::make_payload(engine::DType::I64, {count}, std::move(ids));
}

void writeTensors(Cli& cli, const engine::TraceReader& reader, const FinishedRun& run,
                  const std::vector<DumpTensor>& tensors, SafetensorsWriter& writer) {
    const std::int64_t step = rowsPerChunk(tensors);
    // Rows outside, names inside: what is recomputed for some rows serves every name.
    for (std::int64_t first = 0; first < run.rows; first += step) {
        const engine::Rows rows{first, std::min(first + step, run.rows)};
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            cli.throwIfStopped();
            if (tensors[i].name.kind == "token_ids") {
                if (first == 0) writer.writeRows(i, 0, tokenIds(run));
                continue;
            }
            writer.writeRows(i, first, reader.read(run.id, tensors[i].name, rows).data,
                             tensors[i].fill);
        }
    }
}

// A name without an ending is a dump like any other; one that names another format is a mistake.
void refuseAnotherFormat(const std::string& out) {
    const std::string ending = std::filesystem::path(out).extension().string();
    if (!ending.empty() && ending != ".safetensors")
        badArgument("--out", out,
                    "a dump is a .safetensors file, not " + quote(ending) +
                        "; pictures, CSV and NPY are of headscope export");
}

void runDump(Cli& cli, const Arguments& arguments) {
    const std::string model = arguments.positionals()[0];
    const std::string out = parseOut(arguments, model);
    const auto kinds = parseTensorKinds(arguments.text("--tensors").value_or("pattern,lse"));
    const std::string layerList = arguments.text("--layers").value_or("all");
    checkLayerList(layerList);  // typing errors before loading
    if (layerList != "all" && !areOfLayers(kinds))
        badArgument("--layers", layerList,
                    "token_ids, logits and embedding are of the whole model, and --tensors has "
                    "nothing else");
    if (arguments.has("--target") &&
        std::find(kinds.begin(), kinds.end(), "logit_attribution") == kinds.end())
        badArgument("--target", *arguments.text("--target"),
                    "only logit_attribution is of a target, and --tensors does not have it");
    PromptOptions promptOptions = parsePromptOptions(arguments);
    promptOptions.edits = parseEdits(arguments);
    const ComputeOptions compute = parseComputeOptions(arguments);
    refuseAnotherFormat(out);

    const auto engine = openModel(cli, model, compute);
    const engine::ModelInfo& info = engine->info();
    const auto layers = parseLayers(layerList, info.layers);
    std::optional<engine::TokenId> target;
    if (const auto typed = arguments.text("--target"))
        target = parseToken("--target", *typed, *engine);
    const engine::Encoding prompt = encodePrompt(cli, *engine, promptOptions);

    const auto tokens = static_cast<std::int64_t>(prompt.tokens.size());
    checkRows(promptOptions.edits, rowsOf(tokens, promptOptions.generate), info);
    const auto tensors = planDump(info, kinds, layers, target, tokens + promptOptions.generate,
                                  rowsOf(tokens, promptOptions.generate));
    std::vector<TensorPlan> plans;
    plans.reserve(tensors.size());
    for (const DumpTensor& tensor : tensors) plans.push_back(tensor.plan);
    OutputFile file(out, bytesOf(plans));  // the disk is asked before the work is done

    const FinishedRun finished = runPrompt(cli, *engine, prompt, promptOptions);
    const Stopwatch watch;
    SafetensorsWriter writer(file, plans, metadataOf(info, finished, promptOptions));
    writeTensors(cli, *engine->reader(), finished, tensors, writer);
    cli.throwIfStopped();
    file.commit();
    cli.log("wrote " + std::to_string(tensors.size()) + " tensors, " +
            humanBytes(writer.fileBytes()) + ", in " + seconds(watch.seconds()));
}

}  // namespace

Verb dumpVerb() {
    return {
        "dump",
        "Runs a prompt and writes what the heads did as a safetensors file",
        "MODEL --prompt TEXT | --prompt-file F | --token-ids 1,2,3 [options] --out F.safetensors",
        promptOptions() +
            std::vector<Option>{
                {"--layers", "0,10-20|all", "of which layers, ranges with both ends (default all)"},
                {"--tensors", "LIST", "what to write (default pattern,lse); see below"},
                {"--target", "TOKEN",
                 "what logit_attribution is for: a token's id or text (default: each row's top)"}} +
            editOptions() + computeOptions() +
            std::vector<Option>{{"--out", "F.safetensors", "the file to write"}},
        "Tensors, float32 but for token_ids (int64 [N]), with T = prompt + max(generated, 1) − 1 "
        "rows:\n"
        "  logits [T, vocab], embedding [T, d_model], and of each layer, as layers.L.NAME:\n"
        "  q, z [T, Hq, D]; k, v [T, Hkv, D]; qkv [T, (Hq + 2·Hkv)·D]; scores, pattern [Hq, T, "
        "T];\n"
        "  lse [Hq, T]; contribution [T, Hq, d_model]; contribution_norm, logit_attribution [T, "
        "Hq];\n"
        "  attention_out, mlp_out, residual [T, d_model].\n"
        "Edits: --ablate L12.H7,L3.H1@9-29 and --forbid L12.H7@5-39:0-3 (rows:sources, both ends "
        "counted;\n  @:0 is at all rows) change the model's own forward pass, on the CPU.\n",
        runDump};
}

}  // namespace app
