// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/shard_index.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/formats/foreign_file.h"
#include "engine/formats/json_text.h"
#include "engine/formats/mapped_file.h"
#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::formats {
namespace {

[[noreturn]] void refuse_index(const std::string& path, const std::string& what) {
    throw Error(Failure::Kind::BadFile, what, shown(path, 400), "download the index again");
}

void check_name(const std::string& path, const std::string& shard) {
    if (shard.empty() || shard.find('\0') != std::string::npos)
        refuse_index(path, "a shard's name is empty or holds a NUL byte");
    const std::filesystem::path name(shard);
    bool leaves = name.is_absolute();
    for (const auto& part : name) leaves = leaves || part == "..";
    if (leaves)
        refuse_index(path, "the shard \"" + shown(shard) + "\" lies outside the model's folder");
    if (is_foreign_name(shard)) refuse_foreign_name(shard, path);
}

}  // namespace

ShardIndex read_shard_index(const std::string& path) {
    const auto file = MappedFile::open(path);
    const nlohmann::json json = parse_json(file->text(), path);
    const auto map = json.is_object() ? json.find("weight_map") : json.end();
    if (map == json.end() || !map->is_object() || map->empty())
        refuse_index(path, "the index has no weight_map that names tensors");
    ShardIndex index;
    for (const auto& [tensor, shard] : map->items()) {
        if (!shard.is_string())
            refuse_index(
                path, "weight_map gives " + shown(tensor) + " something that is not a file name");
        const auto& name = shard.get_ref<const std::string&>();
        if (index.find(name) == index.end()) check_name(path, name);
        index[name].insert(tensor);
    }
    return index;
}

}  // namespace engine::formats
