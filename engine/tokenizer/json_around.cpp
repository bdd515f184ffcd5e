// SPDX-License-Identifier: GPL-3.0-or-later
// Post-processors and decoders.
#include "engine/tokenizer/json_parts.h"

namespace engine::tokenizer {
namespace {

void add_template_ids(const JsonFields& processor, const std::string& name,
                      std::vector<std::uint32_t>& out) {
    for (const JsonFields& id : processor.at("special_tokens").at(name.c_str()).at("ids").items())
        out.push_back(id.id());
}

void read_template(const JsonFields& processor, AroundText& out) {
    bool text_seen = false;
    for (const JsonFields& piece : processor.at("single").items()) {
        if (!piece.has("Sequence")) {
            add_template_ids(processor, piece.at("SpecialToken").at("id").text(),
                             text_seen ? out.after : out.before);
            continue;
        }
        if (text_seen) piece.unsupported("a template that repeats the text");
        text_seen = true;
    }
    if (!text_seen) processor.bad("is a template without the text");
}

// A pair [token, id].
std::uint32_t pair_id(const JsonFields& pair) {
    const std::vector<JsonFields> parts = pair.items();
    if (parts.size() != 2) pair.bad("is not a token with its id");
    return parts[1].id();
}

}  // namespace

void read_post_processor(const JsonFields& processor, AroundText& out) {
    const std::string type = processor.type();
    if (type == "ByteLevel") return;  // moves offsets only
    if (type == "Sequence") {
        for (const JsonFields& one : processor.at("processors").items())
            read_post_processor(one, out);
    } else if (type == "TemplateProcessing") {
        read_template(processor, out);
    } else if (type == "RobertaProcessing" || type == "BertProcessing") {
        out.before.push_back(pair_id(processor.at("cls")));
        out.after.push_back(pair_id(processor.at("sep")));
    } else {
        processor.unsupported("the post-processor " + in_quotes(type));
    }
}

void read_decoder(const JsonFields& decoder, TokenBytes& out) {
    const std::string type = decoder.type();
    if (type == "Sequence") {
        for (const JsonFields& one : decoder.at("decoders").items()) read_decoder(one, out);
    } else if (type == "ByteLevel") {
        out.byte_level = true;
    } else if (type == "ByteFallback") {
        out.byte_fallback = true;
    } else if (type == "Metaspace") {
        out.replacements.emplace_back(decoder.at("replacement").text(), " ");
    } else if (type == "Replace" && decoder.at("pattern").has("String")) {
        out.replacements.emplace_back(decoder.at("pattern").at("String").text(),
                                      decoder.at("content").text());
    } else if (type != "Fuse" && type != "Strip") {  // which look at the whole text
        decoder.unsupported("the decoder " + in_quotes(type));
    }
}

}  // namespace engine::tokenizer
