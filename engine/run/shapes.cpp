// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/shapes.h"

#include <cmath>

#include "engine/values/failure.h"

namespace engine {
namespace {

struct Shape {
    const char* name;
    int layers, query_heads, kv_heads, head_dim, d_model, d_ff, vocab;
    std::int64_t context;
    double rope_base;
    bool qk_norm;
};
// Contexts are the longest that the models are made for, with scaled frequencies where they are.
constexpr Shape shapes[] = {
    {"qwen3-8b", 36, 32, 8, 128, 4096, 12288, 151936, 131072, 1e6, true},
    {"qwen3-0.6b", 28, 16, 8, 128, 1024, 3072, 151936, 40960, 1e6, true},
    {"llama-3.1-8b", 32, 32, 8, 128, 4096, 14336, 128256, 131072, 5e5, false},
};

class ByteTokenizer final : public tokenizer::Tokenizer {
  public:
    explicit ByteTokenizer(int vocab) : vocab_(vocab) {
        for (int byte = 0; byte < 256; ++byte) bytes_.emplace_back(1, static_cast<char>(byte));
    }
    Encoding encode(std::string_view text, const TokenizeOptions&) const override {
        Encoding encoding;
        for (std::size_t at = 0; at < text.size(); ++at) {
            const auto byte = static_cast<unsigned char>(text[at]);
            Token token;
            token.id = TokenId{byte};
            token.bytes = bytes(token.id);
            token.start = static_cast<std::int64_t>(at);
            token.end = token.start + 1;
            encoding.tokens.push_back(std::move(token));
        }
        return encoding;
    }
    int vocab() const override { return vocab_; }
    const std::string& bytes(TokenId id) const override {
        return bytes_[static_cast<std::size_t>(to_int(id)) % 256];
    }
    bool is_control(TokenId) const override { return false; }
    bool ends_text(TokenId) const override { return false; }
    bool has_chat_template() const override { return false; }
    bool has_unknown_template() const override { return false; }
    const std::string& warning() const override { return no_warning_; }

  private:
    int vocab_;
    std::string no_warning_;
    std::vector<std::string> bytes_;
};

}  // namespace

std::vector<std::string> shape_names() {
    std::vector<std::string> names;
    for (const Shape& shape : shapes) names.emplace_back(shape.name);
    return names;
}

ModelConfig shape_of(const std::string& name) {
    for (const Shape& shape : shapes) {
        if (name != shape.name) continue;
        ModelConfig config;
        config.name = shape.name;
        config.family = shape.qk_norm ? "qwen3" : "llama";
        config.layers = shape.layers;
        config.query_heads = shape.query_heads;
        config.kv_heads = shape.kv_heads;
        config.head_dim = shape.head_dim;
        config.d_model = shape.d_model;
        config.d_ff = shape.d_ff;
        config.vocab = shape.vocab;
        config.context = shape.context;
        config.norm_eps = 1e-6f;
        LayerConfig layer;
        layer.attention.scale = 1 / std::sqrt(static_cast<float>(shape.head_dim));
        layer.rope.rotary_dim = shape.head_dim;
        for (int pair = 0; pair < shape.head_dim / 2; ++pair)
            layer.rope.inverse_frequency.push_back(
                std::pow(shape.rope_base, -2.0 * pair / shape.head_dim));
        layer.qk_norm_per_head = shape.qk_norm;
        config.per_layer.assign(static_cast<std::size_t>(shape.layers), layer);
        return config;
    }
    std::string known;
    for (const std::string& each : shape_names()) known += (known.empty() ? "" : ", ") + each;
    throw Error(Failure::Kind::BadRequest, "no shape is called " + name, {}, "there are " + known);
}

std::shared_ptr<const tokenizer::Tokenizer> shape_tokenizer(const ModelConfig& config) {
    return std::make_shared<ByteTokenizer>(config.vocab);
}

}  // namespace engine
