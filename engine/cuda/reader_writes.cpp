// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cuda/reader_writes.h"

#include <algorithm>

#include "kernels/cuda/contribution.h"
#include "kernels/cuda/writes.h"

namespace engine::cuda {
namespace {

DType compute_type(kernels::Element element) {
    switch (element) {
        case kernels::Element::F32: return DType::F32;
        case kernels::Element::F16: return DType::F16;
        case kernels::Element::BF16: return DType::BF16;
    }
    return DType::F32;
}

// `count` floats that are 0.
float* zeros(ViewLane& lane, std::int64_t count) {
    auto* at = lane.scratch().take<float>(count);
    check(cudaMemsetAsync(at, 0, static_cast<std::size_t>(count) * 4, lane.stream()), "zeros");
    return at;
}

void copy(float* to, const float* from, std::int64_t count, cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * 4, cudaMemcpyDeviceToDevice,
                          stream),
          "writes");
}

}  // namespace

ReaderWrites::ReaderWrites(std::shared_ptr<const DeviceModel> model, const HeadFactors& factors,
                           const ReaderTiles& tiles)
    : model_(std::move(model)), factors_(factors), tiles_(tiles) {}

const float* ReaderWrites::head_writes(ViewLane& lane, int layer, const float* z,
                                       std::int64_t rows) const {
    const ModelConfig& config = model_->config;
    const DeviceMatrix& o = model_->layers[static_cast<std::size_t>(layer)].o;
    auto* to = lane.scratch().take<float>(rows * config.query_heads * config.d_model);
    kernels::cuda::head_writes(
        {o.data, o.element, config.d_model, config.query_heads, config.head_dim, z, rows, to},
        lane.stream());
    return to;
}

const float* ReaderWrites::head_writes(ViewLane& lane, const DeviceRun& run, int layer,
                                       Rows rows) const {
    const kernels::TraceView trace = run.view(Layer{layer});
    auto* z = lane.scratch().take<float>(rows.count() * model_->config.q_columns());
    kernels::cuda::gather_floats(trace, trace.z_offset, 0, trace.query_heads, rows.begin, rows.end,
                                 z, lane.stream());
    return head_writes(lane, layer, z, rows.count());
}

std::vector<float> ReaderWrites::row_logits(ViewLane& lane, const DeviceRun& run,
                                            std::int64_t position) const {
    if (const auto kept = run.newest_logits(); kept && kept->position == position)
        return kept->values;
    return DeviceReplay(*model_, lane, 1).logits_of(run, position);
}

ContributionTable ReaderWrites::contributions(ViewLane& lane, const DeviceRun& run,
                                              const ContributionRequest& request) const {
    const std::int64_t at = to_int(request.position);
    check_rows(run.rows(), {at, at + 1});
    const ModelConfig& config = model_->config;
    const std::int64_t layers = config.layers, heads = config.query_heads,
                       columns = config.q_columns(), d_model = config.d_model;
    cudaStream_t stream = lane.stream();

    // The stream once through, its writes kept: the embedding, then attention, MLP and, in a model
    // with such, the bias of the output projection of each layer.
    const bool biased = std::any_of(config.per_layer.begin(), config.per_layer.end(),
                                    [](const LayerConfig& layer) { return layer.o_bias; });
    const std::int64_t of_layer = biased ? 3 : 2, part_count = 1 + of_layer * layers;
    float* writes = zeros(lane, part_count * d_model);
    float* apart = zeros(lane, 2 * layers);
    auto* z = lane.scratch().take<float>(columns);
    auto* parts = lane.scratch().take<float>(heads * d_model);
    DeviceReplay replay(*model_, lane, 1);
    const float* residual =
        replay.replay(run, {at, at + 1}, [&](const DeviceReplay::Writes& write) {
            const DeviceLayer& layer = model_->layers[static_cast<std::size_t>(write.layer)];
            if (write.layer == 0) copy(writes, write.before, d_model, stream);
            float* to = writes + (1 + of_layer * write.layer) * d_model;
            copy(to, write.attention_write, d_model, stream);
            copy(to + d_model, write.mlp_write, d_model, stream);
            if (layer.o_bias != nullptr) {
                copy(to + 2 * d_model, layer.o_bias, d_model, stream);
                if (layer.attention_post_norm != nullptr)
                    kernels::cuda::multiply(to + 2 * d_model, layer.attention_post_norm, d_model,
                                            stream);
            }
            const kernels::TraceView trace = run.view(Layer{write.layer});
            kernels::cuda::gather_floats(trace, trace.z_offset, 0, trace.query_heads, at, at + 1, z,
                                         stream);
            kernels::cuda::head_writes({layer.o.data, layer.o.element, d_model, config.query_heads,
                                        config.head_dim, z, 1, parts},
                                       stream);
            kernels::cuda::compare_sums(parts, layer.o_bias, write.attention_out, 1,
                                        config.query_heads, d_model, apart + 2 * write.layer,
                                        stream);
        });
    const auto kept = run.newest_logits();
    // As the final norm and the unembedding give them, before any cap.
    const std::vector<float> logits =
        kept && kept->position == at && config.final_soft_cap <= 0
            ? kept->values
            : lane.download(replay.logits(residual, 1, false), config.vocab);
    ContributionTable table = contribution_table(config, request, logits);

    const auto direction = factors_.direction(lane, {table.target, table.distractor});
    auto* numbers = lane.scratch().take<float>(2 * part_count);
    kernels::cuda::lengths_and_dots(writes, direction->u.as<float>(), part_count, d_model, numbers,
                                    stream);
    auto* norms = lane.scratch().take<float>(2 * layers * heads);
    float* dots = norms + layers * heads;
    std::vector<kernels::TraceView> traces;
    traces.reserve(static_cast<std::size_t>(layers));
    for (int layer = 0; layer < layers; ++layer) traces.push_back(run.view(Layer{layer}));
    kernels::cuda::ContributionLayers all;
    all.traces = lane.upload(traces);
    all.first = traces.front();
    all.layers = config.layers;
    all.begin = at;
    all.end = at + 1;
    all.r = factors_.r(lane);
    all.p = direction->p.as<float>();
    all.norm = norms;
    all.dot = dots;
    kernels::cuda::contributions(all, stream);

    const std::vector<float> of_parts = lane.download(numbers, 2 * part_count),
                             of_heads = lane.download(norms, 2 * layers * heads),
                             sums = lane.download(apart, 2 * layers),
                             scale = lane.download(run.final_scale() + at, 1);
    const auto part = [&](std::int64_t index, int which) {
        return of_parts[static_cast<std::size_t>(2 * index + which)] * (which ? scale[0] : 1);
    };
    table.embedding_norm = part(0, 0);
    table.embedding_attribution = part(0, 1);
    table.bias_attribution = direction->bias;
    std::vector<float> through;  // what the norm behind a layer's attention multiplies by
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        const float* scales = run.attention_scales(Layer{static_cast<std::int32_t>(layer)});
        through.push_back(scales == nullptr ? 1 : lane.download(scales + at, 1).front());
        const std::int64_t first = 1 + of_layer * layer;
        table.attention_norm.push_back(part(first, 0));
        table.attention_attribution.push_back(part(first, 1));
        table.mlp_norm.push_back(part(first + 1, 0));
        table.mlp_attribution.push_back(part(first + 1, 1));
        if (biased) {
            table.output_bias_norm.push_back(part(first + 2, 0) * through.back());
            table.output_bias_attribution.push_back(part(first + 2, 1) * through.back());
        }
        const float* found = sums.data() + 2 * layer;
        if (!(found[1] == 0)) table.heads_close = std::max(table.heads_close, found[0] / found[1]);
    }
    const auto count = static_cast<std::size_t>(layers * heads);
    for (std::size_t i = 0; i < count; ++i) {
        const float factor = through[i / static_cast<std::size_t>(heads)];
        table.head_norm.push_back(of_heads[i] * factor);
        table.head_attribution.push_back(of_heads[count + i] * factor * scale[0]);
    }
    close_contributions(table, logits);
    return table;
}

