// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/command_line/cli_text.h"
#include "app/verbs/run_options.h"
#include "app/verbs/verbs.h"

namespace app {
namespace {

void printJson(std::ostream& out, const engine::Encoding& encoding) {
    out << "[";
    const char* separator = "\n";
    for (const engine::Token& token : encoding.tokens) {
        nlohmann::ordered_json json;
        json["id"] = engine::to_int(token.id);
        json["piece"] = validUtf8(token.bytes);
        json["bytes"] = nlohmann::json::array();
        for (const char byte : token.bytes)
            json["bytes"].push_back(static_cast<unsigned char>(byte));
        json["start"] = token.start;
        json["end"] = token.end;
        json["special"] = token.control;
        out << separator << json.dump();
        separator = ",\n";
    }
    out << "\n]\n";
}

void printText(std::ostream& out, const engine::Encoding& encoding) {
    for (std::size_t i = 0; i < encoding.tokens.size(); ++i) {
        const engine::Token& token = encoding.tokens[i];
        out << i << "\t" << engine::to_int(token.id) << "\t[" << token.start << "," << token.end
            << ")\t'" << oneLine(token.bytes) << "'" << (token.control ? "\tspecial" : "") << "\n";
    }
    for (const std::string& note : encoding.notes) out << oneLine(note) << "\n";
}

void runTokenize(Cli& cli, const Arguments& arguments) {
    PromptOptions options;
    const auto prompt = arguments.text("--prompt");
    if (!prompt) throw engine::Error(engine::Failure::Kind::BadRequest, "--prompt is missing");
    if (prompt->empty()) badArgument("--prompt", *prompt, "an empty prompt");
    options.text = prompt;
    options.tokenize.chat = arguments.has("--chat");
    options.tokenize.parse_special = arguments.has("--parse-special");
    const auto engine = openModel(cli, arguments.positionals()[0], {});
    const engine::Encoding encoding = encodePrompt(cli, *engine, options);
    cli.throwIfStopped();
    if (arguments.has("--json"))
        printJson(cli.out, encoding);
    else
        printText(cli.out, encoding);
}

}  // namespace

Verb tokenizeVerb() {
    return {
        "tokenize",
        "The tokens of a prompt, exactly as the model gets them",
        "MODEL --prompt TEXT [--chat] [--parse-special] [--json]",
        {{"--prompt", "TEXT", "the prompt; BOS is added by the tokenizer's own rule"},
         {"--chat", "", "wrap the prompt in the model's chat template"},
         {"--parse-special", "", "control strings typed in the prompt become control tokens"},
         {"--json", "", "an array of {id, piece, bytes, start, end, special}"}},
        "piece is the token's text, with U+FFFD for each byte that is no whole character; "
        "bytes are its\n"
        "exact bytes as numbers. start and end count bytes of TEXT; they are equal for what "
        "was added to it.\nTEXT that is not valid UTF-8 is read with U+FFFD for what is broken, "
        "and stderr says so.\n",
        runTokenize};
}

}  // namespace app
