// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/gguf_split.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <set>
#include <utility>

#include "engine/formats/messages.h"
#include "engine/values/failure.h"

namespace engine::formats {
namespace {

constexpr std::int64_t most_parts = 1000;

std::string ending(std::int64_t number, std::int64_t count) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "-%05lld-of-%05lld.gguf",
                  static_cast<long long>(number), static_cast<long long>(count));
    return text.data();
}

void check_part(const GgufFile& part, std::int64_t number, std::int64_t count) {
    const std::string& path = part.weights.file->path();
    const std::int64_t own = part.metadata.integer_or("split.no", 0);
    const std::int64_t parts = part.metadata.integer_or("split.count", 1);
    if (own != number || parts != count)
        refuse(path,
               "by its name this is part " + std::to_string(number + 1) + " of " +
                   std::to_string(count) + ", by its metadata part " + std::to_string(own + 1) +
                   " of " + std::to_string(parts),
               "give the parts the names that they were split under");
}

}  // namespace

std::vector<GgufFile> read_gguf_parts(GgufFile part) {
    const std::string path = part.weights.file->path();
    const std::int64_t count = part.metadata.integer_or("split.count", 1);
    std::vector<GgufFile> all;
    if (count <= 1) {
        all.push_back(std::move(part));
        return all;
    }
    const std::int64_t given = part.metadata.integer_or("split.no", 0);
    if (count > most_parts || given < 0 || given >= count)
        refuse(path, "split.no is " + std::to_string(given) + " and split.count " +
                         std::to_string(count));
    const std::string own_ending = ending(given + 1, count);
    if (!path.ends_with(own_ending))
        refuse(path,
               "this is part " + std::to_string(given + 1) + " of " + std::to_string(count) +
                   ", and its name does not end with " + own_ending,
               "give the parts the names that they were split under");
    const std::string stem = path.substr(0, path.size() - own_ending.size());
    std::size_t tensors = 0;
    std::set<std::string> names;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::string other = stem + ending(i + 1, count);
        std::error_code ignored;
        if (i != given && !std::filesystem::exists(other, ignored))
            refuse(other,
                   "part " + std::to_string(i + 1) + " of " + std::to_string(count) +
                       " of this model is missing",
                   "download the missing file");
        all.push_back(i == given ? std::exchange(part, {}) : read_gguf(MappedFile::open(other)));
        check_part(all.back(), i, count);
        const TensorFile& weights = all.back().weights;
        tensors += weights.tensors.size() + weights.refused.size();
        const auto add = [&](const std::string& name) {
            if (!names.insert(name).second)
                refuse(other, "the tensor " + shown(name) + " is in an earlier part as well");
        };
        for (const auto& entry : weights.tensors) add(entry.first);
        for (const auto& entry : weights.refused) add(entry.first);
    }
    const std::int64_t announced =
        all.front().metadata.integer_or("split.tensors.count", static_cast<std::int64_t>(tensors));
    if (announced != static_cast<std::int64_t>(tensors))
        refuse(path, std::to_string(announced) + " tensors are announced, the parts hold " +
                         std::to_string(tensors));
    return all;
}

}  // namespace engine::formats
