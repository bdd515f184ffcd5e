// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/foreign_file.h"

#include <filesystem>

#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::formats {
namespace {

using namespace std::string_view_literals;

struct Foreign {
    const char* what;
    const char* hint;
};
constexpr Foreign pickle{
    "this is a PyTorch pickle, which can run code when it is read, so it is not",
    "convert it: AutoModelForCausalLM.from_pretrained(MODEL).save_pretrained(OUT, "
    "safe_serialization=True)"};
constexpr Foreign onnx{"this is an ONNX graph, not a checkpoint",
                       "open the safetensors or GGUF files of the model it was exported from"};
constexpr Foreign hdf5{"this is a TensorFlow or Keras HDF5 file",
                       "convert it to safetensors with from_pretrained(MODEL, from_tf=True)"};
constexpr Foreign flax{"this is a Flax file",
                       "convert it to safetensors with from_pretrained(MODEL, from_flax=True)"};
constexpr Foreign ggml{"this is a GGML file from before GGUF",
                       "convert the original model again with a current llama.cpp"};
constexpr Foreign lfs{"this is a Git LFS pointer of a few lines, not the weights themselves",
                      "fetch the file: git lfs pull"};
constexpr Foreign json_file{"this is a JSON file, not the weights",
                            "open the folder that holds it"};
constexpr Foreign page{"this is a web page, not a model", "download the file itself"};

struct Mark {
    std::string_view text;
    const Foreign& foreign;
};
const Mark beginnings[] = {
    {"PK\x03\x04"sv, pickle},
    {"\x80\x02"sv, pickle},
    {"\x80\x03"sv, pickle},
    {"\x80\x04"sv, pickle},
    {"\x80\x05"sv, pickle},
    {"\x89HDF\r\n"sv, hdf5},
    {"lmgg"sv, ggml},
    {"tjgg"sv, ggml},
    {"fmgg"sv, ggml},
    {"algg"sv, ggml},
    {"version https://git-lfs"sv, lfs},
    {"<!DOCTYPE"sv, page},
    {"<!doctype"sv, page},
    {"<html"sv, page},
};
const Mark endings[] = {
    {".bin", pickle}, {".pt", pickle},    {".pth", pickle}, {".ckpt", pickle},    {".pkl", pickle},
    {".onnx", onnx},  {".msgpack", flax}, {".h5", hdf5},    {".json", json_file},
};

const Foreign* by_name(std::string_view name) {
    const std::string extension = std::filesystem::path(name).extension().string();
    for (const Mark& mark : endings)
        if (extension == mark.text) return &mark.foreign;
    return nullptr;
}

[[noreturn]] void refuse_foreign(const Foreign& foreign, const std::string& where) {
    throw Error(Failure::Kind::Unsupported, foreign.what, shown(where, 400), foreign.hint);
}

}  // namespace

void refuse_foreign_file(const MappedFile& file) {
    if (file.text().starts_with("GGUF")) return;
    // A safetensors file begins with its header's length, which these marks cannot be confused
    // with: the ninth byte is a brace.
    const bool may_be_safetensors = file.size() > 8 && file.text()[8] == '{';
    if (!may_be_safetensors)
        for (const Mark& mark : beginnings)
            if (file.text().starts_with(mark.text)) refuse_foreign(mark.foreign, file.path());
    if (const Foreign* foreign = by_name(file.path())) refuse_foreign(*foreign, file.path());
}

bool is_foreign_name(std::string_view name) {
    const Foreign* foreign = by_name(name);
    return foreign != nullptr && foreign != &json_file;
}

void refuse_foreign_name(std::string_view name, const std::string& where) {
    const Foreign* foreign = by_name(name);
    refuse_foreign(foreign ? *foreign : pickle, where);
}

}  // namespace engine::formats