CheckReport ReaderWrites::checks(ViewLane& lane, const DeviceRun& run, Layer layer) const {
    const ModelConfig& config = model_->config;
    check_layer(config, layer);
    const std::int64_t published = run.rows();
    check_rows(published, {0, published});
    const kernels::TraceView trace = run.view(layer);
    const DeviceLayer& weights = model_->layers[static_cast<std::size_t>(to_int(layer))];
    const std::int64_t heads = config.query_heads;
    const std::vector<std::int64_t> chosen = rows_to_check(published);
    const auto count = static_cast<std::int64_t>(chosen.size());
    Findings findings;

    auto* found = lane.scratch().take<float>(4 * heads);
    auto* z = lane.scratch().take<float>(count * config.q_columns());
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t dest = chosen[static_cast<std::size_t>(i)];
        const Rows row{dest, dest + 1};
        const float* pattern = tiles_.exact_rows(lane, run, layer, row, row.end, false);
        const float* scores = tiles_.exact_rows(lane, run, layer, row, row.end, true);
        kernels::cuda::check_row(trace, dest, weights.sinks, scores, pattern, found, lane.stream());
        kernels::cuda::gather_floats(trace, trace.z_offset, 0, trace.query_heads, dest, dest + 1,
                                     z + i * config.q_columns(), lane.stream());
        const std::vector<float> numbers = lane.download(found, 4 * heads);
        for (std::size_t at = 0; at < numbers.size(); at += 4) {
            findings.row_sum.see(numbers[at]);
            findings.score.see(numbers[at + 1]);
            // Where the run edits z, z is not what the pattern gives.
            const QueryHead head{static_cast<std::int32_t>(at / 4)};
            if (run.edits().change({layer, head}, dest)) continue;
            findings.z.apart.see(numbers[at + 2]);
            findings.z.most.see(numbers[at + 3]);
        }
    }

    const float* parts = head_writes(lane, to_int(layer), z, count);
    float* apart = zeros(lane, 2);
    auto* whole = lane.scratch().take<float>(count * config.d_model);
    DeviceReplay replay(*model_, lane, 1);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t dest = chosen[static_cast<std::size_t>(i)];
        replay.attention_out(run, to_int(layer), {dest, dest + 1}, whole + i * config.d_model);
    }
    kernels::cuda::compare_sums(parts, weights.o_bias, whole, count, config.query_heads,
                                config.d_model, apart, lane.stream());
    const std::vector<float> sums = lane.download(apart, 2);
    findings.heads.apart.see(sums[0]);
    findings.heads.most.see(sums[1]);

    const auto kept = run.newest_logits();
    if (to_int(layer) == config.layers - 1 && kept && kept->position < published) {
        const std::vector<float> again = replay.logits_of(run, kept->position);
        for (std::size_t i = 0; i < again.size(); ++i)
            findings.closing.see(again[i], kept->values[i]);
    }
    return findings.report(layer, count, published, compute_type(model_->element));
}

}  // namespace engine::cuda
