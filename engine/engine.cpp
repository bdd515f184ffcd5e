// SPDX-License-Identifier: GPL-3.0-or-later
// Opening: headers, plan, weights, tokenizer, page pool. And inspecting, which stops after the
// plan.
#include "engine/engine.h"

#include <algorithm>
#include <filesystem>
#include <thread>

#include "engine/device.h"
#include "engine/families/family.h"
#include "engine/formats/checkpoint.h"
#include "engine/model/compute_threads.h"
#include "engine/module.h"
#include "engine/run/memory.h"
#include "engine/run/model_facts.h"
#include "engine/run/model_runner.h"
#include "engine/run/shapes.h"

namespace engine {
namespace {

std::string format_of(const formats::Checkpoint& checkpoint, const families::ModelPlan& plan) {
    const bool gguf = checkpoint.format == formats::Checkpoint::Format::Gguf;
    std::string storage;
    if (!plan.layers.empty()) {
        const std::string& name = plan.layers.front().query();
        storage = formats::name_of(checkpoint.at(name).storage);
    }
    return (gguf ? "GGUF " : "safetensors ") + storage;
}

std::int64_t planned_bytes(const formats::Checkpoint& checkpoint, const families::ModelPlan& plan) {
    std::int64_t bytes = 0;
    const auto count = [&](const std::string& name) {
        if (const formats::StoredTensor* tensor = name.empty() ? nullptr : checkpoint.find(name))
            bytes += static_cast<std::int64_t>(tensor->bytes + tensor->scales.bytes);
    };
    for (const std::string& name : plan.used) count(name);
    return bytes;
}

// "-00001-of-00003", as a split model's parts end.
bool is_part(std::string_view end) {
    constexpr std::string_view shape = "-00000-of-00000";
    return std::equal(end.begin(), end.end(), shape.begin(), shape.end(), [](char c, char wanted) {
        return wanted == '0' ? c >= '0' && c <= '9' : c == wanted;
    });
}

// "SmolLM2-135M-Instruct" of ".../SmolLM2-135M-Instruct.Q4_1.gguf", a split model without its
// parts' number: people know models by their files, and what converters write into general.name is
// often a training run's. The storage type stands apart, in `format`.
std::string file_name(const std::string& path) {
    std::filesystem::path file = std::filesystem::path(path).lexically_normal();
    if (!file.has_filename()) file = file.parent_path();
    if (file.extension() != ".gguf") return file.filename().string();
    std::string name = file.stem().string();
    constexpr std::size_t part = std::string_view("-00000-of-00000").size();
    if (name.size() > part && is_part(std::string_view(name).substr(name.size() - part)))
        name.resize(name.size() - part);
    const std::size_t dot = name.find_last_of(".-");
    if (dot == std::string::npos) return name;
    const std::string last = name.substr(dot + 1);
    const bool quantized = last.find('_') != std::string::npos &&
                           (last.rfind('Q', 0) == 0 || last.rfind("IQ", 0) == 0);
    if (quantized || last == "F16" || last == "F32" || last == "BF16") name.resize(dot);
    return name;
}

}  // namespace

void add_tokenizer(const tokenizer::Tokenizer& tokenizer, ModelInfo& info) {
    info.has_chat_template = tokenizer.has_chat_template();
    info.has_unknown_template = tokenizer.has_unknown_template();
    if (!tokenizer.warning().empty()) info.warnings.push_back(tokenizer.warning());
}

ModelInfo info_of(const formats::Checkpoint& checkpoint, const families::ModelPlan& plan,
                  std::int64_t page_tokens) {
    const ModelConfig& config = plan.config;
    ModelInfo info;
    info.path = checkpoint.path;
    const bool gguf = checkpoint.format == formats::Checkpoint::Format::Gguf;
    info.name = gguf || config.name.empty() ? file_name(checkpoint.path) : config.name;
    info.family = config.family;
    info.format = format_of(checkpoint, plan);
    info.layers = config.layers;
    info.query_heads = config.query_heads;
    info.kv_heads = config.kv_heads;
    info.head_dim = config.head_dim;
    info.d_model = config.d_model;
    info.d_ff = config.d_ff;
    info.vocab = config.vocab;
    info.context = config.context;
    for (const LayerConfig& layer : config.per_layer) info.attention.push_back(layer.attention);
    info.weight_bytes = planned_bytes(checkpoint, plan);
    info.page_tokens = page_tokens;
    info.bytes_per_token = TraceLayout(config, page_tokens, true).bytes_per_token();
    info.memory_free = memory_available();
    info.memory_total = memory_total();
    info.device = "CPU";
    info.hash = checkpoint.hash;
    return info;
}

void check_page_tokens(std::int64_t page_tokens) {
    if (page_tokens < 1 || page_tokens > 4096)
        throw Error(Failure::Kind::BadRequest,
                    "a page of " + std::to_string(page_tokens) + " tokens is outside 1 to 4,096");
}

namespace {

// Pages for the pool: a share of what is free, as the window and the system want to live too; more
// than eight whole contexts are never of use.
std::int64_t pool_pages(const OpenRequest& request, const TraceLayout& layout,
                        std::int64_t context) {
    const std::int64_t limit =
        request.memory_limit > 0 ? request.memory_limit : memory_available() / 4 * 3;
    constexpr std::int64_t most_contexts = 8;
    const std::int64_t pages =
        std::min(limit / layout.page_bytes(), most_contexts * layout.pages_for(context));
    if (pages < 1)
        throw Error(Failure::Kind::OutOfMemory,
                    "one page of the trace needs " + format_bytes(layout.page_bytes()) +
                        ", and the limit is " + format_bytes(limit),
                    "page pool", "raise the memory limit or use smaller pages");
    return pages;
}

}  // namespace

std::unique_ptr<Engine> open_engine(const OpenRequest& request, const OnProgress& on_progress,
                                    std::stop_token stop) {
    DeviceChoice device = choose_device(request.device);
    if (device.cuda) {
        if (auto on_cuda = open_on_cuda(device, request, on_progress, stop)) return on_cuda;
    }
    if (!request.shape.empty()) {
        shape_of(request.shape);  // a name that is not known is the first thing to say
        throw Error(Failure::Kind::Device,
                    "random weights of a shape are made on a GPU" +
                        (device.why.empty() ? "" : ": " + device.why),
                    request.shape, device.why.empty() && !device.asked ? "use --device cuda" : "");
    }
    if (request.dtype && *request.dtype != DType::F32)
        throw Error(
            Failure::Kind::BadRequest,
            std::string(name_of(*request.dtype)) + " is not a compute dtype of the CPU engine",
            request.path, "use float32: weights of any stored dtype are computed in it exactly");
    check_page_tokens(request.page_tokens);
    const formats::Checkpoint checkpoint = formats::open_checkpoint(request.path);
    const families::ModelPlan plan = families::plan_model(checkpoint);
    constexpr int most_threads = 1024;
    if (request.threads < 0 || request.threads > most_threads)
        throw Error(Failure::Kind::BadRequest,
                    std::to_string(request.threads) + " threads are outside 1 to 1,024");
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const int threads = request.threads > 0 ? request.threads : cores;
    const kernels::Parallel parallel = compute_threads(threads);
    auto model = load_model(
        checkpoint, plan,
        [&](std::int64_t done, std::int64_t total) {
            if (on_progress) on_progress(Progress{done, total});
        },
        stop);
    auto layout =
        std::make_shared<const TraceLayout>(plan.config, request.page_tokens, request.capture);
    auto pool = std::make_shared<PagePool>(layout->page_bytes(),
                                           pool_pages(request, *layout, plan.config.context));
    auto tokens = tokenizer::make_tokenizer(checkpoint);
    ModelInfo info = info_of(checkpoint, plan, request.page_tokens);
    info.weight_bytes = model->weight_bytes;
    info.bytes_per_token = layout->bytes_per_token();
    info.pages = pool->capacity();
    info.threads = threads;
    info.device_note = device.why;
    add_tokenizer(*tokens, info);
    return std::make_unique<ModelRunner>(std::move(info), std::move(model), std::move(tokens),
                                         std::move(pool), std::move(layout),
                                         formats::FilesInUse(checkpoint), parallel);
}

ModelInfo inspect_model(const std::string& path, const std::string& device) {
    DeviceChoice choice = choose_device(device);
    const formats::Checkpoint checkpoint = formats::open_checkpoint(path);
    try {
        const families::ModelPlan plan = families::plan_model(checkpoint);
        ModelInfo info = info_of(checkpoint, plan, OpenRequest{}.page_tokens);
        const TraceLayout layout(plan.config, info.page_tokens, true);
        info.pages = pool_pages({}, layout, plan.config.context);
        // A model whose text cannot be read is as little of use as one whose weights cannot.
        add_tokenizer(*tokenizer::make_tokenizer(checkpoint), info);
        if (choice.cuda) inspect_on_cuda(choice, checkpoint, plan, info);
        info.device_note = choice.why;
        return info;
    } catch (const Error& refusal) {
        ModelInfo info;
        info.path = path;
        info.name = file_name(path);
        info.family = families::stated_architecture(checkpoint);
        info.hash = checkpoint.hash;
        info.weight_bytes = checkpoint.file_bytes;
        info.supported = false;
        info.reason = refusal.what();
        return info;
    }
}

}  // namespace engine

engine::Engine* headscope_open_engine(const engine::OpenRequest* request,
                                      const engine::OnProgress* on_progress,
                                      const std::stop_token* stop) {
    return engine::open_engine(*request, *on_progress, *stop).release();
}

void headscope_inspect_model(const char* path, const char* device, engine::ModelInfo* out) {
    *out = engine::inspect_model(path, device);
}
