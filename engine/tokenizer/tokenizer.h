// SPDX-License-Identifier: GPL-3.0-or-later
// Text to token ids and back, from tokenizer.json or GGUF metadata. Immutable after construction;
// any thread.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/checkpoint.h"
#include "engine/values/run.h"

namespace engine::tokenizer {

class Tokenizer {
  public:
    virtual ~Tokenizer() = default;

    // Ids equal Hugging Face `tokenizers`' for the same text. Linear time in the text. Where the
    // text is no UTF-8 it is read with U+FFFD, as they would be given it, and a note says so; spans
    // are of the given bytes. Throws BadRequest for --chat on a model without a template that is
    // known here.
    virtual Encoding encode(std::string_view text, const TokenizeOptions&) const = 0;
    virtual int vocab() const = 0;
    virtual const std::string& bytes(
        TokenId) const = 0;  // what the token decodes to, raw bytes; "" for padding ids
    virtual bool is_control(TokenId) const = 0;
    virtual bool ends_text(
        TokenId) const = 0;  // EOS, <|im_end|>, <|endoftext|>: generation may stop here
    virtual bool has_chat_template() const = 0;     // one that is known here
    virtual bool has_unknown_template() const = 0;  // one that is not
    // Why the ids of any text may not be the model's own; empty where they are.
    virtual const std::string& warning() const = 0;
};

// The tokenizer that belongs to a checkpoint: GGUF metadata, or tokenizer.json of its folder, else
// tokenizer.model (with tokenizer_config.json and generation_config.json where present). Throws
// Error(BadFile | Unsupported), naming the pre-tokenizer, model type, normalizer or post-processor
// that is not implemented.
std::shared_ptr<const Tokenizer> make_tokenizer(const formats::Checkpoint&);

// Only complete characters come out; an incomplete tail is held until it is completed or flushed. A
// byte that can never become valid UTF-8 comes out as U+FFFD at once.
class StreamDecoder {
  public:
    std::string push(std::string_view bytes);  // the text that became complete
    std::string flush();                       // what is left, as U+FFFD
  private:
    std::string held_;
};

}  // namespace engine::tokenizer
