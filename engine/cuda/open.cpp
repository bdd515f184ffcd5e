// SPDX-License-Identifier: GPL-3.0-or-later
// Opening on a device: what it is, whether the model fits, weights, the page pool in what is left.
#include <algorithm>
#include <optional>

#include "engine/cache/page_pool.h"
#include "engine/cuda/cuda_runner.h"
#include "engine/cuda/loading.h"
#include "engine/cuda/module.h"
#include "engine/formats/files_in_use.h"
#include "engine/run/memory.h"
#include "engine/run/model_facts.h"
#include "engine/run/shapes.h"

namespace engine::cuda {
namespace {

using kernels::Element;

// Left for libtorch's workspaces, the views' buffers and other programs.
constexpr std::int64_t spare_bytes = std::int64_t{3} << 30;

Element element_of(const std::optional<DType>& asked, formats::Storage stored) {
    const DType dtype = asked.value_or(stored == formats::Storage::BF16  ? DType::BF16
                                       : stored == formats::Storage::F32 ? DType::F32
                                                                         : DType::F16);
    switch (dtype) {
        case DType::F32: return Element::F32;
        case DType::F16: return Element::F16;
        case DType::BF16: return Element::BF16;
        default: break;
    }
    throw Error(Failure::Kind::BadRequest, std::string(name_of(dtype)) + " is not a compute dtype");
}

DType dtype_of(Element element) {
    return element == Element::F32   ? DType::F32
           : element == Element::F16 ? DType::F16
                                     : DType::BF16;
}

struct Memory {
    std::int64_t free = 0, total = 0;
};
Memory memory_of_device() {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "memory of the GPU");
    return {static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
}

void describe_device(int device, const ModelConfig& config, Element element,
                     const TraceLayout& layout, ModelInfo& info) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device), "properties of the GPU");
    const Memory memory = memory_of_device();
    info.device = properties.name;
    info.dtype = dtype_of(element);
    info.block_by_block = beyond_chain(config, element);
    info.threads = 0;
    info.memory_free = memory.free;
    info.memory_total = memory.total;
    info.bytes_per_token = layout.bytes_per_token();
}

// Pages in `left` bytes: a whole context where it fits, else and beyond that half of them, so that
// the next model can be opened while this one is still shown; at most eight contexts.
std::int64_t pool_pages(std::int64_t left, const TraceLayout& layout, std::int64_t context) {
    constexpr std::int64_t most_contexts = 8;
    const std::int64_t all = std::max<std::int64_t>(left, 0) / layout.page_bytes();
    const std::int64_t whole = layout.pages_for(context);
    return std::min(std::min(all, std::max(whole, all / 2)), most_contexts * whole);
}

// What stands beside weights and pages.
std::int64_t working_bytes(const ModelConfig& config, Element element, const TraceLayout& layout) {
    const std::int64_t computing =
        beyond_chain(config, element).empty()
            ? Prefill::device_bytes(config, element) + DecodeSteps::device_bytes(config, layout)
            : BlockDecoder::device_bytes(config);
    return computing + std::min(spare_bytes, memory_of_device().total / 16);
}

void check_fits(const ModelConfig& config, Element element, const TraceLayout& layout, bool tied) {
    const std::int64_t free = memory_of_device().free;
    const std::int64_t needed = device_bytes(config, element, tied) +
                                working_bytes(config, element, layout) + layout.page_bytes();
    if (needed > free)
        throw Error(Failure::Kind::OutOfMemory,
                    "the model needs " + format_bytes(needed) + " on the GPU, and " +
                        format_bytes(free) + " are free",
                    {}, "use --device cpu, or close what else uses the GPU");
}

// Of the weights, what one token reads.
std::int64_t step_bytes(const DeviceModel& model) {
    std::int64_t bytes = model.weight_bytes - model.positions.bytes();
    // The embedding is looked up, not read; a head that is tied to it is.
    if (model.embedding.data != model.unembedding.data) bytes -= model.embedding.bytes();
    const Experts& experts = model.config.experts;
    for (const DeviceLayer& layer : model.layers)
        if (!layer.experts.empty())
            bytes -= (experts.count - experts.used) *
                     (layer.experts.front().gate_up.bytes() + layer.experts.front().down.bytes());
    return bytes;
}

