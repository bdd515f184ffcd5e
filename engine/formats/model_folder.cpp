// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/model_folder.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "engine/formats/content_hash.h"
#include "engine/formats/foreign_file.h"
#include "engine/formats/json_text.h"
#include "engine/formats/messages.h"
#include "engine/formats/quantized_tensors.h"
#include "engine/formats/safetensors.h"
#include "engine/formats/shard_index.h"
#include "engine/values/failure.h"

namespace engine::formats {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
    std::error_code ignored;  // of a file that cannot be examined MappedFile says why
    return fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
}

Checkpoint with_config(const fs::path& folder, ContentHash& hash) {
    const fs::path path = folder / "config.json";
    if (!is_there(path))
        throw Error(
            Failure::Kind::BadFile, "there is no config.json in the folder",
            shown(folder.string(), 400),
            "a model folder holds config.json and *.safetensors; a GGUF file is opened itself");
    const auto file = MappedFile::open(path.string());
    auto config = parse_json(file->text(), path.string());
    if (!config.is_object())
        throw Error(Failure::Kind::BadFile, "the configuration is not a JSON object",
                    shown(path.string(), 400));
    hash.add(file->text());
    Checkpoint out;
    out.config = std::make_shared<const nlohmann::json>(std::move(config));
    return out;
}

// Moves into `out` the tensors for which `wanted` holds.
template <typename Wanted>
void add_file(Checkpoint& out, ContentHash& hash, TensorFile&& weights, Wanted wanted) {
    hash.add(weights.header);
    hash.add(std::uint64_t{weights.file->size()});
    out.file_bytes += static_cast<std::int64_t>(weights.file->size());
    out.files.push_back(weights.file);
    for (auto& [name, tensor] : weights.tensors)
        if (wanted(name)) out.tensors.emplace(name, std::move(tensor));
    for (auto& [name, type] : weights.refused)
        if (wanted(name)) out.refused.emplace(name, std::move(type));
}

TensorFile open_weights(const fs::path& path) {
    auto file = MappedFile::open(path.string());
    refuse_foreign_file(*file);
    return read_safetensors(std::move(file));
}

void add_shards(Checkpoint& out, ContentHash& hash, const fs::path& folder,
                const ShardIndex& index) {
    for (const auto& [shard, names] : index)
        if (!is_there(folder / shard))
            throw Error(Failure::Kind::BadFile,
                        "the shard " + shown(shard) + " is missing; the index names " +
                            std::to_string(index.size()) + " shards, and this one for " +
                            std::to_string(names.size()) + " tensors",
                        shown(folder.string(), 400), "download the missing file");
    for (const auto& [shard, names] : index) {
        add_file(out, hash, open_weights(folder / shard),
                 [&names = names](const std::string& name) { return names.contains(name); });
        for (const std::string& name : names)
            if (!out.has(name))
                throw Error(Failure::Kind::BadFile,
                            "the index places " + shown(name) + " in " + shown(shard) +
                                ", which does not hold it",
                            shown(folder.string(), 400), "download index and shards again");
    }
}

// What is wrong with a folder that has a configuration but no safetensors.
[[noreturn]] void refuse_without_weights(const fs::path& folder) {
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (is_foreign_name(name)) refuse_foreign_name(name, at->path().string());
        if (at->path().extension() == ".gguf")
            throw Error(Failure::Kind::BadFile, "the folder holds no safetensors but a GGUF file",
                        shown(folder.string(), 400), "open " + shown(name) + " itself");
    }
    throw Error(Failure::Kind::BadFile,
                "the folder holds neither model.safetensors nor model.safetensors.index.json",
                shown(folder.string(), 400));
}

}  // namespace

Checkpoint open_model_folder(const std::string& folder) {
    ContentHash hash;
    Checkpoint out = with_config(folder, hash);
    const fs::path index = fs::path(folder) / "model.safetensors.index.json";
    const fs::path single = fs::path(folder) / "model.safetensors";
    if (is_there(index)) {
        add_shards(out, hash, folder, read_shard_index(index.string()));
    } else if (is_there(single)) {
        add_file(out, hash, open_weights(single), [](const std::string&) { return true; });
    } else {
        refuse_without_weights(folder);
    }
    join_quantized_tensors(out, folder);
    out.hash = hash.hex();
    return out;
}

Checkpoint open_single_safetensors(std::shared_ptr<const MappedFile> file,
                                   const std::string& folder) {
    TensorFile weights = read_safetensors(std::move(file));
    ContentHash hash;
    Checkpoint out = with_config(folder, hash);
    add_file(out, hash, std::move(weights), [](const std::string&) { return true; });
    join_quantized_tensors(out, folder);
    out.hash = hash.hex();
    return out;
}

}  // namespace engine::formats
