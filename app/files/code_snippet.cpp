// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/files/code_snippet.h"

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/command_line/cli_text.h"

namespace app {

using engine::to_int;

namespace {

constexpr std::int64_t kMostLabels = 48;

// How Hugging Face's model of a family names an attention layer, and whether its GGUF reader
// knows the family (Transformers 5, TransformerLens 4, nnsight 0.8). Both libraries stand on those
// models, and all of them give the weights of an eager attention as [batch, head, dest, src].
struct Known {
    std::string_view family;
    const char* attention;
    bool gguf;
};
constexpr const char* kLayers = "model.model.layers[layer].self_attn";
constexpr std::array kKnown{
    Known{"llama", kLayers, true},
    Known{"mistral", kLayers, false},
    Known{"mixtral", kLayers, false},
    Known{"qwen2", kLayers, true},
    Known{"qwen3", kLayers, true},
    Known{"qwen3_moe", kLayers, true},
    Known{"gemma2", kLayers, true},
    Known{"gemma3_text", kLayers, true},
    Known{"olmo2", kLayers, false},
    Known{"phi3", kLayers, true},
    Known{"smollm3", kLayers, false},
    Known{"gpt_oss", kLayers, false},
    Known{"gpt2", "model.transformer.h[layer].attn", true},
    Known{"gpt_neox", "model.gpt_neox.layers[layer].attention", false},
};

const Known* known(const std::string& family) {
    for (const Known& entry : kKnown)
        if (entry.family == family) return &entry;
    return nullptr;
}

bool isGguf(const engine::ModelInfo& model) {
    return model.format.starts_with("GGUF");
}

// A Python literal: JSON's escapes are Python's, and what is beyond ASCII stays as it is.
std::string literal(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string dtypeOf(const engine::ModelInfo& model) {
    switch (model.dtype) {
        case engine::DType::BF16: return "torch.bfloat16";
        case engine::DType::F16: return "torch.float16";
        default: return "torch.float32";
    }
}

// "[1, 2, 3]", broken at 96 columns.
template <typename Item, typename Text>
std::string listOf(const std::vector<Item>& items, Text text) {
    std::string out = "[", line = "[";
    for (std::size_t i = 0; i < items.size(); ++i) {
        std::string item = text(items[i]);
        if (i + 1 < items.size()) item += ",";
        if (line.size() + item.size() > 80) {
            out += "\n    ";
            line = "    ";
        } else if (i > 0) {
            out += " ";
            line += " ";
        }
        out += item;
        line += item;
    }
    return out + "]";
}

std::string loaded(const SnippetView& view, SnippetFor library) {
    const std::string dtype = dtypeOf(view.model);
    const bool lens = library == SnippetFor::TransformerLens;
    if (!isGguf(view.model)) {
        const std::string path = "path = " + literal(view.model.path) + "\n";
        return path +
               (lens ? "model = TransformerBridge.boot_transformers(path, dtype=" + dtype + ")\n"
                     : "model = LanguageModel(\n    path, dtype=" + dtype +
                           ", attn_implementation=\"eager\", dispatch=True\n)\n");
    }
    const std::filesystem::path file(view.model.path);
    return "folder = " + literal(file.parent_path().string()) +
           "\nfile = " + literal(file.filename().string()) +
           "\n"
           "hf_model = AutoModelForCausalLM.from_pretrained(\n"
           "    folder, gguf_file=file, dtype=" +
           dtype +
           ", attn_implementation=\"eager\"\n"
           ")\n"
           "tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file)\n" +
           (lens ? "model = TransformerBridge.boot_transformers(\n"
                   "    folder, hf_model=hf_model, tokenizer=tokenizer\n)\n"
                 : "model = LanguageModel(hf_model, tokenizer=tokenizer)\n");
}

// The mass from one span to another: the mean over its rows of what they have on the sources.
std::string spanMass(const SnippetView& view) {
    if (view.edges.empty()) return {};
    return "# Span u holds tokens edges[u] to edges[u + 1] - 1.\nedges = " +
           listOf(view.edges, [](std::int64_t edge) { return std::to_string(edge); }) +
           "\n"
           "span = torch.zeros(len(edges) - 1, len(token_ids))\n"
           "for u, (begin, end) in enumerate(zip(edges, edges[1:])):\n"
           "    span[u, begin:end] = 1\n"
           "mass = (span / span.sum(-1, keepdim=True)) @ pattern @ span.T  # [dest, src]\n\n";
}

std::string plot(const SnippetView& view) {
    const auto slice = [](engine::Rows rows) {
        return std::to_string(rows.begin) + ":" + std::to_string(rows.end);
    };
    std::string code =
        "fig, ax = plt.subplots(figsize=(7, 7))\n"
        "image = ax.imshow(" +
        std::string(view.edges.empty() ? "pattern[" : "mass[") + slice(view.dests) + ", " +
        slice(view.srcs) + "]" + (view.transposed ? ".T" : "") +
        ".sqrt(), cmap=\"viridis\", vmin=0, interpolation=\"nearest\")\n";
    const auto labelled = [&](char axis, engine::Rows rows) {
        if (rows.count() > kMostLabels || rows.end > static_cast<std::int64_t>(view.labels.size()))
            return;
        const std::vector<std::string> shown(view.labels.begin() + rows.begin,
                                             view.labels.begin() + rows.end);
        code += "ax.set_" + std::string(1, axis) + "ticks(range(" + std::to_string(rows.count()) +
                "), " + listOf(shown, literal) +
                (axis == 'x' ? std::string(", rotation=60, ha=\"right\"") : std::string()) + ")\n";
    };
    const char dests = view.transposed ? 'x' : 'y', srcs = view.transposed ? 'y' : 'x';
    labelled('x', view.transposed ? view.dests : view.srcs);
    labelled('y', view.transposed ? view.srcs : view.dests);
    const auto titled = [](char axis, const char* title) {
        return "ax.set_" + std::string(1, axis) + "label(\"" + title + "\")\n";
    };
    return code + titled(srcs, "source (key)") + titled(dests, "destination (query)") +
           "ax.set_title(f\"L{layer}.H{head}, square root of the " +
           std::string(view.edges.empty() ? "pattern" : "mass from span to span") +
           (view.renormalized ? ", without source 0" : "") +
           "\")\n"
           "fig.colorbar(image)\n"
           "fig.tight_layout()\n"
           "plt.show()\n";
}

}  // namespace

std::string whyNoSnippet(const SnippetView& view) {
    if (view.compared)
        return "it shows two runs, and the program would compute one; the map page's can be copied";
    if (view.quantity != engine::Quantity::Pattern)
        return "only the pattern is the same quantity in TransformerLens, nnsight and Headscope; "
               "press 2 for it";
    const Known* family = known(view.model.family);
    if (!family)
        return "the family " + oneLine(view.model.family) +
               " has not been compared with TransformerLens and nnsight";
    if (isGguf(view.model) && !family->gguf)
        return "Hugging Face's GGUF reader does not know the family " + oneLine(view.model.family) +
               "; open the model's folder of safetensors";
    if (validUtf8(view.model.path) != view.model.path)
        return "the model's path is not UTF-8 text, which Python source is";
    if (view.tokens.empty()) return "there is no run";
    if (view.edited) return "the run is edited, and the program would compute it without its edits";
    return {};
}

std::string snippetOf(const SnippetView& view, SnippetFor library) {
    const bool lens = library == SnippetFor::TransformerLens;
    const bool gguf = isGguf(view.model);
    std::string code =
        "# " + engine::to_string(view.at) + " of " + oneLine(view.model.name) +
        ", as Headscope " HEADSCOPE_VERSION
        " shows it\n"
        "# pip install matplotlib torch \"transformers>=5\" " +
        (gguf ? "gguf " : "") + (lens ? "\"transformer-lens>=4\"" : "\"nnsight>=0.6\"") +
        "\n"
        "import matplotlib.pyplot as plt\n"
        "import torch\n" +
        (lens ? "from transformer_lens.model_bridge import TransformerBridge\n"
              : "from nnsight import LanguageModel\n") +
        (gguf ? "from transformers import AutoModelForCausalLM, AutoTokenizer\n" : "");
    code += "\nlayer, head = " + std::to_string(to_int(view.at.layer)) + ", " +
            std::to_string(to_int(view.at.head)) + "\n";
    code += "prompt = " + literal(view.prompt) + "\n";
    code += "# The prompt's tokens and those generated after it.\ntoken_ids = " +
            listOf(view.tokens, [](engine::TokenId id) { return std::to_string(to_int(id)); }) +
            "\ntokens = torch.tensor([token_ids])\n\n";
    code += loaded(view, library) + "\n";
    if (lens)
        code +=
            "name = f\"blocks.{layer}.attn.hook_pattern\"\n"
            "with torch.no_grad():\n"
            "    _, cache = model.run_with_cache(tokens, names_filter=name)\n"
            "pattern = cache[name][0, head].float().cpu()  # [dest, src]\n";
    else
        code +=
            "with torch.no_grad(), model.trace(tokens):\n"
            "    pattern = " +
            std::string(known(view.model.family)->attention) +
            ".output[1][0, head].save()\n"
            "pattern = pattern.float().cpu()  # [dest, src]\n";
    if (view.renormalized)
        code +=
            "# Without source 0: what is left of a row sums to 1.\n"
            "pattern[:, 0] = 0\n"
            "pattern = pattern / pattern.sum(-1, keepdim=True).clamp_min(1e-30)\n";
    code += "dest, src = " + std::to_string(to_int(view.dest)) + ", " +
            std::to_string(to_int(view.src)) +
            "\n"
            "print(f\"p[{dest}, {src}] = {pattern[dest, src]:.6f}\")\n\n";
    return code + spanMass(view) + plot(view);
}

}  // namespace app
