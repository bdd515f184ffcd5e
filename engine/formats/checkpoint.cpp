// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/checkpoint.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "engine/formats/content_hash.h"
#include "engine/formats/find_models.h"
#include "engine/formats/foreign_file.h"
#include "engine/formats/gguf.h"
#include "engine/formats/gguf_split.h"
#include "engine/formats/messages.h"
#include "engine/formats/model_folder.h"
#include "engine/values/failure.h"

namespace engine::formats {
namespace {

Checkpoint open_gguf(std::shared_ptr<const MappedFile> file) {
    std::vector<GgufFile> parts = read_gguf_parts(read_gguf(std::move(file)));
    ContentHash hash;
    Checkpoint out;
    out.format = Checkpoint::Format::Gguf;
    for (GgufFile& part : parts) {
        hash.add(part.weights.header);
        hash.add(std::uint64_t{part.weights.file->size()});
        out.file_bytes += static_cast<std::int64_t>(part.weights.file->size());
        out.files.push_back(part.weights.file);
        out.tensors.merge(part.weights.tensors);
        out.refused.merge(part.weights.refused);
    }
    out.metadata = std::move(parts.front().metadata);
    out.hash = hash.hex();
    return out;
}

Checkpoint open_file(const std::string& path) {
    auto file = MappedFile::open(path);
    refuse_foreign_file(*file);
    if (file->text().starts_with("GGUF")) return open_gguf(std::move(file));
    if (!path.ends_with(".safetensors"))
        throw Error(Failure::Kind::BadFile,
                    "the file begins with \"" + shown(file->text().substr(0, 4)) +
                        "\": it is neither GGUF nor safetensors",
                    shown(path, 400),
                    "open a GGUF file, or a folder with config.json and safetensors");
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return open_single_safetensors(std::move(file), folder.empty() ? "." : folder);
}

Checkpoint open_any(const std::string& path) {
    struct stat status {};
    if (path.empty() || path.find('\0') != std::string::npos)
        throw Error(Failure::Kind::BadFile, "no model is named", {},
                    "give a folder or a GGUF file");
    if (::stat(path.c_str(), &status) != 0)
        throw Error(Failure::Kind::BadFile,
                    "cannot open the model: " + std::generic_category().message(errno),
                    shown(path, 400), errno == EACCES ? "give yourself read permission" : "");
    return S_ISDIR(status.st_mode) ? open_model_folder(snapshot_of(path)) : open_file(path);
}

}  // namespace

Checkpoint open_checkpoint(const std::string& path) {
    Checkpoint out = open_any(path);
    out.path = path;
    return out;
}

bool Checkpoint::has(std::string_view name) const {
    return tensors.find(name) != tensors.end() || refused.find(name) != refused.end();
}

const StoredTensor* Checkpoint::find(std::string_view name) const {
    const auto at = tensors.find(name);
    return at == tensors.end() ? nullptr : &at->second;
}

const StoredTensor& Checkpoint::at(std::string_view name) const {
    const StoredTensor* tensor = find(name);
    if (tensor != nullptr && tensor->storage != Storage::U8) return *tensor;
    const auto type = refused.find(name);
    if (tensor == nullptr && type == refused.end())
        throw Error(Failure::Kind::BadFile, "the tensor " + shown(name) + " is missing",
                    shown(path, 400));
    const bool gguf = format == Format::Gguf;
    throw Error(Failure::Kind::Unsupported,
                "the tensor " + shown(name) + " is stored as " +
                    (tensor ? name_of(tensor->storage) : type->second) + "; read are " +
                    (gguf ? "F32, F16, BF16, Q4_0 to Q8_0, Q2_K to Q6_K, IQ4_NL, IQ4_XS and MXFP4"
                          : "F64, F32, F16, BF16, F8_E4M3, F8_E5M2 and MXFP4"),
                shown(path, 400),
                gguf ? "get or make a Q8_0 file: llama-quantize --allow-requantize IN OUT Q8_0"
                     : "save the model in bfloat16, float16 or float32");
}

}  // namespace engine::formats