std::unique_ptr<Engine> run_on_device(const OpenRequest& request, int device, Element element,
                                      std::shared_ptr<const DeviceModel> model,
                                      std::shared_ptr<const tokenizer::Tokenizer> tokens,
                                      ModelInfo info) {
    const ModelConfig& config = model->config;
    auto layout =
        std::make_shared<const TraceLayout>(config, request.page_tokens, request.capture, element);
    const std::int64_t left = memory_of_device().free - working_bytes(config, element, *layout);
    const std::int64_t pages =
        request.memory_limit > 0
            ? std::min(request.memory_limit, std::max<std::int64_t>(left, 0)) / layout->page_bytes()
            : pool_pages(left, *layout, config.context);
    if (pages < 1)
        throw Error(Failure::Kind::OutOfMemory,
                    "one page of the trace needs " + format_bytes(layout->page_bytes()) + ", and " +
                        format_bytes(std::max<std::int64_t>(left, 0)) + " of the GPU are left",
                    "page pool", "raise the memory limit or use smaller pages");
    auto pool = std::make_shared<PagePool>(layout->page_bytes(), pages,
                                           device_pages(pages * layout->page_bytes()));
    describe_device(device, config, element, *layout, info);
    info.weight_bytes = model->weight_bytes;
    info.step_weight_bytes = step_bytes(*model);
    info.pages = pages;
    add_tokenizer(*tokens, info);
    return std::make_unique<CudaRunner>(std::move(info), std::move(model), std::move(tokens),
                                        std::move(pool), std::move(layout));
}

ModelInfo info_of_shape(const ModelConfig& config, std::int64_t page_tokens) {
    ModelInfo info;
    info.path = info.name = config.name;
    info.family = config.family;
    info.format = "random weights";
    info.layers = config.layers;
    info.query_heads = config.query_heads;
    info.kv_heads = config.kv_heads;
    info.head_dim = config.head_dim;
    info.d_model = config.d_model;
    info.d_ff = config.d_ff;
    info.vocab = config.vocab;
    info.context = config.context;
    info.page_tokens = page_tokens;
    for (const LayerConfig& layer : config.per_layer) info.attention.push_back(layer.attention);
    return info;
}

std::unique_ptr<Engine> open_shape(const OpenRequest& request, int device) {
    const ModelConfig config = shape_of(request.shape);
    const Element element = element_of(request.dtype, formats::Storage::BF16);
    const TraceLayout layout(config, request.page_tokens, request.capture, element);
    check_fits(config, element, layout, false);
    return run_on_device(request, device, element, random_model(config, element),
                         shape_tokenizer(config), info_of_shape(config, request.page_tokens));
}

std::unique_ptr<Engine> open(const OpenRequest& request, int device, const OnProgress& on_progress,
                             std::stop_token stop, std::string& lacks) {
    check(cudaSetDevice(device), "cudaSetDevice");
    check_page_tokens(request.page_tokens);
    if (!request.shape.empty()) return open_shape(request, device);
    const formats::Checkpoint checkpoint = formats::open_checkpoint(request.path);
    const families::ModelPlan plan = families::plan_model(checkpoint);
    const Element element =
        element_of(request.dtype, checkpoint.at(plan.layers.front().query()).storage);
    lacks = lacking(plan.config, element);
    if (!lacks.empty()) return nullptr;
    const TraceLayout layout(plan.config, request.page_tokens, request.capture, element);
    check_fits(plan.config, element, layout, plan.embedding == plan.unembedding);
    auto tokens = tokenizer::make_tokenizer(checkpoint);
    const auto mapped = load_model(checkpoint, plan, {}, stop);
    auto model = load_to_device(
        *mapped, element,
        [&](std::int64_t done, std::int64_t total) {
            if (on_progress) on_progress(Progress{done, total});
        },
        stop);
    formats::FilesInUse(checkpoint).check();  // what was loaded may be zeros
    return run_on_device(request, device, element, std::move(model), std::move(tokens),
                         info_of(checkpoint, plan, request.page_tokens));
}

}  // namespace
}  // namespace engine::cuda

engine::Engine* headscope_open_cuda_engine(const engine::OpenRequest* request, int device,
                                           const engine::OnProgress* on_progress,
                                           const std::stop_token* stop, std::string* lacks) {
    return engine::cuda::with_device_errors([&] {
        return engine::cuda::open(*request, device, *on_progress, *stop, *lacks).release();
    });
}

void headscope_use_cuda_graphs(bool wanted) {
    engine::cuda::use_graphs(wanted);
}

bool headscope_inspect_on_cuda(int device, const engine::formats::Checkpoint* checkpoint,
                               const engine::families::ModelPlan* plan, engine::ModelInfo* info,
                               std::string* lacks) {
    using namespace engine::cuda;
    const auto element = element_of({}, checkpoint->at(plan->layers.front().query()).storage);
    *lacks = lacking(plan->config, element);
    if (!lacks->empty()) return false;
    check(cudaSetDevice(device), "cudaSetDevice");
    const engine::TraceLayout layout(plan->config, info->page_tokens, true, element);
    describe_device(device, plan->config, element, layout, *info);
    info->weight_bytes = device_bytes(plan->config, element, plan->embedding == plan->unembedding);
    info->pages = pool_pages(
        info->memory_free - info->weight_bytes - working_bytes(plan->config, element, layout),
        layout, plan->config.context);
    return true;
}
